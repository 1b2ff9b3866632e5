#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::worker {

/// The generation parameters that models of one provider turned out to refuse, so that one call
/// finds out and not each. Safe to use from any thread.
class RefusedParameters {
  public:
    /// By the run file's names, in the order in which they were found.
    [[nodiscard]] std::vector<std::string> of(std::string_view model) const;

    /// False if it was known before, or if there are more models than anybody has (1,024).
    bool add(std::string_view model, std::string_view parameter);

  private:
    mutable std::mutex mutex_;
    std::map<std::string, std::vector<std::string>, std::less<>> models_;
};

}  // namespace evalfleet::worker
