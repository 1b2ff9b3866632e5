#include "coordinator/store/store_id.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"

#include <algorithm>
#include <random>

namespace evalfleet::store {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLength = 32;
constexpr std::string_view kDigits = "0123456789abcdef";

fs::path file_of(const fs::path& store) {
    return store / "id";
}

bool is_store_id(std::string_view text) {
    return text.size() == kLength && std::all_of(text.begin(), text.end(), [](char c) {
               return kDigits.find(c) != std::string_view::npos;
           });
}

std::string make_id() {
    std::random_device random;
    std::string id;
    while (id.size() < kLength)
        id.push_back(kDigits[random() % kDigits.size()]);
    return id;
}

}  // namespace

Result<std::string> blocking_read_store_id(const fs::path& store) {
    auto text = files::blocking_read_file(file_of(store), 2 * kLength);
    if (!text) return text.error();
    text->resize(std::min(text->size(), text->find('\n')));
    if (is_store_id(*text)) return text;
    return Error{ErrorKind::invalid, file_of(store).string() + ": found '" + *text +
                                         "', allowed: 32 digits of base 16"};
}

Result<std::string> blocking_make_store_id(const fs::path& store) {
    auto known = blocking_read_store_id(store);
    if (known || known.error().kind != ErrorKind::not_found) return known;
    std::string id = make_id();
    if (auto written = files::blocking_write_atomically(file_of(store), id + "\n"); !written)
        return written.error();
    return id;
}

}  // namespace evalfleet::store
