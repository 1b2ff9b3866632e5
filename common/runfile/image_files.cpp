#include "common/runfile/image_files.hpp"

#include "common/files/file.hpp"
#include "common/job/image.hpp"
#include "common/job/message_json.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

namespace evalfleet::runfile {

namespace fs = std::filesystem;

namespace {

Error fault(std::string message) {
    return {ErrorKind::invalid, std::move(message)};
}

Error open_fault(const fs::path& path) {
    const int code = errno;
    if (code == ENOENT) return fault("there is no such file");
    if (code == ELOOP) return fault("is a symbolic link, allowed: the file itself");
    // A folder of the path that is a link fails as if it were a file.
    if (code == ENOTDIR)
        return fault("leads through what is no folder; symbolic links are not followed");
    errno = code;
    return fault(files::last_system_error("cannot be read", path).message);
}

/// Opens step by step, so that nothing can be exchanged for a link in between.
Result<files::File> blocking_open_beneath(const fs::path& folder, const fs::path& path) {
    files::File at(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC), folder);
    if (at.descriptor() < 0) return open_fault(folder);
    for (auto name = path.begin(); name != path.end(); ++name) {
        const bool is_last = std::next(name) == path.end();
        const int flags = is_last ? O_RDONLY | O_NONBLOCK : O_PATH | O_DIRECTORY;
        files::File next(::openat(at.descriptor(), name->c_str(), flags | O_NOFOLLOW | O_CLOEXEC),
                         at.path() / *name);
        if (next.descriptor() < 0) return open_fault(path);
        at = std::move(next);
    }
    return at;
}

Result<std::string> blocking_read_all(const files::File& file) {
    struct stat status {};
    if (::fstat(file.descriptor(), &status) != 0 || !S_ISREG(status.st_mode))
        return fault("is not a file");
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size > job::kMaxImageBytes)
        return fault(fmt::format("found a picture of {} bytes, allowed: at most {}", size,
                                 job::kMaxImageBytes));
    std::string bytes(size, '\0');
    if (const Status read = file.blocking_read_at(0, bytes); !read)
        return fault(read.error().message);
    return bytes;
}

}  // namespace

Result<job::Image> blocking_read_image(const fs::path& folder, const std::string& path) {
    const fs::path relative(path);
    if (relative.is_absolute())
        return fault("found an absolute path, allowed: one relative to the dataset");
    for (const fs::path& name : relative) {
        if (name == "..") return fault("leaves the dataset's folder");
    }
    const auto file = blocking_open_beneath(folder, relative.lexically_normal());
    if (!file) return file.error();
    const auto bytes = blocking_read_all(*file);
    if (!bytes) return bytes.error();
    return job::make_image(*bytes);
}

Status blocking_embed_images(job::Sample& sample, const fs::path& folder) {
    for (std::size_t i = 0; i < sample.messages.size(); ++i) {
        job::Message& message = sample.messages[i];
        for (std::size_t k = 0; k < message.parts.size(); ++k) {
            auto& image = message.parts[k].image;
            if (!image || !image->base64.empty()) continue;
            auto read = blocking_read_image(folder, image->path);
            if (!read)
                return fault(fmt::format("messages[{}].content[{}].image_url: {}: {}", i, k,
                                         image->path, read.error().message));
            read->detail = image->detail;
            image = std::move(*read);
        }
    }
    job::refresh_texts(sample);
    return {};
}

}  // namespace evalfleet::runfile
