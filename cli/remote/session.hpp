#pragma once

#include "cli/remote/api.hpp"
#include "cli/remote/connection.hpp"
#include "cli/remote/watcher.hpp"
#include "common/result/result.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace evalfleet::remote {

/// A command's conversation with a coordinator: the calls of `Api`, one after the other, each of
/// which blocks until it is over. SIGINT and SIGTERM end it with an error of kind `cancelled`, as
/// they end all that follow.
class Session {
  public:
    [[nodiscard]] static Result<Session> blocking_open(const ConnectionOptions& options);

    Session(Session&&) noexcept;
    Session& operator=(Session&&) noexcept;
    ~Session();

    [[nodiscard]] Result<http::Response> blocking_ask(Call call);
    [[nodiscard]] Result<std::string> blocking_call(Call call);
    [[nodiscard]] Result<std::string> blocking_upload(std::string path, http::BodySource& body);

    /// Hands an answer on as it comes.
    using Sink = std::function<Status(std::string_view)>;
    [[nodiscard]] Status blocking_download(std::string path, const Sink& sink);

    [[nodiscard]] Result<RunProgress> blocking_watch(std::string run_id,
                                                     const WatchListener& listener);

    [[nodiscard]] async::Clock& clock() noexcept;

  private:
    struct Parts;
    explicit Session(std::unique_ptr<Parts> parts) noexcept;

    std::unique_ptr<Parts> parts_;
};

}  // namespace evalfleet::remote
