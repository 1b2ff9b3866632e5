#pragma once

#include "common/result/result.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::job {

/// The hash of every file of a run's folder: `manifest.json`. Whoever keeps its own hash can prove
/// later that nothing in the folder was changed.
struct Manifest {
    std::map<std::string, std::string> sha256;  ///< by file name, in lower-case hex
    bool operator==(const Manifest&) const = default;
};

inline constexpr std::string_view kManifestName = "manifest.json";
/// What people say of a run's trials. It grows after the run, so no manifest speaks of it.
inline constexpr std::string_view kReviewsName = "reviews.jsonl";

/// Lower-case hex of the SHA-256 of a text.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

/// The same of a file, read in pieces.
[[nodiscard]] Result<std::string> blocking_sha256_file(const std::filesystem::path& file);

/// The manifest of every regular file directly in `folder`, manifest and reviews aside.
[[nodiscard]] Result<Manifest> blocking_make_manifest(const std::filesystem::path& folder);

/// Everything in which a folder differs from its manifest, one sentence each; empty if nothing
/// does.
[[nodiscard]] Result<std::vector<std::string>> blocking_check_manifest(
    const std::filesystem::path& folder, const Manifest& manifest);

[[nodiscard]] Result<Manifest> parse_manifest(std::string_view json);

/// The text of `manifest.json`: names in order, with a line feed at the end.
[[nodiscard]] std::string to_json(const Manifest& manifest);

}  // namespace evalfleet::job
