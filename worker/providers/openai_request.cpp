#include "common/job/message_json.hpp"
#include "common/json/writer.hpp"
#include "worker/providers/openai_wire.hpp"
#include "worker/providers/parameters.hpp"

namespace evalfleet::worker {

namespace {

using namespace std::string_view_literals;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// What a model takes, by its name: the part behind the last slash, so that `openai/o3` of a router
/// is known as well.
struct Traits {
    bool reasons = false;             ///< refuses `max_tokens`
    bool has_fixed_sampling = false;  ///< takes no temperature and no top_p but 1
};

Traits traits_of(std::string_view model) {
    model = model.substr(model.find_last_of('/') + 1);
    const bool is_o_series = model.size() >= 2 && model[0] == 'o' && is_digit(model[1]);
    const bool is_late_gpt =
        model.starts_with("gpt-") && model.size() > 4 && model[4] >= '5' && is_digit(model[4]);
    const bool reasons = is_o_series || is_late_gpt;
    const bool chats = model.find("-chat") != std::string_view::npos;
    return {reasons, reasons && !chats};
}

/// The name that a model takes for its limit of tokens. Many compatible servers know nothing but
/// `max_tokens`; a model that refuses one of the two is asked with the other.
std::string_view limit_name(const Traits& traits, const ModelRequest& request) {
    constexpr auto kOld = "max_tokens"sv;
    constexpr auto kNew = "max_completion_tokens"sv;
    const bool prefers_new = traits.reasons || is_refused(request, kOld);
    return prefers_new && !is_refused(request, kNew) ? kNew : kOld;
}

/// Every sampling field is sent, since the defaults differ from server to server.
void write_parameters(json::Writer& writer, const Traits& traits, const ModelRequest& request,
                      std::vector<std::string>& refused) {
    ParameterWriter parameters(writer, request, refused);
    // Without reasoning they sample as others do.
    const bool reasons = request.generation.reasoning_effort != "none";
    if (traits.has_fixed_sampling && reasons) parameters.fix_sampling();
    parameters.temperature("temperature");
    parameters.top_p("top_p");
    writer.member(limit_name(traits, request), request.generation.max_tokens);
    parameters.seed("seed");
    parameters.stop("stop");
    if (const auto* format = parameters.response_format())
        write_openai_response_format(writer, *format);
    if (const auto* effort = parameters.reasoning_effort())
        writer.member("reasoning_effort", *effort);
    parameters.no_thinking_budget();
    parameters.no_prompt_cache();
}

}  // namespace

bool has_fixed_openai_sampling(std::string_view model) {
    return traits_of(model).has_fixed_sampling;
}

void write_openai_messages(json::Writer& writer, const std::vector<job::Message>& messages) {
    writer.key("messages").begin_array();
    for (const job::Message& message : messages)
        job::Codec<job::Message>::write(writer, message);
    writer.end_array();
}

void write_openai_response_format(json::Writer& writer, const job::ResponseFormat& format) {
    writer.key("response_format").begin_object();
    if (format.json_schema.empty()) {
        writer.member("type", "json_object");
    } else {
        writer.member("type", "json_schema").key("json_schema").begin_object();
        writer.member("name", "answer").key("schema").raw(format.json_schema);
        writer.member("strict", true).end_object();
    }
    writer.end_object();
}

WireRequest make_openai_request(http::Url url, std::string_view model,
                                const ModelRequest& request) {
    WireRequest wire;
    wire.stream = request.stream;
    wire.http.method = "POST";
    wire.http.url = std::move(url);
    wire.http.headers.add("Content-Type", "application/json");
    wire.http.headers.add("Accept", request.stream ? "text/event-stream" : "application/json");
    json::Writer writer(wire.http.body);
    writer.begin_object().member("model", model);
    write_openai_messages(writer, request.messages);
    write_parameters(writer, traits_of(model), request, wire.refused_parameters);
    writer.member("stream", request.stream);
    ParameterWriter(writer, request, wire.refused_parameters).usage_of_stream();
    writer.end_object();
    return wire;
}

}  // namespace evalfleet::worker
