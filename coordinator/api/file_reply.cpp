#include "coordinator/api/file_reply.hpp"

#include "common/files/file.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

constexpr std::uint64_t kPieceBytes = 256 * 1024;

class FileProducer final : public http::BodyProducer {
  public:
    FileProducer(async::BlockingPool& pool, files::File file, std::uint64_t size)
        : pool_(pool), file_(std::move(file)), size_(size) {}

    asio::awaitable<Status> produce(http::BodyWriter& writer) override {
        for (std::uint64_t at = 0; at < size_;) {
            std::string piece(static_cast<std::size_t>(std::min(kPieceBytes, size_ - at)), '\0');
            auto read = [this, at, &piece] { return file_.blocking_read_at(at, piece); };
            const Status filled = co_await pool_.run(read);
            if (!filled) co_return filled;
            at += piece.size();
            const Status written = co_await writer.write(piece);
            if (!written) co_return written;
        }
        co_return Status();
    }

  private:
    async::BlockingPool& pool_;
    files::File file_;
    std::uint64_t size_;
};

struct Opened {
    files::File file;
    std::uint64_t size = 0;
};

Result<std::shared_ptr<Opened>> blocking_open(const std::filesystem::path& path) {
    auto file = files::File::blocking_open(path, files::File::Mode::read);
    if (!file) return file.error();
    const auto size = file->blocking_size();
    if (!size) return size.error();
    return std::make_shared<Opened>(Opened{std::move(*file), *size});
}

}  // namespace

asio::awaitable<Result<http::Reply>> file_reply(async::BlockingPool& pool,
                                                std::filesystem::path path,
                                                std::string content_type) {
    auto open = [&path] { return blocking_open(path); };
    const auto opened = co_await pool.run(open);
    if (!opened) co_return opened.error();
    auto producer =
        std::make_unique<FileProducer>(pool, std::move((*opened)->file), (*opened)->size);
    co_return http::Reply::stream(std::move(content_type), std::move(producer));
}

}  // namespace evalfleet::api
