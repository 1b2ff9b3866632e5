#include "common/job/baseline_verdict.hpp"

#include "common/files/file.hpp"
#include "common/json/document.hpp"

namespace evalfleet::job {

namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{64} * 1024 * 1024;

Result<BaselineVerdict> blocking_read(const std::filesystem::path& file) {
    const auto text = files::blocking_read_file(file, kMaxFileBytes);
    if (!text) return text.error();
    return parse_baseline_verdict(*text);
}

}  // namespace

Result<BaselineVerdict> parse_baseline_verdict(std::string_view regression_json) {
    const auto document = json::Document::parse(regression_json);
    if (!document) return document.error();
    const auto passed = document->root().get<bool>("passed");
    if (!passed) return passed.error();
    auto text = document->root().get<std::string>("verdict");
    if (!text) return text.error();
    // Files of before there was such a member do not tell it apart.
    const auto decision = document->root().get_or<std::string>("decision", "");
    if (!decision) return decision.error();
    return BaselineVerdict{*passed, std::move(*text), *decision != "cannot_tell"};
}

std::optional<BaselineVerdict> blocking_read_baseline_verdict(const std::filesystem::path& folder,
                                                              const RunMetadata& metadata) {
    if (!metadata.baseline || !metadata.baseline_run_id) return std::nullopt;
    auto verdict = blocking_read(folder / kRegressionName);
    if (verdict) return std::move(*verdict);
    return BaselineVerdict{false,
                           "not known to be as good as the baseline " + *metadata.baseline + ": " +
                               verdict.error().message,
                           false};
}

}  // namespace evalfleet::job
