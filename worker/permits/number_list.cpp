#include "worker/permits/number_list.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>

namespace evalfleet::worker {

void NumberWriter::operator()(double number) {
    if (!text_.empty()) text_ += ',';
    fmt::format_to(std::back_inserter(text_), "{}", number);
}

void NumberReader::operator()(double& number) {
    if (!is_good_) return;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    is_good_ = error == std::errc() && std::isfinite(number);
    if (!is_good_) return;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    if (text_.empty()) return;
    is_good_ = text_.front() == ',' && text_.size() > 1;
    text_.remove_prefix(1);
}

}  // namespace evalfleet::worker
