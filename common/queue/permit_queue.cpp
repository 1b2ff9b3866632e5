#include "common/queue/permit_queue.hpp"

#include "common/queue/decode.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

namespace evalfleet::queue {

namespace asio = boost::asio;

namespace {

using redis::Reply;

constexpr std::size_t kAnswerFields = 17;
constexpr std::size_t kStatsFields = 15;

/// Reads the fields of an answer one after the other; once one is wrong, all that follow are.
class FieldCursor {
  public:
    explicit FieldCursor(const Reply& reply, std::size_t expected) {
        is_good_ = reply.type() == Reply::Type::array && reply.items().size() == expected;
        if (is_good_) items_ = &reply.items();
    }

    std::uint64_t number() {
        const Reply* item = next();
        if (item == nullptr) return 0;
        if (item->type() == Reply::Type::integer && item->as_integer() >= 0)
            return static_cast<std::uint64_t>(item->as_integer());
        const auto parsed = is_text(*item) ? parse_index(item->text()) : std::nullopt;
        if (!parsed) is_good_ = false;
        return parsed.value_or(0);
    }

    std::chrono::milliseconds milliseconds() {
        return std::chrono::milliseconds(static_cast<std::int64_t>(number()));
    }

    std::string text() {
        const Reply* item = next();
        if (item != nullptr && is_text(*item)) return item->text();
        is_good_ = false;
        return {};
    }

    double real() {
        const bool is_whole = is_good_ && (*items_)[at_].type() == Reply::Type::integer;
        if (is_whole) return static_cast<double>(number());
        const std::string digits = text();
        double value = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        const bool whole = error == std::errc() && end == digits.data() + digits.size();
        if (!whole || !std::isfinite(value) || value < 0) is_good_ = false;
        return is_good_ ? value : 0;
    }

    [[nodiscard]] bool is_good() const noexcept { return is_good_; }

  private:
    static bool is_text(const Reply& reply) {
        return reply.type() == Reply::Type::string || reply.type() == Reply::Type::status;
    }

    const Reply* next() { return is_good_ ? &(*items_)[at_++] : nullptr; }

    const Reply::Array* items_ = nullptr;
    std::size_t at_ = 0;
    bool is_good_ = false;
};

Error unexpected(std::string_view function) {
    return {ErrorKind::invalid,
            fmt::format("the queue's answer to {} is of a shape that it never has", function)};
}

template <class Number>
void append(std::vector<std::string>& arguments, Number number) {
    arguments.push_back(fmt::format("{}", number));
}

void append_proposal(std::vector<std::string>& arguments, std::optional<SharedLimit> proposal,
                     std::string reason) {
    if (!proposal) {
        arguments.insert(arguments.end(), {"", "", "", "", ""});
        return;
    }
    append(arguments, proposal->version);
    arguments.push_back(std::move(proposal->state));
    append(arguments, proposal->calls);
    append(arguments, proposal->rate);
    arguments.push_back(std::move(reason));
}

std::vector<std::string> to_arguments(LimitKey key, const std::string& worker,
                                      const WindowTerms& terms, PermitAsk ask) {
    std::vector<std::string> arguments{std::move(key.name), worker};
    append(arguments, terms.lease.count());
    append(arguments, terms.window.count());
    append(arguments, terms.margin.count());
    for (const std::uint64_t number : {key.rpm, key.tpm, key.max_concurrent})
        append(arguments, number);
    append(arguments, ask.first_calls);
    append(arguments, ask.tick.count());
    arguments.push_back(fmt::format("{:.3f}", ask.running));
    for (const std::uint64_t number : {ask.in_use, ask.wanted, ask.urgent})
        append(arguments, number);
    append(arguments, ask.pause.count());
    append(arguments, ask.refused);
    arguments.push_back(std::move(ask.sums));
    append_proposal(arguments, std::move(ask.proposal), std::move(ask.reason));
    append(arguments, ask.amendments.size());
    for (const Amendment& amendment : ask.amendments) {
        append(arguments, amendment.bucket);
        append(arguments, amendment.requests);
        append(arguments, amendment.tokens);
    }
    for (const std::int64_t tokens : ask.wishes)
        append(arguments, tokens);
    return arguments;
}

}  // namespace

Result<PermitAnswer> decode_permit(const Reply& reply) {
    FieldCursor fields(reply, kAnswerFields);
    PermitAnswer answer;
    answer.granted = fields.number();
    answer.bucket = fields.number();
    answer.allowed = fields.number();
    answer.target = fields.number();
    answer.wait = fields.milliseconds();
    answer.paused = fields.milliseconds();
    answer.shared.version = fields.number();
    answer.shared.state = fields.text();
    answer.shared.calls = fields.real();
    answer.shared.rate = fields.real();
    answer.server_now = fields.milliseconds();
    answer.fleet_held = fields.number();
    answer.fleet_running = fields.real();
    answer.fleet_requests = fields.number();
    answer.fleet_tokens = fields.number();
    answer.sums = fields.text();
    answer.elapsed = fields.milliseconds();
    if (!fields.is_good()) return unexpected("permit");
    return answer;
}

Result<std::vector<LimitStats>> decode_permits(const Reply& reply) {
    if (reply.type() != Reply::Type::array) return unexpected("permits");
    std::vector<LimitStats> all;
    for (const Reply& item : reply.items()) {
        FieldCursor fields(item, kStatsFields);
        LimitStats stats;
        stats.key = fields.text();
        stats.held = fields.number();
        stats.unmet = fields.number();
        stats.urgent = fields.number();
        stats.running = fields.real();
        stats.workers = fields.number();
        stats.requests = fields.number();
        stats.tokens = fields.number();
        stats.calls = fields.real();
        stats.rate = fields.real();
        stats.paused = fields.milliseconds();
        stats.refused = fields.number();
        stats.since_refusal = fields.milliseconds();
        stats.reason = fields.text();
        stats.since_change = fields.milliseconds();
        if (!fields.is_good()) return unexpected("permits");
        all.push_back(std::move(stats));
    }
    return all;
}

PermitQueue::PermitQueue(redis::FunctionLibrary& functions, Keys keys, std::string worker)
    : functions_(functions), keys_(std::move(keys)), worker_(std::move(worker)) {}

asio::awaitable<Result<PermitAnswer>> PermitQueue::ask(LimitKey key, WindowTerms terms,
                                                       PermitAsk ask, async::TimePoint deadline) {
    std::vector<std::string> arguments =
        to_arguments(std::move(key), worker_, terms, std::move(ask));
    std::vector<std::string> keys{keys_.base()};
    const auto reply =
        co_await functions_.call("ef1_permit", std::move(keys), std::move(arguments), deadline);
    if (!reply) co_return reply.error();
    co_return decode_permit(*reply);
}

asio::awaitable<Result<std::vector<LimitStats>>> PermitQueue::stats(async::TimePoint deadline) {
    std::vector<std::string> arguments;
    std::vector<std::string> keys{keys_.base()};
    const auto reply =
        co_await functions_.call("ef1_permits", std::move(keys), std::move(arguments), deadline);
    if (!reply) co_return reply.error();
    co_return decode_permits(*reply);
}

}  // namespace evalfleet::queue
