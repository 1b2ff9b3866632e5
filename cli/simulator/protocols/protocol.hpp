#pragma once

#include "cli/simulator/chat_request.hpp"
#include "cli/simulator/completion.hpp"
#include "cli/simulator/failure.hpp"
#include "cli/simulator/quota.hpp"
#include "common/http/request_context.hpp"
#include "common/json/value.hpp"
#include "common/result/result.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::simulator {

/// What the headers of a reply tell.
struct ReplyFacts {
    std::string_view request_id;
    std::chrono::nanoseconds worked{};  ///< from the request's arrival to the reply's first byte
    std::chrono::system_clock::time_point now{};
    std::optional<QuotaView> quota{};
};

/// Writes one answer as a stream, in the wire's own bytes. Made for one answer, which outlives it.
class StreamWriter {
  public:
    StreamWriter() = default;
    StreamWriter(const StreamWriter&) = delete;
    StreamWriter& operator=(const StreamWriter&) = delete;
    virtual ~StreamWriter() = default;

    /// What comes before the first text; may be empty.
    [[nodiscard]] virtual std::string begin() = 0;
    /// An event with a piece of the answer, as text into which faults can be put, and how it then
    /// goes over the wire.
    [[nodiscard]] virtual std::string text(std::string_view piece) = 0;
    [[nodiscard]] virtual std::string sealed(std::string event) { return event; }
    /// Everything after the last text, with what tells that the stream is whole.
    [[nodiscard]] virtual std::string end(std::chrono::nanoseconds worked) = 0;
    /// Instead of `end`: the provider fails under way.
    [[nodiscard]] virtual std::string fail(const Failure& failure) = 0;
};

/// How one kind of provider speaks, from the provider's side. Pure, immutable, shared by threads.
///
/// A new wire protocol is one more of these, and its lines in the route table (routes.cpp).
class Protocol {
  public:
    Protocol() = default;
    Protocol(const Protocol&) = delete;
    Protocol& operator=(const Protocol&) = delete;
    virtual ~Protocol() = default;

    /// Errors (`invalid`) are what the provider would refuse.
    [[nodiscard]] virtual Result<ChatRequest> read(const http::RequestContext& request,
                                                   json::Value body) const = 0;

    /// The key that a request carries; empty if none. Good as long as the request.
    [[nodiscard]] virtual std::string_view key(const http::RequestContext& request) const = 0;

    [[nodiscard]] virtual std::string write(const Completion& completion,
                                            std::chrono::nanoseconds worked) const = 0;
    [[nodiscard]] virtual std::unique_ptr<StreamWriter> write_stream(
        const Completion& completion) const = 0;
    [[nodiscard]] virtual std::string write_error(const Failure& failure) const = 0;

    virtual void add_headers(const ReplyFacts&, http::Headers&) const {}

    [[nodiscard]] virtual std::string_view content_type() const { return "application/json"; }
    [[nodiscard]] virtual std::string_view stream_type(const Completion&) const {
        return "text/event-stream; charset=utf-8";
    }

    /// The status of a failure of that kind.
    [[nodiscard]] virtual int status_of(FailureKind kind) const;

    /// Is a blocked prompt an error? Else it is a reply of its own.
    [[nodiscard]] virtual bool refuses_blocked_prompts() const { return true; }
};

}  // namespace evalfleet::simulator
