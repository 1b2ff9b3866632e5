#include "coordinator/api/heavy_jobs.hpp"

#include <system_error>

namespace evalfleet::api {

namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

std::uint64_t blocking_record_bytes(const store::RunFolder& folder) {
    std::error_code code;
    const auto bytes = fs::file_size(folder.file("records.jsonl"), code);
    return code ? 0 : bytes;
}

}  // namespace

fs::path record_index_of(const store::RunFolder& folder) {
    return folder.path() / "work" / "records.index";
}

asio::awaitable<async::HeavyPool::Job> reading_of(Services& services,
                                                  std::vector<std::string> run_ids) {
    async::HeavyPool::Job job{run_ids.front()};
    auto measure = [&] {
        std::uint64_t bytes = 0;
        for (const std::string& id : run_ids)
            bytes += blocking_record_bytes(services.catalog.folder(id));
        return bytes;
    };
    job.bytes = co_await services.quick_pool.run(measure);
    co_return job;
}

asio::awaitable<async::HeavyPool::Job> searching_of(Services& services, std::string run_id) {
    async::HeavyPool::Job job{run_id};
    auto measure = [&]() -> std::uint64_t {
        const store::RunFolder folder = services.catalog.folder(run_id);
        std::error_code code;
        if (fs::exists(record_index_of(folder), code)) return 0;
        return blocking_record_bytes(folder);
    };
    job.bytes = co_await services.quick_pool.run(measure);
    co_return job;
}

}  // namespace evalfleet::api
