#include "coordinator/web/assets.hpp"

#include <array>
#include <utility>

namespace evalfleet::web {

namespace {

constexpr std::string_view kIndex = "index.html";

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kTypes{
    {{".html", "text/html; charset=utf-8"},
     {".css", "text/css; charset=utf-8"},
     {".js", "text/javascript; charset=utf-8"},
     {".json", "application/json"},
     {".svg", "image/svg+xml"},
     {".png", "image/png"},
     {".ico", "image/x-icon"},
     {".md", "text/plain; charset=utf-8"},
     {".txt", "text/plain; charset=utf-8"}}};

std::string replace_all(std::string text, std::string_view what, std::string_view with) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

}  // namespace

std::string_view content_type_of(std::string_view path) {
    for (const auto& [end, type] : kTypes)
        if (path.ends_with(end)) return type;
    return "application/octet-stream";
}

AssetBook::AssetBook(const std::vector<EmbeddedFile>& files, std::string_view hash)
    : hash_(hash), prefix_("/assets/" + hash_) {
    for (const EmbeddedFile& file : files) {
        if (file.path == kIndex)
            index_page_ = replace_all(std::string(file.bytes), kPlaceholder, prefix_);
        else
            assets_.emplace(file.path, Asset{content_type_of(file.path), file.bytes});
    }
}

const Asset* AssetBook::find(std::string_view hash, std::string_view path) const {
    if (hash != hash_) return nullptr;
    const auto found = assets_.find(path);
    return found == assets_.end() ? nullptr : &found->second;
}

const AssetBook& asset_book() {
    static const AssetBook book(embedded_files(), embedded_hash());
    return book;
}

}  // namespace evalfleet::web
