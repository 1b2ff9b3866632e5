#pragma once

#include <random>
#include <string>
#include <string_view>

namespace evalfleet::testing {

/// Draws texts, the same on every machine.
class Draw {
  public:
    explicit Draw(unsigned seed) : random_(seed) {}

    std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
    int number(int low, int high) {
        return low + static_cast<int>(below(static_cast<std::size_t>(high - low + 1)));
    }
    std::string of(std::string_view alphabet, std::size_t n) {
        std::string text;
        while (text.size() < n)
            text += alphabet[below(alphabet.size())];
        return text;
    }
    std::string digits(std::size_t n) { return of("0123456789", n); }
    std::string hex(std::size_t n) { return of("0123456789abcdef", n); }
    std::string upper(std::size_t n) { return of("ABCDEFGHIJKLMNOPQRSTUVWXYZ", n); }
    std::string lower(std::size_t n) { return of("abcdefghijklmnopqrstuvwxyz", n); }
    std::string base64(std::size_t n) {
        return of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", n);
    }
    /// Letters and digits, a digit among them.
    std::string key(std::size_t n) {
        std::string text = of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", n);
        text[n / 2] = '7';
        return text;
    }
    std::string upper_key(std::size_t n) {
        std::string text = of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", n);
        text[n / 2] = '7';
        return text;
    }
    template <class List>
    std::string one_of(const List& list) {
        return std::string(
            *(std::begin(list) + static_cast<std::ptrdiff_t>(below(std::size(list)))));
    }

  private:
    std::mt19937_64 random_;
};

}  // namespace evalfleet::testing
