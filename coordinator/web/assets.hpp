#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::web {

/// A file of `coordinator/web/pages`, as it was when the program was built.
struct EmbeddedFile {
    std::string_view path;  ///< below `pages`
    std::string_view bytes;
};

[[nodiscard]] const std::vector<EmbeddedFile>& embedded_files();

/// Of all files and their names together.
[[nodiscard]] std::string_view embedded_hash();

struct Asset {
    std::string_view content_type;
    std::string_view bytes;
};

/// The files that the pages are made of. All have addresses under one prefix, which changes with
/// any of them: what a browser has once it never asks for again, and modules find one another by
/// relative names. Immutable.
class AssetBook {
  public:
    /// The text in `index.html` that stands for the prefix.
    static constexpr std::string_view kPlaceholder = "__ASSETS__";

    AssetBook(const std::vector<EmbeddedFile>& files, std::string_view hash);
    AssetBook(const AssetBook&) = delete;
    AssetBook& operator=(const AssetBook&) = delete;

    /// Null: there is none. `index.html` is none of them: see `index_page`.
    [[nodiscard]] const Asset* find(std::string_view hash, std::string_view path) const;

    /// "/assets/0123456789abcdef".
    [[nodiscard]] const std::string& prefix() const noexcept { return prefix_; }

    /// The page that every address of the application answers. The style sheets that it names are
    /// one in it: a browser paints nothing before it has them all, and asks for a few at a time.
    [[nodiscard]] const std::string& index_page() const noexcept { return index_page_; }

  private:
    std::string hash_;
    std::string prefix_;
    std::string index_page_;
    std::string styles_;  // all of them
    std::map<std::string, Asset, std::less<>> assets_;
};

/// The one that is compiled in.
[[nodiscard]] const AssetBook& asset_book();

/// By the end of a name; anything unknown is bytes that no browser runs.
[[nodiscard]] std::string_view content_type_of(std::string_view path);

}  // namespace evalfleet::web
