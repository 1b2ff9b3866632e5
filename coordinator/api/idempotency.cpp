#include "coordinator/api/idempotency.hpp"

#include "common/job/sha256.hpp"
#include "common/json/writer.hpp"

#include <algorithm>
#include <string>

namespace evalfleet::api {

namespace {

constexpr std::size_t kMaxKeyBytes = 255;

std::string sha256(std::string_view text) {
    job::Sha256 hash;
    hash.add(text);
    return hash.hex();
}

}  // namespace

Result<std::optional<runs::SubmissionKey>> read_key(const Call& call, std::string_view body) {
    const auto key = call.request.headers.find("Idempotency-Key");
    if (!key) return std::optional<runs::SubmissionKey>();
    const bool is_sane =
        !key->empty() && key->size() <= kMaxKeyBytes &&
        std::all_of(key->begin(), key->end(), [](char c) { return c > 0x20 && c < 0x7F; });
    if (!is_sane) return Error{ErrorKind::invalid, "allowed: 1 to 255 visible characters"};
    return std::optional(runs::SubmissionKey{sha256(call.caller.name + '\n' + std::string(*key)),
                                             sha256(call.request.path + '\n' + std::string(body))});
}

http::Reply submitted_reply(const runs::Submitted& submitted) {
    std::string text;
    json::Writer writer(text);
    writer.begin_object().member("run_id", submitted.run_ids.front()).key("run_ids").begin_array();
    for (const std::string& id : submitted.run_ids)
        writer.value(id);
    writer.end_array().member("group_id", submitted.group_id).end_object();
    http::Reply reply = http::Reply::json(std::move(text), submitted.is_replay ? 200 : 201);
    reply.headers.set("Location", "/api/v1/runs/" + submitted.run_ids.front());
    if (submitted.is_replay) reply.headers.set("Idempotent-Replay", "true");
    return reply;
}

Parameter key_parameter() {
    return {"Idempotency-Key", "the same key and body give the same runs, however often"};
}

}  // namespace evalfleet::api
