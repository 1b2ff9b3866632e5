#include "cli/simulator/completion.hpp"

#include <algorithm>

namespace evalfleet::simulator {

std::string simulated_name(std::string_view model) {
    std::string name = "simulated/";
    return name.append(model);
}

std::vector<std::string_view> cut_into_pieces(std::string_view text, std::size_t max_pieces) {
    std::vector<std::string_view> pieces;
    const std::size_t least = text.size() / std::max<std::size_t>(max_pieces, 1);
    const auto is_inside = [&](std::size_t at) {
        return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
    };
    while (!text.empty()) {
        // A blank begins the next piece, as it does with tokens.
        std::size_t end = std::min(text.find(' ', std::max<std::size_t>(least, 1)), text.size());
        if (pieces.size() + 1 >= max_pieces) end = text.size();
        while (end < text.size() && is_inside(end))
            ++end;
        pieces.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return pieces;
}

}  // namespace evalfleet::simulator
