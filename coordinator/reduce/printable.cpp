#include "coordinator/reduce/printable.hpp"

namespace evalfleet::reduce {

std::string printable(std::string_view name) {
    std::string out;
    out.reserve(name.size());
    for (std::size_t i = 0; i < name.size(); ++i) {
        const auto byte = static_cast<unsigned char>(name[i]);
        const auto next = i + 1 < name.size() ? static_cast<unsigned char>(name[i + 1]) : 0U;
        if (byte < 0x20 || byte == 0x7F) {
            out += '?';
        } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {
            out += '?';
            ++i;
        } else {
            out += name[i];
        }
    }
    return out;
}

}  // namespace evalfleet::reduce
