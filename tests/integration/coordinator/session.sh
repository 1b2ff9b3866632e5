# What the sessions share: a redis-server, a simulated provider, a coordinator with a tokens file and
# two workers, all in $work and gone at the end. Source it with $bin and $dataset set; then $token is
# a submitter's, and $url the coordinator's address. With $has_worse set there is a provider besides
# whose model is mostly wrong; $coordinator_flags are added to the coordinator's,
# and $before_start is called first.
set -euo pipefail
work=$(mktemp -d)
pids=()

clean_up() {
    local code=$?
    for pid in "${pids[@]}"; do kill -9 "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; done
    if [ $code -ne 0 ]; then tail -n 20 "$work"/*.log; fi
    rm -rf "$work"
    exit $code
}
trap clean_up EXIT

say() { echo "== $*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }
await_file() {
    for _ in $(seq 600); do [ -s "$1" ] && return 0; sleep 0.1; done
    fail "$1 was not written"
}
# A text or number of JSON on one line.
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" | head -n 1; }

start_coordinator() {
    rm -f "$work/port"
    "$bin/evalfleet-coordinator" --redis "unix://$work/redis.sock" --store "$work/store" --listen 127.0.0.1:${1:-0} \
        --port-file "$work/port" --providers "$work/providers.yaml" --tokens-file "$work/tokens.yaml" \
        --audit-interval 1s ${coordinator_flags:-} >> "$work/coordinator.log" 2>&1 &
    coordinator=$!
    pids+=("$coordinator")
    await_file "$work/port"
    url="http://127.0.0.1:$(cat "$work/port")"
    for _ in $(seq 600); do
        curl -fs -o /dev/null "$url/readyz" && return 0
        sleep 0.1
    done
    fail "the coordinator is not ready"
}

[ -z "${before_start:-}" ] || "$before_start"
redis-server --port 0 --unixsocket "$work/redis.sock" --save "" --dir "$work" > "$work/redis.log" & pids+=($!)
"$bin/evalfleet" simulate --port 0 --port-file "$work/simulator.port" --dataset "$dataset" --latency-ms 40 \
    > "$work/simulator.log" 2>&1 & pids+=($!)
await_file "$work/simulator.port"
cat > "$work/providers.yaml" <<END
providers:
  sim: {type: openai, base_url: "http://127.0.0.1:$(cat "$work/simulator.port")/v1"}
END
if [ -n "${has_worse:-}" ]; then
    "$bin/evalfleet" simulate --port 0 --port-file "$work/worse.port" --dataset "$dataset" --latency-ms 40 \
        --correctness 0.1 > "$work/worse.log" 2>&1 & pids+=($!)
    await_file "$work/worse.port"
    echo "  worse: {type: openai, base_url: \"http://127.0.0.1:$(cat "$work/worse.port")/v1\"}" >> "$work/providers.yaml"
fi
token=$(head -c 24 /dev/urandom | sha256sum | cut -d' ' -f1)
cat > "$work/tokens.yaml" <<END
tokens:
  - {name: nightly, role: submitter, sha256: $(printf %s "$token" | sha256sum | cut -d' ' -f1)}
END
start_coordinator
for name in one two; do
    "$bin/evalfleet-worker" --redis "unix://$work/redis.sock" --providers "$work/providers.yaml" --concurrency 4 \
        --lease 2s --name "$name" > "$work/worker-$name.log" 2>&1 & pids+=($!)
done
