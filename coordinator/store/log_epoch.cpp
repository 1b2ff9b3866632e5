#include "coordinator/store/log_epoch.hpp"

#include "common/files/atomic_file.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"

namespace evalfleet::store {

namespace {

constexpr std::uint64_t kMaxBytes = 4096;

}  // namespace

std::filesystem::path epoch_file_of(const std::filesystem::path& log) {
    return log.string() + ".epoch";
}

std::optional<LogEpoch> blocking_read_epoch(const std::filesystem::path& log) {
    const auto text = files::blocking_read_file(epoch_file_of(log), kMaxBytes);
    if (!text) return std::nullopt;
    const auto document = json::Document::parse(*text);
    if (!document) return std::nullopt;
    const auto epoch = document->root().get<std::uint64_t>("epoch");
    const auto log_bytes = document->root().get<std::uint64_t>("log_bytes");
    if (!epoch || !log_bytes) return std::nullopt;
    return LogEpoch{*epoch, *log_bytes};
}

Status blocking_write_epoch(const std::filesystem::path& log, const LogEpoch& epoch) {
    std::string text;
    json::Writer writer(text);
    writer.begin_object()
        .member("epoch", epoch.epoch)
        .member("log_bytes", epoch.log_bytes)
        .end_object();
    return files::blocking_write_atomically(epoch_file_of(log), text + "\n");
}

}  // namespace evalfleet::store
