// Preloaded into a redis-server: its clock is the system's plus the microseconds that stand in the
// file named by EVALFLEET_CLOCK_STEP, so that a test can set it like an operator or a failover
// does.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace {

constexpr std::int64_t kMicros = 1'000'000;

volatile const std::int64_t* open_step() {
    static const std::int64_t none = 0;
    const char* path = std::getenv("EVALFLEET_CLOCK_STEP");
    const int file = path == nullptr ? -1 : ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return &none;
    void* bytes = ::mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
    ::close(file);
    return bytes == MAP_FAILED ? &none : static_cast<const std::int64_t*>(bytes);
}

}  // namespace

extern "C" int gettimeofday(timeval* __restrict now, void* __restrict /*zone*/) noexcept {
    static volatile const std::int64_t* step = open_step();
    timespec real{};
    ::clock_gettime(CLOCK_REALTIME, &real);
    const std::int64_t micros = real.tv_sec * kMicros + real.tv_nsec / 1000 + *step;
    now->tv_sec = micros / kMicros;
    now->tv_usec = micros % kMicros;
    return 0;
}
