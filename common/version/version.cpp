#include "common/version/version.hpp"

#include "evalfleet_revision.hpp"

namespace evalfleet {

BuildInfo build_info() noexcept {
    return {EVALFLEET_VERSION, EVALFLEET_GIT_SHA, EVALFLEET_BUILD_TYPE};
}

std::string version_line(std::string_view program) {
    const BuildInfo info = build_info();
    std::string line(program);
    line.append(" ").append(info.version);
    line.append(" (git ").append(info.git_sha);
    line.append(", ").append(info.build_type).append(")");
    return line;
}

}  // namespace evalfleet
