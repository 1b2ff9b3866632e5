#include "common/job/manifest.hpp"

#include "common/job/sha256.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>

namespace evalfleet::job {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 16;
constexpr std::size_t kHashHexDigits = 64;

bool is_hash(std::string_view text) {
    return text.size() == kHashHexDigits && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

/// A manifest speaks only about files directly in its folder.
bool is_plain_name(std::string_view name) {
    return !name.empty() && name != "." && name != ".." &&
           name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
    Sha256 hash;
    hash.add(bytes);
    return hash.hex();
}

Result<std::string> blocking_sha256_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return Error{ErrorKind::not_found, fmt::format("{}: cannot be opened", file.string())};
    Sha256 hash;
    std::string piece(kPieceBytes, '\0');
    while (in) {
        in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        hash.add({piece.data(), static_cast<std::size_t>(in.gcount())});
    }
    if (in.bad())
        return Error{ErrorKind::internal, fmt::format("{}: cannot be read", file.string())};
    return hash.hex();
}

Result<Manifest> blocking_make_manifest(const std::filesystem::path& folder) {
    std::error_code failure;
    Manifest manifest;
    std::filesystem::directory_iterator entry(folder, failure);
    for (; !failure && entry != end(entry); entry.increment(failure)) {
        const std::string name = entry->path().filename().string();
        if (name == kManifestName || name == kReviewsName || !entry->is_regular_file(failure))
            continue;
        auto hash = blocking_sha256_file(entry->path());
        if (!hash) return hash.error();
        manifest.sha256[name] = *std::move(hash);
    }
    if (failure) {
        return Error{ErrorKind::not_found,
                     fmt::format("{}: {}", folder.string(), failure.message())};
    }
    return manifest;
}

Result<std::vector<std::string>> blocking_check_manifest(const std::filesystem::path& folder,
                                                         const Manifest& manifest) {
    const auto actual = blocking_make_manifest(folder);
    if (!actual) return actual.error();
    std::vector<std::string> differences;
    for (const auto& [name, hash] : manifest.sha256) {
        const auto found = actual->sha256.find(name);
        if (found == actual->sha256.end()) {
            differences.push_back(fmt::format("{}: in the manifest, but not in the folder", name));
        } else if (found->second != hash) {
            differences.push_back(
                fmt::format("{}: sha256 is {}, in the manifest {}", name, found->second, hash));
        }
    }
    for (const auto& [name, hash] : actual->sha256) {
        if (!manifest.sha256.contains(name)) {
            differences.push_back(fmt::format("{}: in the folder, but not in the manifest", name));
        }
    }
    return differences;
}

Result<Manifest> parse_manifest(std::string_view json) {
    const auto document = json::Document::parse(json);
    if (!document) return document.error();
    const auto files = document->root().get<json::Object>("sha256");
    if (!files) return files.error();
    Manifest manifest;
    for (const auto [name, value] : *files) {
        const auto hash = value.as_string();
        if (!hash || !is_hash(*hash)) return value.unexpected("64 hex digits");
        if (!is_plain_name(name)) return value.error("is not the name of a file in the folder");
        manifest.sha256[std::string(name)] = *hash;
    }
    return manifest;
}

std::string to_json(const Manifest& manifest) {
    std::string out;
    json::Writer writer(out, json::Layout::pretty);
    writer.begin_object().key("sha256").begin_object();
    for (const auto& [name, hash] : manifest.sha256)
        writer.member(name, hash);
    writer.end_object().end_object();
    out += '\n';
    return out;
}

}  // namespace evalfleet::job
