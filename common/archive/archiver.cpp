#include "common/archive/archiver.hpp"

#include "common/archive/folder_store.hpp"
#include "common/archive/s3_store.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace evalfleet::archive {

namespace asio = boost::asio;
namespace fs = std::filesystem;

struct Archiver::Stores {
    std::optional<S3Bucket> bucket;
    std::unique_ptr<Store> store;
};

Archiver::Archiver(const asio::any_io_executor& executor, async::Clock& clock,
                   async::BlockingPool& pool, const Target& target, S3Access access,
                   std::uint64_t part_bytes)
    : pool_(pool), stores_(std::make_unique<Stores>()) {
    if (target.is_bucket()) {
        stores_->bucket.emplace(executor, clock, pool, std::move(access), target);
        stores_->store = std::make_unique<S3Store>(*stores_->bucket, pool, part_bytes);
    } else {
        stores_->store = std::make_unique<FolderStore>(target.folder, pool);
    }
}

Archiver::~Archiver() = default;

asio::awaitable<Result<Archived>> Archiver::put(std::string run_id, fs::path folder,
                                                bool read_back) {
    auto list = [&folder] { return blocking_list_run_files(folder); };
    const auto files = co_await pool_.run(list);
    if (!files) co_return files.error();
    Archived done;
    for (const RunFile& file : *files) {
        const std::string name = run_id + "/" + file.name;
        const Status put = co_await put_file(name, file, folder / file.name, read_back, done);
        if (!put) co_return put.error();
        ++done.files;
    }
    co_return done;
}

asio::awaitable<Status> Archiver::put_file(const std::string& name, const RunFile& file,
                                           fs::path source, bool read_back, Archived& done) {
    Store& store = *stores_->store;
    const auto had = co_await store.has(name, file);
    if (!had) co_return had.error();
    if (!*had) {
        const Status put = co_await store.put(name, file, std::move(source));
        if (!put) co_return put;
        const auto has = co_await store.has(name, file);
        if (!has) co_return has.error();
        if (!*has)
            co_return Error{ErrorKind::transient, name + ": is there and is not what was sent"};
        ++done.sent;
        done.bytes += file.bytes;
    }
    if (!read_back) co_return Status();
    const auto hash = co_await store.hash(name, file);
    if (!hash) co_return hash.error();
    if (*hash == file.sha256) co_return Status();
    co_return Error{ErrorKind::invalid, name + ": was read back with another content"};
}

}  // namespace evalfleet::archive
