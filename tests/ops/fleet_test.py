"""A real Prometheus scrapes a real fleet while it works: what it sees is what the run's files say."""

import json
import os
import re
import signal
import socket
import subprocess
import unittest

import pages
from fleet import Fleet, Prometheus

REPEATS = 8


def setUpModule():
    global fleet, prometheus, run, folder, summary
    fleet = Fleet(os.environ["EVALFLEET_BIN"],
                  ["--fault-429", 0.05, "--fault-500", 0.05, "--judge-malformed", 0.05]).__enter__()
    unittest.addModuleCleanup(fleet.__exit__)
    prometheus = Prometheus(fleet)
    # Counters are seen at 0 first, as they would be in a fleet that has waited for work.
    prometheus.await_scrape()
    run, folder = fleet.evaluate("nightly-test", REPEATS)
    prometheus.await_scrape()
    summary = json.loads((folder / "summary.json").read_text())


def records():
    return [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]


class MetricsPages(unittest.TestCase):
    def pages(self):
        return [fleet.metrics_page(address) for address in [fleet.coordinator, *fleet.workers]]

    def test_promtool_finds_nothing_to_complain_about(self):
        for page in self.pages():
            lint = subprocess.run(["promtool", "check", "metrics"], input=page, text=True,
                                  capture_output=True, check=False)
            self.assertEqual((lint.returncode, lint.stdout, lint.stderr), (0, "", ""))

    def test_everything_exposed_is_in_the_catalogue_and_the_other_way_round(self):
        known = pages.catalogue()
        seen = {}
        for page in self.pages():
            for name, (kind, labels) in pages.exposed(page).items():
                seen.setdefault(name, (kind, set()))[1].update(labels)
        self.assertEqual(sorted(set(seen) - set(known)), [], "not in docs/metrics.md")
        self.assertEqual(sorted(set(known) - set(seen)), [], "not exposed")
        for name, (kind, labels) in seen.items():
            if name.startswith("process_"):
                continue
            self.assertEqual((name, kind, labels), (name, *known[name]))

    def test_no_label_names_a_sample_or_holds_a_text(self):
        samples = {record["sample_id"] for record in records()}
        for page in self.pages():
            values = set(re.findall(r'="([^"]*)"', page))
            self.assertFalse(values & samples)
            self.assertLess(max(map(len, values)), 100)


    def test_a_scrape_does_not_wait_for_redis(self):
        fleet.redis.send_signal(signal.SIGSTOP)
        try:
            for page in self.pages():
                self.assertIn("evalfleet_build_info", page)
        finally:
            fleet.redis.send_signal(signal.SIGCONT)


class Values(unittest.TestCase):
    def check(self, expression, expected):
        self.assertAlmostEqual(prometheus.value(expression), expected, places=6, msg=expression)

    def test_trials_are_those_of_the_summary(self):
        total = summary["rubric"]["total_count"]
        self.assertEqual(total, len(records()))
        self.check("sum(evalfleet_coordinator_trials_total)", total)
        self.check("evalfleet_coordinator_run_trials", total)
        self.check("evalfleet_coordinator_run_trials_done", total)
        passed = summary["rubric"]["pass_count"]
        self.assertEqual(passed, sum(record["rubric_passed"] for record in records()))
        self.assertGreater(passed, 0)
        self.check('evalfleet_coordinator_trials_total{outcome="passed"}', passed)
        self.check("evalfleet_coordinator_run_trials_passed", passed)
        self.check("sum(evalfleet_worker_trials_total)", total)

    def test_failure_labels_are_those_of_the_records(self):
        labels = [record["failure_label"] for record in records() if record["failure_label"]]
        self.assertTrue(labels)
        for label in set(labels):
            self.check(f'evalfleet_coordinator_trial_failures_total{{label="{label}"}}',
                       labels.count(label))
        self.check("sum(evalfleet_coordinator_trial_failures_total)", len(labels))

    def test_the_verdict_is_that_of_the_summary(self):
        self.check("evalfleet_coordinator_run_release_ready", int(summary["release_ready"]))
        self.check('evalfleet_coordinator_runs{state="done"}', 1)

    def test_tokens_and_cost_are_those_of_the_records(self):
        for role, kind, field in (("model", "input", "input_tokens"),
                                  ("model", "output", "output_tokens"),
                                  ("judge", "input", "evaluator_input_tokens"),
                                  ("judge", "output", "evaluator_output_tokens")):
            total = sum(record[field] or 0 for record in records())
            self.assertGreater(total, 0)
            self.check(f'sum(evalfleet_worker_tokens_total{{role="{role}",kind="{kind}"}})', total)
        cost = sum(record["cost_usd"] or 0 for record in records())
        self.assertGreater(cost, 0)
        self.check('sum(evalfleet_worker_cost_usd_total{role="model"})', cost)

    def test_attempts_are_those_of_the_records(self):
        attempts = sum(record["attempts"] for record in records())
        retries = sum(record["attempts"] - 1 for record in records())
        self.assertGreater(retries, 0)
        self.check('sum(evalfleet_worker_call_attempts_total{provider="model"})', attempts)
        self.check('sum(evalfleet_worker_call_retries_total{provider="model"})', retries)
        self.assertGreater(
            prometheus.value('sum(evalfleet_worker_call_attempts_total{result="http_429"})'), 0)

    def test_call_durations_are_those_of_the_records(self):
        seconds = sum(record["latency_e2e_ms"] for record in records()) / 1e3
        model = 'role="model"'
        self.check(f"sum(evalfleet_worker_call_duration_seconds_count{{{model}}})", len(records()))
        self.assertAlmostEqual(
            prometheus.value(f"sum(evalfleet_worker_call_duration_seconds_sum{{{model}}})"),
            seconds, delta=0.01 * seconds)

    def test_an_idle_fleet_wants_no_slots_and_has_nothing_open(self):
        self.check("evalfleet_desired_slots", 0)
        self.check('sum(evalfleet_coordinator_jobs)', 0)
        self.check("evalfleet_coordinator_oldest_job_age_seconds", 0)
        self.check("evalfleet_coordinator_workers", Fleet.WORKERS)

    def test_slots_were_wanted_while_it_worked(self):
        self.assertGreater(prometheus.value("max_over_time(evalfleet_desired_slots[5m])"), 0)


class Boards(unittest.TestCase):
    def test_every_query_returns_data(self):
        for name, board in pages.boards().items():
            for title, expression in pages.queries(board):
                values = [value for _, value in prometheus.query(expression)]
                self.assertTrue([value for value in values if value == value],  # not NaN
                                f"{name}: {title}: {expression}: {values}")


class Rules(unittest.TestCase):
    def rules(self, kind):
        return [rule for group in prometheus.ask("rules")["groups"] for rule in group["rules"]
                if rule["type"] == kind]

    def test_every_recording_rule_records(self):
        rules = self.rules("recording")
        self.assertTrue(rules)
        for rule in rules:
            self.assertEqual(rule["health"], "ok", rule.get("lastError"))
            values = [value for _, value in prometheus.query(rule["name"])]
            self.assertTrue([value for value in values if value == value], rule["name"])

    def test_every_alert_is_about_metrics_that_exist(self):
        alerts = self.rules("alerting")
        self.assertTrue(alerts)
        for alert in alerts:
            self.assertEqual(alert["health"], "ok", alert.get("lastError"))
            names = set(re.findall(r"(?:\w+:)?evalfleet_\w+(?::\w+)?", alert["query"]))
            self.assertTrue(names, alert["name"])
            for name in names:
                self.assertTrue(prometheus.query(f"count({name})"), f"{alert['name']}: {name}")

    def test_nothing_fires_but_the_verdict(self):
        firing = {alert["name"] for alert in self.rules("alerting") if alert["state"] == "firing"}
        expected = set() if summary["release_ready"] else {"EvalfleetNightlyRunNotReady"}
        self.assertEqual(firing, expected)


class Health(unittest.TestCase):
    def ask(self, address, *flags):
        return subprocess.run([fleet.bin / "evalfleet", "health", "--url", f"http://{address}",
                               *flags], capture_output=True, text=True, check=False)

    def test_coordinator_and_workers_are_ready(self):
        for address in [fleet.coordinator, *fleet.workers]:
            answer = self.ask(address)
            self.assertEqual((answer.returncode, answer.stdout), (0, "ready\n"), answer.stderr)

    def test_a_worker_without_redis_lives_but_is_not_ready(self):
        fleet.start("lonely", fleet.bin / "evalfleet-worker", "--redis",
                    f"unix://{fleet.folder}/nobody.sock", "--providers",
                    fleet.folder / "providers.yaml", "--metrics-port", 0, "--port-file",
                    "lonely.port")
        address = f"127.0.0.1:{fleet.port_of('lonely')}"
        self.assertEqual(self.ask(address, "--live").returncode, 0)
        answer = self.ask(address)
        self.assertEqual(answer.returncode, 3)
        self.assertIn("Redis", answer.stdout)

    def test_nobody_there_is_not_ready(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # bound, but nobody listens
            answer = self.ask("127.0.0.1:%d" % taken.getsockname()[1])
        self.assertEqual(answer.returncode, 3)


if __name__ == "__main__":
    unittest.main()
