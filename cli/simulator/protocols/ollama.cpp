#include "cli/simulator/protocols/ollama.hpp"

#include "cli/simulator/draw.hpp"
#include "cli/simulator/protocols/wire.hpp"
#include "common/json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace evalfleet::simulator {

namespace {

using std::chrono::nanoseconds;

std::string_view done_reason(const Completion& completion) {
    // It has no filter and no word for a refusal: what the model says is the answer.
    const bool is_plain =
        completion.is_refusal() || completion.is_filtered() || completion.is_blocked();
    return is_plain ? "stop" : std::string_view(completion.finish_reason);
}

void write_figures(json::Writer& writer, const Completion& completion, nanoseconds worked) {
    // Of the time that it really took, a tenth is told as reading the prompt. Zeros are left out.
    const std::int64_t total = std::max<std::int64_t>(worked.count(), 1);
    const std::int64_t load = total / 100;
    const std::int64_t prompt = total / 10;
    const auto add = [&writer](std::string_view name, auto figure) {
        if (figure > 0) writer.member(name, figure);
    };
    add("total_duration", total);
    add("load_duration", load);
    if (!completion.has_usage) return;
    add("prompt_eval_count", completion.tokens.prompt);
    add("prompt_eval_duration", prompt);
    add("eval_count", completion.tokens.output + completion.tokens.reasoning);
    add("eval_duration", total - load - prompt);
}

/// One line: a piece of the answer, or with `worked` the last or only one.
std::string write_line(const Completion& completion, std::string_view text,
                       std::optional<nanoseconds> worked) {
    std::string out;
    out.reserve(text.size() + 320);
    json::Writer writer(out);
    writer.begin_object().member("model", simulated_name(completion.model));
    writer.member("created_at", kCreatedText).key("message").begin_object();
    writer.member("role", "assistant").member("content", text).end_object();
    writer.member("done", worked.has_value());
    if (worked) {
        writer.member("done_reason", done_reason(completion));
        write_figures(writer, completion, *worked);
    }
    writer.end_object();
    return out;
}

class OllamaStream final : public StreamWriter {
  public:
    OllamaStream(const Completion& completion, const Protocol& protocol)
        : completion_(completion), protocol_(protocol) {}

    std::string begin() override { return {}; }
    std::string text(std::string_view piece) override {
        return write_line(completion_, piece, std::nullopt) + "\n";
    }
    std::string end(nanoseconds worked) override {
        return write_line(completion_, "", worked) + "\n";
    }
    std::string fail(const Failure& failure) override {
        return protocol_.write_error(failure) + "\n";
    }

  private:
    const Completion& completion_;
    const Protocol& protocol_;
};

std::string message_for(const Failure& failure) {
    if (!failure.message.empty()) return failure.message;
    if (failure.kind == FailureKind::bad_key) return "unauthorized";
    if (failure.kind == FailureKind::busy) {
        return "server busy, please try again. maximum pending requests exceeded";
    }
    if (failure.status == 429) return "too many requests";
    return fmt::format("simulated status {}", failure.status);
}

constexpr std::array<std::string_view, 4> kRoles{"system", "user", "assistant", "tool"};

}  // namespace

Result<ChatRequest> Ollama::read(const http::RequestContext&, json::Value body) const {
    auto model = body.get<std::string>("model");
    if (!model) return model.error();
    ChatRequest chat(std::move(*model));
    const Status read = read_messages(body, chat, kRoles);
    if (!read) return read.error();
    take_prefill(chat);
    const auto stream = body.get_or<bool>("stream", true);
    if (!stream) return stream.error();
    chat.stream = *stream;
    const auto format = body.find("format");
    chat.wants_json = format && !format->is_null();
    if (const auto options = body.find("options"); options && !options->is_null()) {
        const auto limit = options->optional<std::int64_t>("num_predict");
        if (!limit) return limit.error();
        if (*limit && **limit >= 0) chat.max_tokens = *limit;  // below it: no limit
    }
    return chat;
}

std::string_view Ollama::key(const http::RequestContext& request) const {
    return bearer_key(request);
}

std::string Ollama::write(const Completion& completion, nanoseconds worked) const {
    return write_line(completion, completion.content, worked);
}

std::unique_ptr<StreamWriter> Ollama::write_stream(const Completion& completion) const {
    return std::make_unique<OllamaStream>(completion, *this);
}

std::string Ollama::write_error(const Failure& failure) const {
    std::string out;
    json::Writer writer(out);
    writer.begin_object().member("error", message_for(failure)).end_object();
    return out;
}

std::string_view Ollama::content_type() const {
    return "application/json; charset=utf-8";
}

std::string_view Ollama::stream_type(const Completion&) const {
    return "application/x-ndjson";
}

int Ollama::status_of(FailureKind kind) const {
    return kind == FailureKind::busy ? 503 : Protocol::status_of(kind);
}

std::string Ollama::write_tags() {
    const std::string name = simulated_name("any:latest");
    std::string digest;
    for (std::uint64_t i = 0; i < 4; ++i)
        digest += fmt::format("{:016x}", combine(stable_hash(name), i));
    std::string out;
    json::Writer writer(out);
    writer.begin_object().key("models").begin_array().begin_object();
    writer.member("name", name).member("model", name).member("modified_at", kCreatedText);
    writer.member("size", 0).member("digest", digest).key("details").begin_object();
    writer.member("parent_model", "").member("format", "gguf").member("family", "simulated");
    writer.key("families").begin_array().value("simulated").end_array();
    writer.member("parameter_size", "0B").member("quantization_level", "F16").end_object();
    writer.end_object().end_array().end_object();
    return out;
}

std::string Ollama::write_version() {
    return R"({"version":"0.0.0-simulated"})";
}

}  // namespace evalfleet::simulator
