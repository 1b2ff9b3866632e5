#include "common/aws/event_stream.hpp"
#include "tests/fuzz/check.hpp"
#include "worker/auth/service_account.hpp"
#include "worker/auth/token_reply.hpp"
#include "worker/call/wire_response.hpp"
#include "worker/providers/protocols.hpp"

#include <algorithm>

namespace {

using namespace evalfleet;
using fuzz::check;
using providers::ProviderType;

/// What a protocol makes of a streamed body that comes in pieces of `size` bytes.
Result<worker::ModelReply> read_stream(const worker::Protocol& protocol, std::string_view body,
                                       std::size_t size) {
    worker::WireResponse response;
    response.status = 200;
    response.is_streamed = true;
    for (std::size_t at = 0; at < body.size(); at += size)
        response.add_piece(body.substr(at, size), {});
    return response.read(protocol);
}

void check_reply(const Result<worker::ModelReply>& reply) {
    if (!reply) {
        check(!reply.error().message.empty(), "what cannot be read has a reason");
        return;
    }
    const worker::Usage& usage = reply->usage;
    for (const auto& count : {usage.input_tokens, usage.output_tokens, usage.cache_read_tokens,
                              usage.cache_write_tokens, usage.reasoning_tokens}) {
        check(!count || *count >= 0, "a count is not negative");
    }
    for (const auto& time : {reply->provider_time_ms, reply->server_timing_ms})
        check(!time || *time >= 0, "a time is not negative");
    check(!reply->refusal || reply->refusal->status >= 400, "an error is an error");
}

void check_protocol(ProviderType type, std::string_view body) {
    const worker::Protocol& protocol = worker::find_protocol(type);
    check_reply(protocol.read_reply({}, body));
    const auto whole = read_stream(protocol, body, std::max<std::size_t>(body.size(), 1));
    const auto dripped = read_stream(protocol, body, 1);
    check_reply(whole);
    check(whole.has_value() == dripped.has_value(), "where a stream is cut changes nothing");
    check(!whole || whole->answer == dripped->answer, "where a stream is cut changes no text");
    check(!protocol.read_refusal(500, {}, body, {}).message.empty(), "a refusal has a message");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string body(reinterpret_cast<const char*>(data), size);
    for (const providers::ProtocolTraits& traits : providers::kProtocols)
        check_protocol(traits.type, body);
    // As the payload of a frame whose check sums are right, which mutations hardly ever are.
    for (const char* type : {"contentBlockDelta", "messageStop", "metadata"}) {
        const aws::Frame frame{{{":event-type", type}, {":message-type", "event"}}, body};
        check_protocol(ProviderType::bedrock, aws::encode(frame));
    }
    static_cast<void>(
        worker::read_token(body, worker::TokenForm::any, {}, std::chrono::seconds(1)));
    static_cast<void>(worker::read_aws_profile(body, "default"));
    static_cast<void>(worker::read_service_account(body));
    return 0;
}
