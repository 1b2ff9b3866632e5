#include "common/redaction/identifier.hpp"

#include "common/redaction/finder.hpp"

#include <algorithm>

namespace evalfleet::redaction {
namespace {

/// A run of letters and digits, or of whatever else is beyond ASCII.
struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool has_letter = false;
};

bool is_of_part(char c) {
    return is_alnum(c) || static_cast<unsigned char>(c) >= 0x80;
}

/// Separators of names; one between two numbers may be of a telephone number or an address.
bool joins_parts(char c) {
    return c == '-' || c == '_' || c == '/' || c == ':' || c == '.';
}

Part part_from(std::string_view name, std::size_t begin) {
    Part part{begin, begin, false};
    while (part.end < name.size() && is_of_part(name[part.end]))
        part.has_letter = !is_digit(name[part.end++]) || part.has_letter;
    return part;
}

/// The letters of `r617` or `q4111111111111111`: such as no hex number has, and behind them a
/// number that goes on, or that is long enough for a card. Two letters may be those of an account,
/// and `v1` begins a version.
std::size_t letters_before_number(std::string_view part) {
    constexpr std::size_t kMostOfGroup = 4;
    constexpr std::size_t kLeastOfCard = 13;
    const auto digits = std::find_if(part.begin(), part.end(), is_digit);
    const auto letters = static_cast<std::size_t>(digits - part.begin());
    const std::size_t size = part.size() - letters;
    if (letters == 0 || !std::all_of(digits, part.end(), is_digit)) return 0;
    if (size > kMostOfGroup && (size < kLeastOfCard || letters == 2)) return 0;
    const bool word = std::any_of(part.begin(), digits, [](char c) { return to_lower(c) > 'f'; });
    return word && to_lower(part[letters - 1]) != 'v' ? letters : 0;
}

class Spreader {
  public:
    explicit Spreader(std::string_view name) : name_(name), out_(name) {}

    std::string run() && {
        for (std::size_t i = 0; i < name_.size();) {
            if (const std::size_t size = replacement_size(name_.substr(i)); size != 0) {
                i += size;
                previous_ = {};
            } else if (is_of_part(name_[i])) {
                i = take(part_from(name_, i));
            } else {
                ++i;
            }
        }
        return std::move(out_);
    }

  private:
    std::size_t take(Part part) {
        separate(previous_, part);
        const std::size_t letters =
            letters_before_number(name_.substr(part.begin, part.end - part.begin));
        if (letters != 0) {
            std::fill_n(out_.begin() + static_cast<std::ptrdiff_t>(part.begin), letters, '\n');
            part.has_letter = false;
        }
        previous_ = part;
        return part.end;
    }

    /// What stands between two parts that touch by one separator.
    void separate(const Part& left, const Part& right) {
        if (left.end == 0 || right.begin != left.end + 1 || !joins_parts(name_[left.end])) return;
        char& separator = out_[left.end];
        if (left.has_letter || right.has_letter)
            separator = '\n';
        else if (separator == '_')
            separator = '-';
    }

    std::string_view name_;
    std::string out_;
    Part previous_;
};

}  // namespace

std::string with_numbers_apart(std::string_view name) {
    return Spreader(name).run();
}

}  // namespace evalfleet::redaction
