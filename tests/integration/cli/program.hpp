#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace evalfleet::test {

/// What a program that has ended leaves behind.
struct Outcome {
    int exit_code = -1;  ///< 128 + signal if it was killed
    std::string out;
    std::string err;
};

/// Runs the evalfleet program of this build with these arguments and waits for it.
[[nodiscard]] Outcome evalfleet(const std::vector<std::string>& arguments,
                                const std::string& standard_input = {});

/// A folder of its own for one test, removed with everything in it at the end.
class ScratchFolder {
  public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    /// Writes a file and returns its name.
    std::string put(const std::string& name, const std::string& text) const;
    [[nodiscard]] std::string file(const std::string& name) const;
    [[nodiscard]] std::vector<std::string> names() const;

  private:
    std::filesystem::path path_;
};

}  // namespace evalfleet::test
