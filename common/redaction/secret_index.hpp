#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::redaction {

/// Finds every occurrence of many fixed strings in one pass, whatever their number: the classic
/// automaton of Aho and Corasick, with bytes folded into the classes that the strings tell apart.
/// Immutable after construction, so any number of threads may search at once.
class SecretIndex {
  public:
    struct Span {
        std::size_t begin;
        std::size_t end;
    };

    explicit SecretIndex(std::span<const std::string> needles);

    [[nodiscard]] bool empty() const noexcept { return states_ <= 1; }

    /// The parts of `text` covered by needles, in order; those that overlap are joined into one.
    [[nodiscard]] std::vector<Span> find(std::string_view text) const;

  private:
    using State = std::uint32_t;

    State add_state();
    void insert(std::string_view needle);
    void link();
    void pack();
    [[nodiscard]] State& next(State state, std::size_t byte_class) {
        return next_[state * classes_ + byte_class];
    }

    std::array<std::uint16_t, 256> class_of_{};  ///< 0: stands in no needle
    std::size_t classes_ = 1;
    std::size_t states_ = 0;
    std::vector<State> next_;             ///< states x classes; packed once linked, see link()
    std::vector<std::uint32_t> matched_;  ///< length of the longest needle ending here, or 0
    std::array<bool, 256> starts_{};      ///< bytes that lead out of the first state
};

/// The texts under which a secret value may show up: as it is, inside a JSON string,
/// percent-encoded, in hex, and within base64 at each of the three alignments (so also as the
/// password of basic authentication). Other escapes are resolved before the text is searched.
[[nodiscard]] std::vector<std::string> secret_forms(std::string_view secret);

}  // namespace evalfleet::redaction
