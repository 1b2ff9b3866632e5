#include "common/archive/target.hpp"

#include <algorithm>

namespace evalfleet::archive {

namespace {

constexpr std::string_view kScheme = "s3://";
constexpr std::size_t kMaxPrefix = 512;

// As S3 has them; other services allow no more.
bool is_bucket_name(std::string_view name) {
    const auto is_edge = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    return name.size() >= 3 && name.size() <= 63 && is_edge(name.front()) && is_edge(name.back()) &&
           std::ranges::all_of(
               name, [&](char c) { return is_edge(c) || c == '-' || c == '.' || c == '_'; });
}

// No empty parts, and none that a path would take for a way up.
bool is_prefix(std::string_view prefix) {
    if (prefix.size() > kMaxPrefix) return false;
    while (!prefix.empty()) {
        const auto part = prefix.substr(0, prefix.find('/'));
        if (part.empty() || part == "." || part == "..") return false;
        if (std::ranges::any_of(part, [](unsigned char c) { return c < ' ' || c == 127; }))
            return false;
        prefix.remove_prefix(std::min(part.size() + 1, prefix.size()));
    }
    return true;
}

}  // namespace

std::string Target::name(std::string_view more) const {
    std::string text = is_bucket() ? std::string(kScheme) + bucket : folder.string();
    if (is_bucket() && !prefix.empty()) text += "/" + prefix;
    if (!more.empty()) text += (text.ends_with('/') ? "" : "/") + std::string(more);
    return text;
}

Result<Target> parse_target(std::string_view text) {
    if (text.empty())
        return Error{ErrorKind::invalid, "found '', allowed: s3://BUCKET/PREFIX or a folder"};
    Target target;
    if (!text.starts_with(kScheme)) {
        if (text.find("://") != std::string_view::npos)
            return Error{ErrorKind::invalid, "found '" + std::string(text) +
                                                 "', allowed: s3://BUCKET/PREFIX or a folder"};
        target.folder = text;
        return target;
    }
    std::string_view rest = text.substr(kScheme.size());
    target.bucket = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(target.bucket.size() + 1, rest.size()));
    while (rest.ends_with('/'))
        rest.remove_suffix(1);
    target.prefix = rest;
    if (is_bucket_name(target.bucket) && is_prefix(target.prefix)) return target;
    return Error{ErrorKind::invalid,
                 "found '" + std::string(text) +
                     "', allowed: s3://BUCKET or s3://BUCKET/PREFIX, the bucket of 3 to 63 "
                     "lower-case letters, digits, - and ."};
}

}  // namespace evalfleet::archive
