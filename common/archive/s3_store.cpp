#include "common/archive/s3_store.hpp"

#include "common/files/file.hpp"
#include "common/job/manifest.hpp"
#include "common/job/sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <utility>

namespace evalfleet::archive {

namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxParts = 10'000;

/// What the ETag of a part is, with its quotes, unless the service encrypts with keys of its own.
std::string md5_etag(std::string_view bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_md5(), nullptr) != 1)
        throw std::runtime_error("OpenSSL cannot compute MD5");
    std::string hex = "\"";
    for (unsigned i = 0; i < size; ++i)
        hex += fmt::format("{:02x}", digest[i]);
    return hex + "\"";
}

Result<std::string> blocking_read(const fs::path& source, std::uint64_t at, std::uint64_t bytes) {
    const auto file = files::File::blocking_open(source, files::File::Mode::read);
    if (!file) return file.error();
    std::string piece(static_cast<std::size_t>(bytes), '\0');
    if (const Status read = file->blocking_read_at(at, std::span(piece)); !read)
        return read.error();
    return piece;
}

Error changed(const fs::path& source) {
    return {ErrorKind::transient, source.string() + ": was changed while it was read"};
}

}  // namespace

std::uint64_t part_bytes_of(std::uint64_t file_bytes) noexcept {
    return std::max(kPartBytes, (file_bytes + kMaxParts - 1) / kMaxParts);
}

asio::awaitable<Result<bool>> S3Store::has(const std::string& name, const RunFile& file) {
    const auto facts = co_await bucket_.head(name);
    if (!facts) co_return facts.error();
    co_return *facts && (*facts)->bytes == file.bytes && (*facts)->sha256 == file.sha256;
}

asio::awaitable<Result<std::string>> S3Store::read(fs::path source, std::uint64_t at,
                                                   std::uint64_t bytes) {
    auto work = [&] { return blocking_read(source, at, bytes); };
    co_return co_await pool_.run(work);
}

asio::awaitable<Status> S3Store::put(const std::string& name, const RunFile& file,
                                     fs::path source) {
    if (file.bytes <= (part_bytes_ > 0 ? part_bytes_ : part_bytes_of(file.bytes))) {
        auto body = co_await read(source, 0, file.bytes);
        if (!body) co_return body.error();
        // The service would refuse it for its hash; this says why.
        if (job::sha256_hex(*body) != file.sha256) co_return changed(source);
        co_return co_await bucket_.put(name, std::move(*body), file.sha256);
    }
    for (bool is_second = false;; is_second = true) {
        auto upload = co_await take_up(name, file);
        if (!upload) co_return upload.error();
        const bool was_new = upload->is_new;
        const Status done = co_await put_parts(name, file, source, std::move(*upload));
        if (!done) co_return done;
        const auto is_there = co_await has(name, file);
        if (!is_there) co_return is_there.error();
        if (*is_there) co_return Status();
        // It was begun for another content, whose hash stands beside it now; once more from anew.
        if (was_new || is_second) {
            co_return Error{ErrorKind::transient,
                            name + ": is there and is not what was sent; trying again later"};
        }
    }
}

asio::awaitable<Result<S3Store::Upload>> S3Store::take_up(const std::string& name,
                                                          const RunFile& file) {
    Upload upload;
    const auto begun = co_await bucket_.find_unfinished(name);
    // Who may not list begins anew.
    if (begun && *begun) {
        auto parts = co_await bucket_.parts(name, **begun);
        if (parts) {
            upload = {**begun, std::move(*parts), false};
            co_return upload;
        }
        if (parts.error().kind != ErrorKind::not_found) co_return parts.error();
    }
    auto id = co_await bucket_.begin_upload(name, file.sha256);
    if (!id) co_return id.error();
    upload.id = std::move(*id);
    co_return upload;
}

asio::awaitable<Status> S3Store::put_parts(const std::string& name, const RunFile& file,
                                           fs::path source, Upload upload) {
    const std::uint64_t size = part_bytes_ > 0 ? part_bytes_ : part_bytes_of(file.bytes);
    job::Sha256 whole;
    std::map<std::uint64_t, Part> parts;
    for (std::uint64_t number = 1, at = 0; at < file.bytes; ++number, at += size) {
        const std::uint64_t bytes = std::min(size, file.bytes - at);
        auto piece = co_await read(source, at, bytes);
        if (!piece) co_return piece.error();
        auto hash = [&] {
            whole.add(*piece);
            return md5_etag(*piece);
        };
        const std::string etag = co_await pool_.run(hash);
        const auto had = upload.parts.find(number);
        if (had != upload.parts.end() && had->second.bytes == bytes && had->second.etag == etag) {
            parts[number] = had->second;
            continue;
        }
        auto sent = co_await bucket_.put_part(name, upload.id, number, std::move(*piece));
        if (!sent) co_return sent.error();
        parts[number] = std::move(*sent);
    }
    if (whole.hex() != file.sha256) {
        const Status ignored = co_await bucket_.drop_upload(name, upload.id);
        co_return ignored ? changed(source) : Status(ignored);
    }
    co_return co_await bucket_.finish_upload(name, upload.id, std::move(parts));
}

asio::awaitable<Result<std::string>> S3Store::hash(const std::string& name, const RunFile& file) {
    job::Sha256 whole;
    for (std::uint64_t at = 0; at < file.bytes; at += kPartBytes) {
        const std::uint64_t bytes = std::min(kPartBytes, file.bytes - at);
        const auto piece = co_await bucket_.get_range(name, at, bytes);
        if (!piece) co_return piece.error();
        if (piece->size() != bytes)
            co_return Error{ErrorKind::invalid, name + ": the bucket gave another part of it"};
        whole.add(*piece);
    }
    co_return whole.hex();
}

}  // namespace evalfleet::archive
