#pragma once

#include "common/result/result.hpp"

#include <filesystem>
#include <vector>

namespace evalfleet::coordinator {

/// Run folders from anywhere, put together so that they look like a store: links to their files in
/// a folder of its own, which goes with this object. Nothing in the run folders is changed, except
/// that reviews are appended to their `reviews.jsonl`.
class ViewStore {
  public:
    /// Each may be the folder of a run, one with folders of runs in it (as of a group), or a store.
    /// `invalid` names the folder in which there is no run. Blocks.
    [[nodiscard]] static Result<ViewStore> blocking_make(
        const std::vector<std::filesystem::path>& folders);

    ViewStore(ViewStore&& other) noexcept;
    ViewStore& operator=(ViewStore&&) = delete;
    ~ViewStore();

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] std::size_t runs() const noexcept { return runs_; }

  private:
    explicit ViewStore(std::filesystem::path path) : path_(std::move(path)) {}

    [[nodiscard]] Status blocking_add(const std::filesystem::path& folder);
    [[nodiscard]] Status blocking_link(const std::filesystem::path& run);

    std::filesystem::path path_;
    std::size_t runs_ = 0;
};

}  // namespace evalfleet::coordinator
