"""A whole fleet of real processes on loopback, watched by a real Prometheus."""

import contextlib
import datetime
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 120


def await_value(get, what):
    """What `get` returns as soon as it is neither None nor False; it may raise OSError meanwhile."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    last = None
    while time.monotonic() < deadline:
        try:
            value = get()
            if value is not None and value is not False:
                return value
        except OSError as error:
            last = error
        time.sleep(0.1)
    raise TimeoutError(f"{what} ({last})")


def fetch(url, body=None):
    request = urllib.request.Request(url, data=body, headers={"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.read().decode()
    except urllib.error.HTTPError as error:
        if error.code >= 500:  # it may pass
            raise
        raise RuntimeError(f"{url}: {error.code}: {error.read().decode()}") from error


class Fleet:
    """Redis, a simulated provider, a coordinator, two workers. A context manager."""

    WORKERS = 2

    def __init__(self, bin_folder, provider_faults=()):
        self.bin = pathlib.Path(bin_folder)
        self.faults = provider_faults
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="evalfleet-ops-"))
        self.stack = contextlib.ExitStack()
        self.stack.callback(shutil.rmtree, self.folder, ignore_errors=True)

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *_):
        self.stack.close()

    def start(self, name, *arguments):
        """Starts a program that ends with the fleet; its output goes to a file."""
        with open(self.folder / f"{name}.log", "wb") as log:
            process = subprocess.Popen([str(a) for a in arguments], stdout=log, stderr=log,
                                       cwd=self.folder)
        self.stack.callback(self._end, process)
        return process

    @staticmethod
    def _end(process):
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def port_of(self, name):
        """The port that a program wrote to its file."""
        file = self.folder / f"{name}.port"
        text = await_value(lambda: file.exists() and file.read_text().strip(), f"port of {name}")
        return int(text)

    def _start(self):
        redis = self.folder / "redis.sock"
        self.redis = self.start("redis", "redis-server", "--port", 0, "--unixsocket", redis,
                                "--save", "", "--maxmemory", "1gb")
        await_value(redis.exists, "redis-server")
        url = f"unix://{redis}"
        self.start("simulator", self.bin / "evalfleet", "simulate", "--port", 0, "--port-file",
                   "simulator.port", "--dataset", ROOT / "docs/examples/qa.jsonl", "--latency-ms",
                   120, "--latency-sigma", 0.4, "--retry-after", 0, *self.faults)
        providers = self.folder / "providers.yaml"
        base_url = f"http://127.0.0.1:{self.port_of('simulator')}/v1"
        providers.write_text(json.dumps({"providers": {
            name: {"type": "openai", "base_url": base_url, "stream": name == "model",
                   "prices": {"input_usd_per_mtok": 1, "output_usd_per_mtok": 2}}
            for name in ("model", "judge")}}))
        self.start("coordinator", self.bin / "evalfleet-coordinator", "--redis", url, "--store",
                   self.folder / "store", "--listen", "127.0.0.1:0", "--port-file",
                   "coordinator.port", "--audit-interval", "1s", "--dataset-root",
                   ROOT / "docs/examples")
        for number in range(self.WORKERS):
            self.start(f"worker{number}", self.bin / "evalfleet-worker", "--redis", url,
                       "--providers", providers, "--concurrency", 16, "--metrics-port", 0,
                       "--port-file", f"worker{number}.port")
        self.coordinator = f"127.0.0.1:{self.port_of('coordinator')}"
        self.workers = [f"127.0.0.1:{self.port_of(f'worker{n}')}" for n in range(self.WORKERS)]

    def evaluate(self, name, repeats):
        """Runs the example data set and returns the folder of the finished run."""
        spec = {"version": 1, "name": name, "repeats": repeats,
                "dataset": {"path": str(ROOT / "docs/examples/qa.jsonl")},
                "model": {"provider": "model", "name": "m", "version": "1"},
                "judge": {"provider": "judge", "name": "j", "version": "1"}}
        api = f"http://{self.coordinator}/api/v1/runs"

        def submit():
            return fetch(api, json.dumps(spec).encode())

        run = json.loads(await_value(submit, "submitting"))["run_id"]

        def ended():
            progress = json.loads(fetch(f"{api}/{run}"))
            return progress if progress["state"] in ("done", "failed", "cancelled") else None

        progress = await_value(ended, "the run's end")
        if progress["state"] != "done":
            raise RuntimeError(f"the run is {progress['state']}: {progress['note']}")
        return run, pathlib.Path(progress["folder"])

    def metrics_page(self, address):
        return fetch(f"http://{address}/metrics")


class Prometheus:
    """A Prometheus that scrapes a fleet every second, with the product's own rules."""

    def __init__(self, fleet):
        self.fleet = fleet
        rules = self._copy_rules()
        config = {
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": rules,
            "scrape_configs": [
                {"job_name": job, "static_configs": [
                    {"targets": targets, "labels": {"namespace": "test"}}]}
                for job, targets in (("coordinator", [fleet.coordinator]),
                                     ("worker", fleet.workers))]}
        (fleet.folder / "prometheus.yml").write_text(json.dumps(config))
        self._start()

    def _copy_rules(self):
        copies = []
        for path in sorted((ROOT / "helm/evalfleet/alerts").glob("*.yaml")):
            copy = self.fleet.folder / path.name
            # The rules as they are, only asked more often than every 30 s.
            copy.write_text(path.read_text().replace("interval: 30s", "interval: 1s"))
            copies.append(str(copy))
        return copies

    def _start(self):
        # It cannot be told to take any free port, so that another program may be faster.
        for attempt in range(5):
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
            self.url = f"http://127.0.0.1:{port}"
            process = self.fleet.start(
                f"prometheus{attempt}", "prometheus", "--config.file=prometheus.yml",
                f"--storage.tsdb.path=tsdb{attempt}", f"--web.listen-address=127.0.0.1:{port}")

            def ready():
                return process.poll() is not None or fetch(f"{self.url}/-/ready")

            await_value(ready, "prometheus")
            if process.poll() is None:
                return
        raise RuntimeError((self.fleet.folder / "prometheus0.log").read_text())

    def ask(self, path, **parameters):
        query = urllib.parse.urlencode(parameters)
        return json.loads(fetch(f"{self.url}/api/v1/{path}?{query}"))["data"]

    def query(self, expression):
        """[(labels, value)] of an instant query."""
        result = self.ask("query", query=expression)["result"]
        return [(sample["metric"], float(sample["value"][1])) for sample in result]

    def value(self, expression):
        samples = self.query(expression)
        if len(samples) != 1:
            raise AssertionError(f"{expression}: {samples}")
        return samples[0][1]

    def await_scrape(self):
        """Until every target was scraped and every rule evaluated after this moment."""
        begin = time.time()

        def later():
            ends = [moment for _, moment in self.query("timestamp(up)")]
            if len(ends) <= Fleet.WORKERS:
                return False
            groups = self.ask("rules")["groups"]
            ends += [_epoch(group["lastEvaluation"]) for group in groups]
            return min(ends) > begin + 1

        await_value(later, "a scrape")


def _epoch(text):
    """2026-11-16T19:28:39.123456789Z, of any zone, in whole seconds since 1970."""
    moment, zone = text[:19], text[19:].lstrip("0123456789.")
    zone = "+00:00" if zone in ("Z", "") else zone
    return datetime.datetime.fromisoformat(moment + zone).timestamp()
