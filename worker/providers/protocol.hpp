#pragma once

#include "common/http/message.hpp"
#include "common/job/run_spec.hpp"
#include "common/job/sample.hpp"
#include "common/job/vocabulary.hpp"
#include "common/result/result.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::worker {

/// Where a provider is and how it knows us.
struct Endpoint {
    http::Url base_url;
    std::string api_key;  ///< empty: none is sent; never shown
};

/// What a model is asked, in no provider's terms.
struct ModelRequest {
    std::string model;                   ///< the name as the run gives it
    std::optional<std::string> version;  ///< of the model, if it is pinned
    std::vector<job::Message> messages;
    job::GenerationParams generation;
};

/// Tokens as a provider counted them; what it did not report is empty.
struct Usage {
    std::optional<std::int64_t> input_tokens;  ///< cached ones included, whatever the provider does
    std::optional<std::int64_t> output_tokens;
    std::optional<std::int64_t> cache_read_tokens;
    std::optional<std::int64_t> cache_write_tokens;
    bool operator==(const Usage&) const = default;
};

/// What a model answered, in no provider's terms.
struct ModelReply {
    std::string answer;  ///< may be empty: that is for the caller to judge
    std::optional<std::string> finish_reason;
    std::optional<std::string> model_reported;
    std::optional<std::string> request_id;
    Usage usage;
    std::optional<double> model_latency_ms;  ///< the time the provider says it took
    std::optional<job::LatencySource> model_latency_source;
};

/// What a response with an error status says.
struct Refusal {
    std::string message;  ///< for people; may hold what the provider echoed, so redact it
    std::optional<std::string> request_id;
    std::optional<std::chrono::milliseconds> retry_after;
    std::optional<bool> should_retry;  ///< if the provider says so; the status decides otherwise
};

/// How one kind of provider is spoken to. Pure: it makes requests and reads responses, and never
/// touches a socket. Whatever a provider sends is hostile input and ends in a value, never in an
/// exception. Immutable, shared among threads.
///
/// A new wire protocol is one more of these, and one line in protocols.cpp.
class Protocol {
  public:
    Protocol() = default;
    Protocol(const Protocol&) = delete;
    Protocol& operator=(const Protocol&) = delete;
    virtual ~Protocol() = default;

    [[nodiscard]] virtual http::Request make_request(const Endpoint& endpoint,
                                                     const ModelRequest& request) const = 0;

    /// Reads a response with status 2xx. `invalid`: it is not what the protocol promises.
    [[nodiscard]] virtual Result<ModelReply> read_reply(const http::Headers& headers,
                                                        std::string_view body) const = 0;

    /// Reads a response with any other status. `now` is for dates in it.
    [[nodiscard]] virtual Refusal read_refusal(int status, const http::Headers& headers,
                                               std::string_view body,
                                               std::chrono::system_clock::time_point now) const = 0;
};

}  // namespace evalfleet::worker
