#include "coordinator/webhooks/webhooks.hpp"

#include "common/async/run_all.hpp"
#include "coordinator/webhooks/signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace evalfleet::webhooks {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kInterval{1};
constexpr std::chrono::seconds kTimeout{10};
constexpr std::chrono::hours kGiveUpAfter{72};
constexpr std::chrono::seconds kLongestDelay{600};
constexpr std::size_t kMaxAnswerBytes = 64 * 1024;

http::ClientConfig client_config() {
    http::ClientConfig config;
    config.max_connections_per_host = kMaxWebhooks;
    config.max_idle_per_host = 1;
    config.user_agent = "evalfleet-webhook";
    return config;
}

/// The path of an address may be all that keeps others out: Slack's is.
std::string without_path(std::string message, const http::Url& url) {
    const std::string whole = url.redacted();
    const std::string host = fmt::format("{}://{}/...", to_string(url.scheme), url.authority());
    for (auto at = message.find(whole); at != std::string::npos; at = message.find(whole, at))
        message.replace(at, whole.size(), host), at += host.size();
    return message;
}

}  // namespace

std::chrono::seconds delay_after(std::uint64_t failures) noexcept {
    if (failures == 0) return std::chrono::seconds(0);
    if (failures > 10) return kLongestDelay;
    return std::min(kLongestDelay, std::chrono::seconds(std::int64_t{1} << (failures - 1)));
}

Webhooks::Webhooks(const asio::any_io_executor& executor, const std::filesystem::path& file,
                   const std::filesystem::path& store, std::function<bool()> leads,
                   async::BlockingPool& pool, async::Clock& clock, log::Logger logger)
    : leads_(std::move(leads)),
      pool_(pool),
      clock_(clock),
      logger_(std::move(logger)),
      client_(executor, clock, client_config()) {
    auto config = blocking_read_webhooks(file);
    if (!config) throw std::runtime_error(config.error().message);
    auto receivers = blocking_resolve(*config);
    if (!receivers) throw std::runtime_error(receivers.error().message);
    receivers_ = std::move(*receivers);
    runs_ = std::make_unique<RunWatch>(store, std::move(*config), logger_);
}

asio::awaitable<void> Webhooks::run() {
    std::vector<asio::awaitable<void>> roles;
    roles.push_back(watch());
    for (const Receiver& receiver : receivers_)
        roles.push_back(serve(receiver));
    co_await async::run_all(std::move(roles));
}

asio::awaitable<void> Webhooks::watch() {
    auto look = [this] { return runs_->blocking_look(clock_.utc_now()); };
    std::string last_error;
    for (;;) {
        if (leads_()) {
            const auto found = co_await pool_.run(look);
            const std::string error = found ? "" : found.error().message;
            if (!error.empty() && error != last_error)
                logger_.warn("cannot find out what to tell; trying again", {{"error", error}});
            last_error = error;
        }
        co_await clock_.wait_for(kInterval);
    }
}

asio::awaitable<void> Webhooks::serve(const Receiver& receiver) {
    Attempts attempts;
    auto list = [this, &receiver] { return runs_->outbox().blocking_list(receiver.webhook.name); };
    for (;;) {
        co_await clock_.wait_for(kInterval);
        if (!leads_()) continue;
        const auto letters = co_await pool_.run(list);
        if (!letters) continue;  // the watch tells of a disk that cannot be read
        std::erase_if(attempts, [&](const auto& attempt) {
            return std::ranges::find(*letters, attempt.first, &Outbox::Letter::file) ==
                   letters->end();
        });
        for (const Outbox::Letter& letter : *letters) {
            if (!leads_()) break;
            if (attempts[letter.file].next > clock_.now()) continue;
            co_await deliver(receiver, letter, attempts);
        }
    }
}

asio::awaitable<void> Webhooks::deliver(const Receiver& receiver, Outbox::Letter letter,
                                        Attempts& attempts) {
    const std::string& name = receiver.webhook.name;
    auto read = [this, &name, &letter] { return runs_->outbox().blocking_read(name, letter); };
    auto remove = [this, &name, &letter] { runs_->outbox().blocking_remove(name, letter); };
    auto body = co_await pool_.run(read);
    Status sent = body ? Status() : Status(body.error());
    if (body) sent = co_await send(receiver, letter, std::move(*body));
    Attempt& attempt = attempts[letter.file];
    if (sent) {
        logger_.keep(log::Level::info, "webhook delivered",
                     {{"webhook", name},
                      {"event", letter.event},
                      {"id", letter.id},
                      {"attempts", attempt.failures + 1}});
        co_await pool_.run(remove);
        co_return;
    }
    ++attempt.failures;
    attempt.next = clock_.now() + delay_after(attempt.failures);
    const std::string why = without_path(sent.error().message, receiver.url);
    if (clock_.utc_now() - letter.at > kGiveUpAfter) {
        logger_.keep(
            log::Level::error, "webhook given up",
            {{"webhook", name}, {"event", letter.event}, {"id", letter.id}, {"error", why}});
        co_await pool_.run(remove);
        co_return;
    }
    logger_.warn("webhook not taken; trying again", {{"webhook", name},
                                                     {"event", letter.event},
                                                     {"id", letter.id},
                                                     {"attempts", attempt.failures},
                                                     {"error", why}});
}

asio::awaitable<Status> Webhooks::send(const Receiver& receiver, Outbox::Letter letter,
                                       std::string body) {
    http::Request request;
    request.method = "POST";
    request.url = receiver.url;
    request.headers.set("Content-Type", "application/json");
    const std::int64_t now =
        std::chrono::duration_cast<std::chrono::seconds>(clock_.utc_now().time_since_epoch())
            .count();
    request.headers.set("X-Evalfleet-Event", letter.event);
    request.headers.set("X-Evalfleet-Id", letter.id);
    request.headers.set("X-Evalfleet-Timestamp", std::to_string(now));
    if (!receiver.secret.empty())
        request.headers.set("X-Evalfleet-Signature", sign(receiver.secret, now, body));
    request.body = std::move(body);
    http::CallLimits limits;
    limits.total_deadline = clock_.now() + kTimeout;
    limits.max_body_bytes = kMaxAnswerBytes;
    const auto response = co_await client_.send(std::move(request), limits);
    if (!response) co_return response.error();
    if (response->status >= 200 && response->status < 300) co_return Status();
    co_return Error{ErrorKind::transient,
                    fmt::format("it answered with status {}", response->status)};
}

}  // namespace evalfleet::webhooks
