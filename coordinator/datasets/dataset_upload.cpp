#include "coordinator/datasets/dataset_upload.hpp"

#include "common/files/folder.hpp"

#include <fcntl.h>

#include <cstdlib>
#include <system_error>
#include <utility>

namespace evalfleet::datasets {

DatasetUpload::~DatasetUpload() {
    if (file_.path().empty()) return;
    std::error_code ignored;
    std::filesystem::remove(file_.path(), ignored);
}

Result<DatasetUpload> DatasetUpload::blocking_begin(const std::filesystem::path& folder) {
    if (auto made = files::blocking_make_folders(folder); !made) return made.error();
    std::string name = (folder / "upload-XXXXXX").string();
    const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0) return files::last_system_error("cannot be made", name);
    DatasetUpload upload;
    upload.file_ = files::File(descriptor, name);
    return upload;
}

Status DatasetUpload::blocking_append(std::string_view bytes) {
    if (const Status written = file_.blocking_write_at(bytes_, bytes); !written) return written;
    hash_.add(bytes);
    bytes_ += bytes.size();
    return {};
}

Result<std::string> DatasetUpload::blocking_finish() {
    if (const Status synced = file_.blocking_sync(); !synced) return synced.error();
    return hash_.hex();
}

}  // namespace evalfleet::datasets
