#include "cli/simulator/refused_members.hpp"

#include "common/json/writer.hpp"

#include <fmt/format.h>

namespace evalfleet::simulator {

namespace {

std::string message_of(const Failure& failure) {
    return failure.message.empty() ? fmt::format("simulated status {}", failure.status)
                                   : failure.message;
}

/// The value of `detail`: a text, or a list with the member that is not wanted.
void write_detail(json::Writer& writer, const Failure& failure) {
    writer.key("detail");
    if (failure.param.empty()) {
        writer.value(message_of(failure));
        return;
    }
    writer.begin_array().begin_object().member("type", "extra_forbidden");
    writer.key("loc").begin_array().value("body").value(failure.param).end_array();
    writer.member("msg", "Extra inputs are not permitted").end_object().end_array();
}

}  // namespace

std::optional<std::string> find_refused_member(json::Value body,
                                               const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        if (body.find(name)) return name;
        for (const char* group : {"generationConfig", "options", "inferenceConfig"}) {
            const auto members = body.find(group);
            if (members && members->find(name)) return name;
        }
    }
    return std::nullopt;
}

std::string write_error_shape(ErrorShape shape, const Failure& failure) {
    std::string out;
    json::Writer writer(out);
    writer.begin_object();
    if (shape == ErrorShape::fastapi) {
        write_detail(writer, failure);
    } else {
        writer.member("object", "Error").key("message").begin_object();
        write_detail(writer, failure);
        writer.end_object().member("type", "invalid_request_error");
        writer.key("param").null().key("code").null();
    }
    writer.end_object();
    return out;
}

}  // namespace evalfleet::simulator
