#include "cli/text_file.hpp"

#include "common/config/yaml.hpp"
#include "common/job/policy_json.hpp"
#include "common/runfile/yaml_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace evalfleet::cli {

namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{64} * 1024 * 1024;
constexpr std::size_t kPieceBytes = std::size_t{1} << 16;

struct Closer {
    void operator()(std::FILE* file) const {
        if (file != stdin) std::fclose(file);
    }
};

}  // namespace

Result<std::string> read_text_file(const std::string& file) {
    const std::unique_ptr<std::FILE, Closer> in(file == "-" ? stdin
                                                            : std::fopen(file.c_str(), "rbe"));
    if (!in) {
        return Error{ErrorKind::not_found, fmt::format("{}: {}", file, std::strerror(errno))};
    }
    std::string text;
    std::string piece(kPieceBytes, '\0');
    while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), in.get())) {
        text.append(piece, 0, count);
        if (text.size() > kMaxFileBytes) {
            return Error{ErrorKind::too_large, fmt::format("{}: larger than 64 MiB", file)};
        }
    }
    if (std::ferror(in.get()) != 0) {
        return Error{ErrorKind::not_found, fmt::format("{}: {}", file, std::strerror(errno))};
    }
    return text;
}

Error in_file(const std::string& file, const Error& error) {
    constexpr std::string_view kLine = "line ";
    Error located = error;
    const std::string_view message = error.message;
    const std::size_t comma = message.find(", column ");
    if (message.starts_with(kLine) && comma != std::string_view::npos) {
        located.message =
            fmt::format("{}:{}: {}", file, message.substr(kLine.size(), comma - kLine.size()),
                        message.substr(comma + 2));
    } else {
        located.message = fmt::format("{}: {}", file, message);
    }
    return located;
}

namespace {

/// A reader of JSON does not know lines; the path that its faults begin with leads back to them.
Error locate(const std::string& file, const std::string& text, const Error& error) {
    const auto root = config::read_yaml(text, file);
    if (!root) return in_file(file, error);
    std::string located;
    std::string_view rest = error.message;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string fault(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const runfile::PlacedMessage placed = runfile::place_message(*root, fault);
        located += located.empty() ? "" : "\n";
        located += placed.node.path().empty() ? in_file(file, {error.kind, fault}).message
                                              : placed.node.error(placed.message).message;
    }
    return {error.kind, located};
}

}  // namespace

Result<job::Policy> read_policy_file(const std::optional<std::string>& file) {
    if (!file) return job::Policy{};
    const auto text = read_text_file(*file);
    if (!text) return text.error();
    auto policy = job::parse_policy(*text);
    if (!policy) return locate(*file, *text, policy.error());
    return policy;
}

}  // namespace evalfleet::cli
