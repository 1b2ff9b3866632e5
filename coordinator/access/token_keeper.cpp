#include "coordinator/access/token_keeper.hpp"

#include "common/files/file.hpp"

#include <sys/stat.h>

#include <stdexcept>
#include <utility>

namespace evalfleet::access {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kLookInterval{1};
constexpr std::uint64_t kMaxFileBytes = std::uint64_t{4} * 1024 * 1024;

}  // namespace

TokenKeeper::TokenKeeper(std::filesystem::path file, async::BlockingPool& pool, async::Clock& clock,
                         log::Logger logger)
    : file_(std::move(file)), pool_(pool), clock_(clock), logger_(std::move(logger)) {
    mark_ = blocking_mark();
    auto book = blocking_read();
    if (!book) throw std::runtime_error(book.error().message);
    book_ = std::make_shared<const TokenBook>(std::move(*book));
    logger_.info("tokens read", {{"count", book_->size()}});
}

TokenKeeper::Mark TokenKeeper::blocking_mark() const {
    struct stat facts {};
    if (::stat(file_.c_str(), &facts) != 0) return {};
    return {facts.st_ino, facts.st_size,
            std::int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + facts.st_mtim.tv_nsec};
}

Result<TokenBook> TokenKeeper::blocking_read() const {
    const auto text = files::blocking_read_file(file_, kMaxFileBytes);
    if (!text) return text.error();
    return TokenBook::parse(*text, file_.string());
}

asio::awaitable<void> TokenKeeper::run() {
    for (;;) {
        co_await clock_.wait_for(kLookInterval);
        co_await look();
    }
}

asio::awaitable<void> TokenKeeper::look() {
    auto take_mark = [this] { return blocking_mark(); };
    const Mark mark = co_await pool_.run(take_mark);
    if (mark == mark_) co_return;
    mark_ = mark;
    auto read = [this] { return std::make_shared<Result<TokenBook>>(blocking_read()); };
    const auto book = co_await pool_.run(read);
    if (!*book) {
        logger_.error("the tokens file is wrong; the tokens stay as they were",
                      {{"error", book->error()}});
        co_return;
    }
    book_ = std::make_shared<const TokenBook>(std::move(**book));
    logger_.info("tokens read", {{"count", book_->size()}});
}

}  // namespace evalfleet::access
