#pragma once

#include "common/async/clock.hpp"
#include "common/http/message.hpp"
#include "common/job/run_spec.hpp"
#include "common/job/sample.hpp"
#include "common/job/vocabulary.hpp"
#include "common/result/result.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::worker {

/// Where a provider is. What lets requests in is put on them when they are sent.
struct Endpoint {
    http::Url base_url;
    std::optional<std::string> api_version;  ///< for protocols that have one
};

/// What a model is asked, in no provider's terms.
struct ModelRequest {
    std::string model;                   ///< the name as the run gives it
    std::optional<std::string> version;  ///< of the model, if it is pinned
    std::vector<job::Message> messages;
    job::GenerationParams generation;
    bool stream = false;
    /// Generation parameters (by the run file's names) that this model is known to refuse, besides
    /// those that the protocol knows of.
    std::vector<std::string> refused{};
    /// A response format that the model refuses may be left out.
    bool may_drop_format = false;
    /// How many bytes at the beginning of each message are the same in all requests of the run, in
    /// the order of the messages; those beyond the list have none.
    std::vector<std::size_t> constant_bytes{};
};

/// A request as it goes over the wire.
struct WireRequest {
    http::Request http;
    bool stream = false;  ///< a streamed response was asked for
    /// Generation parameters that were left out, by the run file's names: all that the run sets and
    /// the request does not carry.
    std::vector<std::string> refused_parameters{};
};

/// Tokens as a provider counted them; what it did not report is empty.
struct Usage {
    std::optional<std::int64_t> input_tokens;  ///< cached ones included, whatever the provider does
    std::optional<std::int64_t> output_tokens;  ///< reasoning included, whatever the provider does
    std::optional<std::int64_t> cache_read_tokens;
    std::optional<std::int64_t> cache_write_tokens;
    std::optional<std::int64_t> reasoning_tokens{};  ///< part of the output
    bool operator==(const Usage&) const = default;
};

/// What a provider says instead of an answer: in a response with an error status, or in the body of
/// one with a good status.
struct Refusal {
    int status = 0;       ///< of the response, or what the error under a good status amounts to
    std::string message;  ///< for people; may hold what the provider echoed, so redact it
    std::optional<std::string> request_id;
    std::optional<std::chrono::milliseconds> retry_after;
    std::optional<bool> should_retry;  ///< if the provider says so; the status decides otherwise
    std::optional<std::string> finish_reason;      ///< `content_filter`: the prompt was filtered
    std::optional<std::string> refused_parameter;  ///< the run file's name of what it does not take
    bool refuses_credentials = false;              ///< our key or token, besides by status 401
};

/// What a model answered, in no provider's terms.
struct ModelReply {
    std::string answer{};  ///< may be empty: that is for the caller to judge
    /// `stop`, `length`, `content_filter`, `refusal`, `tool_calls`, or the provider's own word
    /// where it means none of these.
    std::optional<std::string> finish_reason{};
    std::optional<std::string> model_reported{};
    std::optional<std::string> system_fingerprint{};
    std::optional<std::string> request_id{};
    Usage usage{};
    std::optional<double> provider_time_ms{};          ///< that the provider says the model took
    std::optional<double> server_timing_ms{};          ///< that its edge says in a header
    std::optional<async::TimePoint> first_token_at{};  ///< of a stream: the first text came
    std::optional<Refusal> refusal{};                  ///< it was an error after all
};

/// Takes one streamed response apart, in the pieces in which it came. Pure; made for one response.
class StreamReader {
  public:
    StreamReader() = default;
    StreamReader(const StreamReader&) = delete;
    StreamReader& operator=(const StreamReader&) = delete;
    virtual ~StreamReader() = default;

    /// The next bytes of the body, which came at `at`. `invalid`, `too_large`: it is not what the
    /// protocol promises.
    [[nodiscard]] virtual Status feed(std::string_view bytes, async::TimePoint at) = 0;

    /// After the last byte. `transient`: the stream ended before it said so.
    [[nodiscard]] virtual Result<ModelReply> finish() = 0;

    /// Did the protocol's own mark of the end come? What the connection does after it is of no
    /// importance.
    [[nodiscard]] virtual bool has_ended() const { return false; }

    /// The tokens that were counted so far: of a stream that breaks off, what was billed at least.
    [[nodiscard]] virtual Usage usage() const = 0;
};

/// How one kind of provider is spoken to. Pure: it makes requests and reads responses, and never
/// touches a socket. Whatever a provider sends is hostile input and ends in a value, never in an
/// exception. Immutable, shared among threads.
///
/// A new wire protocol is one more of these, its row in common/providers/protocol_table.hpp, and
/// one line in protocols.cpp.
class Protocol {
  public:
    Protocol() = default;
    Protocol(const Protocol&) = delete;
    Protocol& operator=(const Protocol&) = delete;
    virtual ~Protocol() = default;

    [[nodiscard]] virtual WireRequest make_request(const Endpoint& endpoint,
                                                   const ModelRequest& request) const = 0;

    /// Reads a whole response with status 2xx. `invalid`: it is not what the protocol promises.
    [[nodiscard]] virtual Result<ModelReply> read_reply(const http::Headers& headers,
                                                        std::string_view body) const = 0;

    /// Reads a streamed response with status 2xx.
    [[nodiscard]] virtual std::unique_ptr<StreamReader> read_stream(
        const http::Headers& headers) const = 0;

    /// Reads a response with any other status. `now` is for dates in it.
    [[nodiscard]] virtual Refusal read_refusal(int status, const http::Headers& headers,
                                               std::string_view body,
                                               std::chrono::system_clock::time_point now) const = 0;
};

}  // namespace evalfleet::worker
