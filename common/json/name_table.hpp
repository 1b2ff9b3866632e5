#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace evalfleet::json {

/// Finds a name's place among a schema's names: by its two ends, which tell names of one schema
/// apart nearly always, and up to 16 bytes are the whole name.
class NameTable {
  public:
    static constexpr std::size_t kMostNames = 200;

    /// The texts must outlive the table. Throws std::logic_error for more than `kMostNames`.
    explicit NameTable(std::span<const std::string_view> names);

    /// `size()` if it is not there. Eight bytes from the beginning of the name must be readable,
    /// however short it is.
    [[nodiscard]] std::size_t find(std::string_view name) const noexcept;

    [[nodiscard]] std::string_view name(std::size_t i) const noexcept { return names_[i]; }
    [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }

  private:
    struct Ends {
        std::uint64_t head = 0;
        std::uint64_t tail = 0;
        std::size_t size = 0;

        bool operator==(const Ends&) const = default;
        [[nodiscard]] static Ends of(std::string_view name) noexcept;
        [[nodiscard]] std::size_t slot() const noexcept;
    };

    static constexpr int kBits = 10;

    std::vector<std::string_view> names_;
    std::vector<Ends> ends_;
    std::array<std::uint8_t, std::size_t{1} << kBits> slots_{};
};

}  // namespace evalfleet::json
