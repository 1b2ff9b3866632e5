#include "coordinator/config.hpp"

#include "common/config/validator.hpp"
#include "common/redis/url.hpp"

#include <algorithm>
#include <charconv>

namespace evalfleet::coordinator {

using config::between;

void CoordinatorConfig::add_to(config::CommandLine& program) {
    program.option("redis", redis_url, "Redis: redis://, rediss:// (TLS) or unix://")
        .value_name("URL")
        .required()
        .secret();
    program.option("store", store, "folder of the runs; only one coordinator may use it")
        .value_name("DIR")
        .required();
    program.option("listen", listen, "address of the HTTP API; port 0 takes any free one")
        .value_name("HOST:PORT");
    program.option("port-file", port_file, "file to write the real port to").value_name("FILE");
    program.option("pool", pool, "name of the pool of workers").value_name("NAME");
    program.option("window-jobs", window_jobs, "trials of a run that are out in Redis at most")
        .range(between(std::uint64_t{1}, std::uint64_t{1'000'000}));
    program.option("window-bytes", window_bytes, "bytes of samples that are out at most");
    program.option("audit-interval", audit_interval, "how often Redis is compared with the log")
        .range(between(std::chrono::seconds(1), std::chrono::hours(1)));
    program
        .option("max-wanted-slots", max_wanted_slots,
                "most slots that the metric evalfleet_wanted_slots asks an autoscaler for; 0: any")
        .value_name("N");
    program
        .option("test-hook", test_hooks,
                "for tests of evalfleet itself: switch off 'dedup' or 'audit', which breaks runs")
        .group("Testing");
    log.add_to(program);
}

Status CoordinatorConfig::validate() const {
    config::Validator validator;
    if (const auto parsed = redis(); !parsed) validator.add("redis: " + parsed.error().message);
    if (const auto parsed = address(); !parsed) validator.add(parsed.error().message);
    for (const std::string& hook : test_hooks)
        validator.check(hook == "dedup" || hook == "audit", "test-hook", hook, "dedup, audit");
    return validator.status();
}

Result<redis::Config> CoordinatorConfig::redis() const {
    auto parsed = redis::parse_url(redis_url);
    if (parsed) parsed->client_name = "evalfleet-coordinator";
    return parsed;
}

Result<CoordinatorConfig::Address> CoordinatorConfig::address() const {
    const Error wrong{ErrorKind::invalid,
                      "listen: found '" + listen + "', allowed: HOST:PORT or [IPV6]:PORT"};
    const auto colon = listen.rfind(':');
    if (colon == std::string::npos || colon == 0) return wrong;
    Address address{listen.substr(0, colon), 0};
    if (address.host.front() == '[' && address.host.back() == ']')
        address.host = address.host.substr(1, address.host.size() - 2);
    const char* begin = listen.data() + colon + 1;
    const char* end = listen.data() + listen.size();
    const auto [rest, error] = std::from_chars(begin, end, address.port);
    if (error != std::errc() || rest != end || begin == end) return wrong;
    return address;
}

bool CoordinatorConfig::is_switched_off(std::string_view hook) const {
    return std::find(test_hooks.begin(), test_hooks.end(), hook) != test_hooks.end();
}

}  // namespace evalfleet::coordinator
