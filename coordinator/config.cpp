#include "coordinator/config.hpp"

#include "common/archive/target.hpp"
#include "common/config/validator.hpp"
#include "common/job/environment.hpp"
#include "common/queue/keys.hpp"
#include "common/redis/address.hpp"
#include "coordinator/access/same_site.hpp"

#include <algorithm>
#include <charconv>

namespace evalfleet::coordinator {

using config::between;

void CoordinatorConfig::add_to(config::CommandLine& program) {
    program
        .option(
            "redis", redis_url,
            "Redis: redis://, unix://, redis+sentinel:// or redis+cluster://; with TLS rediss...; "
            "its password by itself: EVALFLEET_REDIS_PASSWORD or EVALFLEET_REDIS_PASSWORD_FILE")
        .value_name("URL")
        .secret();
    program.option("store", store, "folder of the runs; a second coordinator of it is a standby")
        .value_name("DIR");
    program
        .option("view", views,
                "only look at these runs: folders of runs, of groups, or stores; needs neither "
                "Redis nor a store; may be repeated")
        .value_name("DIR");
    program.option("listen", listen, "address of the HTTP API; port 0 takes any free one")
        .value_name("HOST:PORT");
    program.option("port-file", port_file, "file to write the real port to").value_name("FILE");
    program.option("pool", pool, "name of the pool of workers").value_name("NAME");
    program.option("window-jobs", window_jobs, "trials of a run that are out in Redis at most")
        .range(between(std::uint64_t{1}, std::uint64_t{1'000'000}));
    program.option("window-bytes", window_bytes,
                   "bytes of samples that are out, and of their records to come, at most");
    program.option("audit-interval", audit_interval, "how often Redis is compared with the log")
        .range(between(std::chrono::seconds(1), std::chrono::hours(1)));
    program
        .option("takeover-after", takeover_after,
                "a standby ends a leader on this machine that is silent for so long; 0: never")
        .range(between(std::chrono::seconds(0), std::chrono::hours(24)));
    program.flag("no-standby", no_standby, "end at once if another coordinator leads the store");
    program
        .option("retention", retention,
                "how long runs that are over are kept: so many runs, days, or both; baselines stay")
        .value_name("RUNS,DAYSd");
    program
        .option("pause-after-failures", pause_after_failures,
                "a run is paused after so many refusals (401, 403, 404...) in a row; 0: never")
        .range(between(std::uint64_t{0}, std::uint64_t{1'000'000}));
    program
        .option("max-trials", max_trials,
                "trials of one submission at most: samples x repeats x models x prompts")
        .range(between(std::uint64_t{1}, runfile::kMostMaxTrials));
    program
        .option("environment", environment,
                "where it runs, for the metadata of runs: region, deployment, runtime")
        .value_name("region=R,deployment=D");
    add_api_options(program);
    program
        .option("webhooks", webhooks,
                "whom to tell that runs end, pause, fail a gate or fall behind; see "
                "docs/webhooks.md")
        .value_name("FILE");
    program
        .option("traces", traces,
                "where OpenTelemetry traces of trials go, and of how many; see docs/traces.md")
        .value_name("FILE");
    program
        .option("export-to", export_to,
                "where every run that is over is put, too: s3://BUCKET/PREFIX or a folder; see "
                "docs/export.md")
        .value_name("TARGET");
    program
        .option("export-s3-endpoint", export_s3_endpoint,
                "address of the bucket's service; without it AWS, or what AWS_ENDPOINT_URL says")
        .value_name("URL");
    program
        .option("export-s3-region", export_s3_region,
                "its region; without it what AWS_REGION says, else us-east-1")
        .value_name("REGION");
    program
        .option("max-desired-slots", max_desired_slots,
                "most slots that the metric evalfleet_desired_slots asks an autoscaler for; 0: any")
        .value_name("N");
    program
        .option("test-hook", test_hooks,
                "for tests of evalfleet itself: switch off 'dedup' or 'audit', which breaks runs")
        .group("Testing");
    log.add_to(program);
}

void CoordinatorConfig::add_api_options(config::CommandLine& program) {
    const auto rates = between(0.0, 1e6);
    program
        .option("providers", providers,
                "the providers that runs may name, as workers have them; without it names are not "
                "checked")
        .value_name("FILE")
        .group("API");
    program
        .option("dataset-root", dataset_roots,
                "folder under which runs may name data sets by path; may be repeated")
        .value_name("DIR")
        .group("API");
    program.option("max-dataset-bytes", max_dataset_bytes, "largest upload").group("API");
    program
        .option("tokens-file", tokens_file,
                "who may call, and as what; without it only this machine may")
        .value_name("FILE")
        .group("API");
    program.option("rate-limit", rate_limit, "requests a second of one token; 0: any")
        .range(rates)
        .group("API");
    program
        .option("address-rate-limit", address_rate_limit,
                "requests a second of one address; 0: any")
        .range(rates)
        .group("API");
    program.option("tls-cert", tls_cert, "certificate chain (PEM)").value_name("FILE").group("API");
    program.option("tls-key", tls_key, "its private key (PEM)").value_name("FILE").group("API");
    program
        .option("max-connections", max_connections,
                "connections at once; beyond it those that idle longest are closed")
        .range(between(std::uint64_t{16}, std::uint64_t{1'000'000}))
        .group("API");
    program.flag("metrics-token", metrics_token, "/metrics needs a token, too").group("API");
}

Status CoordinatorConfig::validate() const {
    config::Validator validator;
    if (!is_view()) {
        if (redis_url.empty()) validator.add("--redis (or EVALFLEET_REDIS): is required");
        if (store.empty()) validator.add("--store (or EVALFLEET_STORE): is required");
        const auto parsed = redis();
        if (!redis_url.empty() && !parsed) validator.add("redis: " + parsed.error().message);
    }
    const auto place = address();
    if (!place) validator.add(place.error().message);
    if (place && tokens_file.empty() && !access::is_loopback_name(place->host)) {
        validator.add("listen: found '" + place->host +
                      "', allowed without --tokens-file: 127.0.0.1, ::1 or localhost");
    }
    if (tls_cert.empty() != tls_key.empty())
        validator.add("tls-cert and tls-key: found one, allowed: both or none");
    if (!export_to.empty()) {
        if (const auto target = archive::parse_target(export_to); !target)
            validator.add("export-to: " + target.error().message);
    }
    if (const auto said = job::parse_environment(environment); !said)
        validator.add("environment: " + said.error().message);
    if (const auto bounds = retention_bounds(); !bounds)
        validator.add("retention: " + bounds.error().message);
    for (const std::string& hook : test_hooks)
        validator.check(hook == "dedup" || hook == "audit", "test-hook", hook, "dedup, audit");
    return validator.status();
}

void CoordinatorConfig::settle_for_view(std::filesystem::path view_store) {
    store = std::move(view_store);
    redis_url = "unix:///nonexistent/no-redis";  // nobody connects
    tokens_file.clear();
    tls_cert.clear();
    tls_key.clear();
    webhooks.clear();
    traces.clear();
    export_to.clear();
    metrics_token = false;
    const auto place = address();
    if (!place || !access::is_loopback_name(place->host)) listen = "127.0.0.1:0";
}

Result<redis::Config> CoordinatorConfig::redis() const {
    auto parsed = redis::blocking_read_address(redis_url, config::process_environment());
    if (parsed) parsed->client_name = "evalfleet-coordinator";
    if (parsed && parsed->discovery) parsed->discovery->key = queue::Keys(pool).base();
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

Result<runs::Retention> CoordinatorConfig::retention_bounds() const {
    return runs::parse_retention(retention);
}

bool CoordinatorConfig::is_switched_off(std::string_view hook) const {
    return std::find(test_hooks.begin(), test_hooks.end(), hook) != test_hooks.end();
}

}  // namespace evalfleet::coordinator
