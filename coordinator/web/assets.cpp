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

constexpr std::string_view kStyleBegin = "<link rel=\"stylesheet\" href=\"__ASSETS__/";
constexpr std::string_view kStyleEnd = "\">\n";
constexpr std::string_view kAllStyles = "all.css";

/// Takes the names of style sheets out of a page, and leaves the name of all together in their
/// place.
std::vector<std::string> take_styles(std::string& page) {
    std::vector<std::string> names;
    for (auto at = page.find(kStyleBegin); at != std::string::npos;
         at = page.find(kStyleBegin, at)) {
        const auto begin = at + kStyleBegin.size();
        const auto end = page.find(kStyleEnd, begin);
        if (end == std::string::npos) break;
        names.push_back(page.substr(begin, end - begin));
        std::string left;
        if (names.size() == 1) ((left += kStyleBegin) += kAllStyles) += kStyleEnd;
        page.replace(at, end + kStyleEnd.size() - at, left);
        at += left.size();
    }
    return names;
}

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
    std::string page;
    for (const EmbeddedFile& file : files) {
        if (file.path == kIndex)
            page = file.bytes;
        else
            assets_.emplace(file.path, Asset{content_type_of(file.path), file.bytes});
    }
    for (const std::string& name : take_styles(page)) {
        const auto found = assets_.find(name);
        if (found != assets_.end()) (styles_ += found->second.bytes) += '\n';
    }
    assets_.emplace(kAllStyles, Asset{content_type_of(kAllStyles), styles_});
    index_page_ = replace_all(std::move(page), kPlaceholder, prefix_);
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
