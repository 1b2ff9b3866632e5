#pragma once

#include "common/job/sample.hpp"
#include "common/result/result.hpp"

#include <filesystem>
#include <string>

namespace evalfleet::runfile {

/// Reads the picture that a dataset in `folder` names by its relative path. It must be a file in
/// that folder or below; links are not followed, wherever they lead. `invalid` with what is wrong;
/// `too_large` is `invalid` here. Blocks.
[[nodiscard]] Result<job::Image> blocking_read_image(const std::filesystem::path& folder,
                                                     const std::string& path);

/// Replaces each picture of the sample that is a file by its content. An error begins with the path
/// of its field: `messages[0].content[1].image_url: ...`. Blocks.
[[nodiscard]] Status blocking_embed_images(job::Sample& sample,
                                           const std::filesystem::path& folder);

}  // namespace evalfleet::runfile
