#include "worker/config.hpp"

#include "common/job/environment.hpp"
#include "common/queue/keys.hpp"
#include "common/redis/address.hpp"

namespace evalfleet::worker {

using config::between;
using namespace std::chrono_literals;

void WorkerConfig::add_to(config::CommandLine& program) {
    program.enable_config_file();
    program
        .option(
            "redis", redis_url,
            "Redis: redis://, unix://, redis+sentinel:// or redis+cluster://; with TLS rediss...; "
            "its password by itself: EVALFLEET_REDIS_PASSWORD or EVALFLEET_REDIS_PASSWORD_FILE")
        .value_name("URL")
        .secret()
        .required();
    program.option("providers", providers, "The operator's providers, with where their keys are")
        .value_name("FILE")
        .required();
    program.option("pool", pool, "The pool whose jobs are taken").value_name("NAME");
    program.option("name", name, "Name of the worker; by default that of the host")
        .value_name("NAME");
    program
        .option("environment", environment,
                "Where it runs, for the metadata of runs: region, deployment, runtime")
        .value_name("region=R,deployment=D");
    program.option("concurrency", concurrency, "Jobs done at once")
        .value_name("N")
        .range(between<std::size_t>(1, 100'000));
    program.option("threads", threads, "Threads for I/O")
        .value_name("N")
        .range(between<std::size_t>(1, 64));
    program
        .option("compute-threads", compute_threads,
                "Threads for rendering, parsing, scoring and redaction")
        .value_name("N")
        .range(between<std::size_t>(1, 64));
    program
        .option("drain-timeout", drain_timeout,
                "After SIGTERM, how long jobs may go on before they are handed back")
        .value_name("TIME")
        .range(between(0s, 24h));
    program.option("lease", lease, "How long a job stays ours without a heartbeat")
        .value_name("TIME")
        .range(between(100ms, 1h));
    program
        .option("rate-window", rate_window,
                "The time in which a provider counts rpm and tpm; the same for all workers")
        .value_name("TIME")
        .range(between(100ms, 1h));
    program
        .option("rate-margin", rate_margin,
                "The longest way of a request to its provider, connecting included")
        .value_name("TIME")
        .range(between(1ms, 60s));
    program
        .option("metrics-port", metrics_port, "Serves /metrics, /healthz, /readyz; 0: a free port")
        .value_name("PORT");
    program.option("metrics-host", metrics_host, "Address that the metrics port is bound to")
        .value_name("ADDRESS");
    program.option("port-file", port_file, "Where the metrics port is written once it listens")
        .value_name("FILE");
    program.option("ca-file", ca_file, "Certificate authorities of providers (PEM)")
        .value_name("FILE");
    program
        .option("keep-originals", keep_originals,
                "Key that seals answers before they are redacted, so that they can be judged anew")
        .value_name("KEYFILE");
    log.add_to(program);
    program.validate([this] { return validate(); });
}

Status WorkerConfig::validate() const {
    if (const auto parsed = redis(); !parsed) {
        return Error{ErrorKind::invalid, "--redis: " + parsed.error().message};
    }
    if (const auto said = job::parse_environment(environment); !said) {
        return Error{ErrorKind::invalid, "--environment: " + said.error().message};
    }
    if (pool.empty() || pool.find_first_of("{}:") != std::string::npos) {
        return Error{ErrorKind::invalid,
                     "--pool: found '" + pool + "', allowed: a name without braces and colons"};
    }
    if (!port_file.empty() && !metrics_port) {
        return Error{ErrorKind::invalid, "--port-file: needs --metrics-port"};
    }
    return {};
}

Result<redis::Config> WorkerConfig::redis() const {
    auto parsed = redis::blocking_read_address(redis_url, config::process_environment());
    if (parsed && parsed->client_name == redis::Config{}.client_name) {
        parsed->client_name = "evalfleet-worker";
    }
    if (parsed && parsed->discovery) parsed->discovery->key = queue::Keys(pool).base();
    return parsed;
}

}  // namespace evalfleet::worker
