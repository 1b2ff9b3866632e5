#include "cli/simulator/protocols/completions.hpp"

#include "cli/simulator/protocols/openai_stream.hpp"
#include "cli/simulator/protocols/wire.hpp"

#include <fmt/format.h>

#include <utility>

namespace evalfleet::simulator {

namespace {

void write_head(json::Writer& writer, const Completion& completion) {
    writer.member("id", fmt::format("cmpl-sim{:016x}", completion.id));
    writer.member("object", "text_completion").member("created", kCreated);
    writer.member("model", simulated_name(completion.model));
    writer.member("system_fingerprint", kFingerprint);
}

/// `finish`: null if it is empty.
void write_choice(json::Writer& writer, std::string_view text, std::string_view finish) {
    writer.key("choices").begin_array().begin_object().member("text", text).member("index", 0);
    writer.key("logprobs").null().key("finish_reason");
    finish.empty() ? writer.null() : writer.value(finish);
    writer.end_object().end_array();
}

class CompletionsStream final : public StreamWriter {
  public:
    CompletionsStream(const Completion& completion, const Protocol& protocol)
        : completion_(completion), protocol_(protocol) {}

    [[nodiscard]] std::string begin() override { return {}; }
    [[nodiscard]] std::string text(std::string_view piece) override { return chunk(piece, ""); }
    [[nodiscard]] std::string end(std::chrono::nanoseconds) override {
        std::string out = chunk("", openai_finish(completion_));
        if (completion_.wants_stream_usage && completion_.has_usage) {
            std::string counts;
            json::Writer writer(counts);
            writer.begin_object();
            write_head(writer, completion_);
            writer.key("choices").begin_array().end_array().key("usage");
            write_openai_usage(writer, completion_);
            writer.end_object();
            out += sse_event("", counts);
        }
        return out + sse_event("", "[DONE]");
    }
    [[nodiscard]] std::string fail(const Failure& failure) override {
        return sse_event("", protocol_.write_error(failure));
    }

  private:
    [[nodiscard]] std::string chunk(std::string_view text, std::string_view finish) const {
        std::string out;
        json::Writer writer(out);
        writer.begin_object();
        write_head(writer, completion_);
        write_choice(writer, text, finish);
        writer.end_object();
        return sse_event("", out);
    }

    const Completion& completion_;
    const Protocol& protocol_;
};

}  // namespace

Result<ChatRequest> OpenAiCompletions::read(const http::RequestContext&, json::Value body) const {
    auto model = body.get<std::string>("model");
    if (!model) return model.error();
    ChatRequest chat(*std::move(model));
    auto prompt = body.get<std::string>("prompt");
    if (!prompt) return prompt.error();
    chat.add("user", *std::move(prompt));
    const auto stream = body.get_or<bool>("stream", false);
    if (!stream) return stream.error();
    chat.stream = *stream;
    const auto max_tokens = body.optional<std::int64_t>("max_tokens");
    if (!max_tokens) return max_tokens.error();
    chat.max_tokens = *max_tokens;
    chat.wants_json = body.find("response_format").has_value();
    if (const auto options = body.find("stream_options"); options && !options->is_null()) {
        const auto usage = options->get_or<bool>("include_usage", false);
        if (!usage) return usage.error();
        chat.wants_stream_usage = *usage;
    }
    return chat;
}

std::string OpenAiCompletions::write(const Completion& completion, std::chrono::nanoseconds) const {
    std::string out;
    json::Writer writer(out);
    writer.begin_object();
    write_head(writer, completion);
    write_choice(writer, completion.content, openai_finish(completion));
    if (completion.has_usage) {
        writer.key("usage");
        write_openai_usage(writer, completion);
    }
    writer.end_object();
    return out;
}

std::unique_ptr<StreamWriter> OpenAiCompletions::write_stream(const Completion& completion) const {
    return std::make_unique<CompletionsStream>(completion, *this);
}

}  // namespace evalfleet::simulator
