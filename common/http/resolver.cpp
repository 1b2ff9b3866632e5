#include "common/http/resolver.hpp"

#include "common/async/waiter.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace evalfleet::http {

namespace asio = boost::asio;

/// All of it is guarded by the resolver's mutex.
struct Resolver::Question {
    std::optional<Result<Addresses>> answer;
    async::TimePoint good_until = async::kNever;
    std::vector<std::shared_ptr<async::Waiter>> waiters;
};

Resolver::Resolver(async::Clock& clock, Config config, Lookup lookup)
    : clock_(clock), config_(config), lookup_(std::move(lookup)), threads_(config.threads) {}

Resolver::~Resolver() {
    threads_.join();
}

asio::awaitable<Result<Addresses>> Resolver::resolve(std::string host) {
    boost::system::error_code not_an_address;
    const auto address = asio::ip::make_address(host, not_an_address);
    if (!not_an_address) co_return Addresses{address};

    const auto executor = co_await asio::this_coro::executor;
    const auto waiter = std::make_shared<async::Waiter>(executor);
    const auto question = ask(host, waiter);
    co_await waiter->wait();
    const std::lock_guard lock(mutex_);
    if (question->answer) co_return *question->answer;
    std::erase(question->waiters, waiter);
    throw boost::system::system_error(asio::error::operation_aborted);
}

void Resolver::forget(const std::string& host) {
    const std::lock_guard lock(mutex_);
    const auto place = questions_.find(host);
    if (place != questions_.end() && place->second->answer) questions_.erase(place);
}

std::shared_ptr<Resolver::Question> Resolver::ask(const std::string& host,
                                                  const std::shared_ptr<async::Waiter>& waiter) {
    const async::TimePoint now = clock_.now();
    const std::lock_guard lock(mutex_);
    forget_old(now);
    auto& question = questions_[host];
    const bool is_new = question == nullptr;
    if (is_new) question = std::make_shared<Question>();
    if (question->answer) {
        waiter->wake();
    } else {
        question->waiters.push_back(waiter);
    }
    if (is_new) {
        asio::post(threads_, [this, question, host] { answer(*question, lookup_(host)); });
    }
    return question;
}

void Resolver::answer(Question& question, Result<NameAnswer> answer) {
    const std::lock_guard lock(mutex_);
    question.good_until = clock_.now() + life_of(answer);
    if (answer) {
        question.answer = std::move(answer->addresses);
    } else {
        question.answer = answer.error();
    }
    for (const auto& waiter : question.waiters)
        waiter->wake();
    question.waiters.clear();
}

/// A failure is told to those who wait for it, and not kept.
std::chrono::seconds Resolver::life_of(const Result<NameAnswer>& answer) const {
    if (!answer) return std::chrono::seconds(0);
    const auto life = answer->ttl.value_or(config_.keep_for);
    return std::clamp(life, config_.keep_at_least, config_.keep_at_most);
}

void Resolver::forget_old(async::TimePoint now) {
    std::erase_if(questions_, [now](const auto& entry) { return entry.second->good_until <= now; });
    // Never reached by a program with a handful of hosts; the bound is there for the others.
    while (questions_.size() >= config_.max_names)
        questions_.erase(questions_.begin());
}

}  // namespace evalfleet::http
