#pragma once

#include "common/async/clock.hpp"
#include "common/async/semaphore.hpp"
#include "common/redis/client.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evalfleet::redis {

/// A Lua function library as text. It names itself in its first line and its version in a comment
/// of its own line:
///
///     #!lua name=evalfleet
///     -- version: 3
///     -- serves: 2
///
/// `serves` is the oldest version whose callers it serves as their own library would; without it,
/// only those of its own version.
struct LibraryText {
    std::string name;
    std::int64_t version = 0;
    std::string code;
};

/// `invalid` if the name or the version is missing.
[[nodiscard]] Result<LibraryText> parse_library(std::string code);

/// The version in a library's code; 0 if there is none.
[[nodiscard]] std::int64_t library_version(std::string_view code) noexcept;

/// The oldest version that a library serves.
[[nodiscard]] std::int64_t oldest_served(std::string_view code) noexcept;

/// SHA-256 of a library's code, in hex.
[[nodiscard]] std::string library_hash(std::string_view code);

/// "version 3, sha256 0123456789ab…"
[[nodiscard]] std::string describe_library(std::string_view code);

enum class LibraryAction {
    keep,    ///< what the server has will do
    load,    ///< ours has to be loaded, in place of what is there
    refuse,  ///< what the server has is newer and does not serve us: we must not call it
};

/// Loads when the server has none, an older one, or the same version with other code. Keeps a newer
/// one that serves ours: while a fleet is upgraded, its old part must not take the new part's
/// functions away.
[[nodiscard]] LibraryAction decide_action(const LibraryText& ours,
                                          const std::optional<std::string>& installed_code);

/// Makes sure that a server has our functions when we call them. A server may lose them at any
/// time: it was replaced, restored, or somebody flushed it.
///
/// What the server has is compared with ours before the first call. Where the Redis user may load
/// functions, what is missing or differs is loaded. Where it may not (docs/operations.md), that is
/// a `transient` error that names both and says what to do: somebody who may has to load them.
///
/// `call` may be used from any thread. Client and library must outlive every call.
class FunctionLibrary {
  public:
    /// Is told of every call: which function, how long it took, whether it was answered. Called on
    /// any thread that calls; must not block or throw.
    using CallObserver =
        std::function<void(std::string_view function, async::Duration took, bool answered)>;

    FunctionLibrary(Client& client, LibraryText text);

    /// Loads the library unless the server has it. The version that the server has afterwards;
    /// `denied`, with both versions, if that is a newer one that does not serve ours.
    /// Two old and new processes that load at the same moment may end with the older version; the
    /// next `ensure_loaded` of the newer one repairs that.
    [[nodiscard]] boost::asio::awaitable<Result<std::int64_t>> ensure_loaded(
        async::TimePoint deadline);

    /// The code that the server has; none if it has not.
    [[nodiscard]] boost::asio::awaitable<Result<std::optional<std::string>>> installed_code(
        async::TimePoint deadline);

    /// FCALL. If the server does not know the function, loads the library and tries once more;
    /// callers that find it missing at the same time load it once. Errors and cancellation as
    /// `Client::execute`.
    [[nodiscard]] boost::asio::awaitable<Result<Reply>> call(std::string function,
                                                             std::vector<std::string> keys,
                                                             std::vector<std::string> arguments,
                                                             async::TimePoint deadline);

    /// To be set before the first call.
    void observe_calls(CallObserver observer) { observer_ = std::move(observer); }

    [[nodiscard]] const std::string& name() const noexcept { return text_.name; }
    [[nodiscard]] std::int64_t version() const noexcept { return text_.version; }
    [[nodiscard]] const std::string& code() const noexcept { return text_.code; }

  private:
    [[nodiscard]] boost::asio::awaitable<Result<Reply>> execute(Command command,
                                                                async::TimePoint deadline);
    [[nodiscard]] boost::asio::awaitable<Status> reload(std::uint64_t seen_loads,
                                                        async::TimePoint deadline);

    Client& client_;
    LibraryText text_;
    CallObserver observer_;
    async::Semaphore loading_{1};           // one at a time
    std::atomic<std::uint64_t> loads_ = 0;  // how often we made sure
};

}  // namespace evalfleet::redis
