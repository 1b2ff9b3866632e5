#include "common/redaction/assignment_parts.hpp"

namespace evalfleet::redaction {
namespace {

Kind kind_for(NameKind name) {
    return name == NameKind::cloud ? Kind::cloud_key : Kind::credential;
}

}  // namespace

Found judged(Scan& scan, NameKind name, Value value) {
    if (!read_value(scan, value) || !is_secret_value(scan, name, value)) return {};
    read_rest(scan, value);
    return Match{value.begin, value.end, kind_for(name)};
}

std::string_view word_before(Scan& scan, std::size_t end, std::size_t& begin) {
    end = scan.run_back(end, kMaxGap, is_filler);
    begin = scan.run_back(end, kMaxName, is_name_char);
    return scan.text().substr(begin, end - begin);
}

NameKind classify_in_text(Scan& scan, std::size_t begin, std::string_view name) {
    const NameKind kind = classify_name(name);
    if (kind != NameKind::key || name.size() != 3 || scan.before(begin) != ' ') return kind;
    const std::size_t word = scan.run_back(begin - 1, 16, is_letter);
    return classify_name(scan.text().substr(word, begin + name.size() - word));
}

std::string lower_before(Scan& scan, std::size_t i) {
    constexpr std::size_t kReach = 64;
    const std::size_t begin = scan.run_back(i, kReach, [](char) { return true; });
    std::string before;
    for (const char c : scan.text().substr(begin, i - begin))
        before += to_lower(c);
    return before;
}

}  // namespace evalfleet::redaction
