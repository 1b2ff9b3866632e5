#include "common/async/blocking_pool.hpp"

#include <boost/asio/post.hpp>
#include <pthread.h>
#include <sys/resource.h>

#include <latch>
#include <memory>

namespace evalfleet::async {

namespace asio = boost::asio;

BlockingPool::BlockingPool(Config config) : pool_(config.threads), places_(config.max_queued) {
    // Each thread waits for the others, so that each of them runs exactly one of these.
    const auto all_named =
        std::make_shared<std::latch>(static_cast<std::ptrdiff_t>(config.threads));
    for (std::size_t i = 0; i < config.threads; ++i) {
        asio::post(
            pool_, [all_named, name = config.name.substr(0, 15), niceness = config.niceness] {
                pthread_setname_np(pthread_self(), name.c_str());
                // Of this thread only, on Linux. Without it the work is done all the same.
                if (niceness != 0)
                    ::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + niceness);
                all_named->arrive_and_wait();
            });
    }
}

BlockingPool::~BlockingPool() {
    pool_.join();
}

}  // namespace evalfleet::async
