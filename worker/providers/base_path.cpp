#include "worker/providers/base_path.hpp"

#include <string>

namespace evalfleet::worker {

bool path_ends_with(const http::Url& base, std::string_view suffix) {
    std::string_view path = base.target;
    path = path.substr(0, path.find('?'));
    while (path.ends_with('/'))
        path.remove_suffix(1);
    return path.ends_with(suffix);
}

http::Url extend(const http::Url& base, std::string_view root, std::string_view path) {
    if (path_ends_with(base, root)) return base.with_path_appended(path);
    return base.with_path_appended(std::string(root).append(path));
}

}  // namespace evalfleet::worker
