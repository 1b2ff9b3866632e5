#pragma once

#include <string>
#include <string_view>

namespace evalfleet::queue {

/// The names of the keys of one pool, spelt here and in functions/base.lua and nowhere else. They
/// share one hash tag, so that in a cluster one slot holds the pool.
class Keys {
  public:
    explicit Keys(std::string_view pool = "main");

    /// What every function gets as its key.
    [[nodiscard]] const std::string& base() const noexcept { return base_; }
    [[nodiscard]] std::string run(std::string_view run_id) const;
    [[nodiscard]] std::string jobs(std::string_view run_id) const;
    [[nodiscard]] std::string ready(std::string_view run_id) const;
    [[nodiscard]] std::string results(std::string_view run_id) const;
    [[nodiscard]] std::string wake() const;

  private:
    std::string base_;
};

/// True if a run may be called so: letters, digits, dots, dashes, underscores; 1 to 64 of them.
/// The id becomes part of keys, paths and URLs.
[[nodiscard]] bool is_run_id(std::string_view id) noexcept;

}  // namespace evalfleet::queue
