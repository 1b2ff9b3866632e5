#include "coordinator/store/process_identity.hpp"

#include "common/files/file.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace evalfleet::store {

namespace {

std::string read_all(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string first_line(const std::string& path) {
    const std::string text = read_all(path);
    return text.substr(0, text.find('\n'));
}

std::string read_link(const std::string& path) {
    std::error_code code;
    return std::filesystem::read_symlink(path, code).string();
}

std::string host_name() {
    std::array<char, HOST_NAME_MAX + 1> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
    return name.data();
}

// The 22nd field of /proc/PID/stat; counted from behind the name, which may hold anything.
std::string start_time_of(std::int64_t pid) {
    const std::string stat = read_all("/proc/" + std::to_string(pid) + "/stat");
    std::size_t at = stat.rfind(')');
    for (int field = 2; at != std::string::npos && field < 22; ++field)
        at = stat.find(' ', at + 1);
    if (at == std::string::npos) return "";
    return stat.substr(at + 1, stat.find(' ', at + 1) - at - 1);
}

std::string world_of_processes() {
    return first_line("/proc/sys/kernel/random/boot_id") + " " + read_link("/proc/self/ns/pid");
}

// A process as the kernel hands it out: what is sent to it can reach no other.
class ProcessHandle {
  public:
    explicit ProcessHandle(std::int64_t pid)
        : descriptor_(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0))) {}
    ProcessHandle(const ProcessHandle&) = delete;
    ProcessHandle& operator=(const ProcessHandle&) = delete;
    ~ProcessHandle() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
    [[nodiscard]] bool kill() const {
        return ::syscall(SYS_pidfd_send_signal, descriptor_, SIGKILL, nullptr, 0) == 0;
    }

  private:
    int descriptor_;
};

}  // namespace

ProcessIdentity ProcessIdentity::blocking_own() {
    const std::int64_t pid = ::getpid();
    return {pid, host_name(), world_of_processes(), start_time_of(pid)};
}

Status blocking_end(const ProcessIdentity& process) {
    const std::string name = "process " + std::to_string(process.pid) + " on " + process.host;
    if (process.pid <= 1 || process.world != world_of_processes())
        return Error{ErrorKind::denied, name + " cannot be reached from here"};
    const ProcessHandle handle(process.pid);
    if (!handle.is_open()) {
        if (errno == ESRCH) return {};
        return Error{ErrorKind::denied, name + ": " + std::strerror(errno)};
    }
    // Checked after the handle was taken: from here on the number cannot pass to another process.
    if (start_time_of(process.pid) != process.start_time) return {};
    if (handle.kill() || errno == ESRCH) return {};
    return Error{ErrorKind::denied, name + ": " + std::strerror(errno)};
}

}  // namespace evalfleet::store
