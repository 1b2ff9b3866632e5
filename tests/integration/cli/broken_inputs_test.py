"""What is wrong with a run file, its dataset, labels or providers is said alike by `validate`, `run` and `submit`: all faults at once,
each at its line and once, with exit code 2, and nothing is left behind. Usage: broken_inputs_test.py BIN_DIR

The cases are a table (broken_inputs.py). Each is tried as a run of one's own, with its providers in the file, by `validate` and `run`, and
as one for a fleet by `validate --providers` and `submit`, against a coordinator that has the same providers."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from broken_inputs import BASE, CASES, PROVIDERS, SAMPLES

programs = pathlib.Path(sys.argv.pop(1)).resolve()
environment = {name: value for name, value in os.environ.items() if not name.startswith("EVALFLEET_")}


def evalfleet(arguments, folder):
    done = subprocess.run([programs / "evalfleet", *arguments], cwd=folder, env=environment | {"TMPDIR": str(folder / "tmp")},
                          capture_output=True, timeout=200, check=False)
    text = done.stderr.decode(errors="surrogateescape").replace(f"{folder}/", "")
    return done.returncode, text


class Fleet:
    """A coordinator with a Redis of its own, and nobody who works."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        (folder / "providers.yaml").write_text(PROVIDERS)
        socket = folder / "redis.sock"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.children = [subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder], **quiet)]
        self.children.append(subprocess.Popen(
            [programs / "evalfleet-coordinator", "--redis", f"unix://{socket}", "--store", folder / "store", "--providers",
             folder / "providers.yaml", "--listen", "127.0.0.1:0", "--port-file", folder / "port"], env=environment, **quiet))
        while not (folder / "port").exists() or not (folder / "port").read_text():
            assert self.children[1].poll() is None, "the coordinator ended"
            time.sleep(0.02)
        self.url = f"http://127.0.0.1:{(folder / 'port').read_text().strip()}"
        while evalfleet(["health", "--coordinator-url", self.url], folder)[0] != 0:
            assert self.children[1].poll() is None, "the coordinator ended"

    def what_is_there(self):
        asked = [subprocess.run([programs / "evalfleet", what, "--json", "--coordinator-url", self.url], capture_output=True, env=environment,
                                check=True) for what in ("list", "datasets")]
        return [json.loads(answer.stdout)[key] for answer, key in zip(asked, ("runs", "datasets"))]

    def end(self):
        for child in self.children:
            child.kill()
            child.wait()


class BrokenInputs(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.work = pathlib.Path(tempfile.mkdtemp(prefix="evalfleet-broken-")).resolve()
        cls.fleet = Fleet(cls.work / "fleet")

    @classmethod
    def tearDownClass(cls):
        cls.fleet.end()
        shutil.rmtree(cls.work, ignore_errors=True)

    def put(self, folder, case, providers):
        files = {"qa.jsonl": SAMPLES, **case.get("files", {}), "run.yaml": case.get("run", BASE) + providers}
        for name, text in files.items():
            (folder / name).write_bytes(text.encode(errors="surrogateescape"))
        return {*files, "tmp"}

    def check(self, said, case, folder, files):
        code, text = said
        lines = text.splitlines()
        wanted = case["says"]
        self.assertEqual(code, 2, text)
        self.assertEqual(len(lines), len(wanted), text)
        for line, beginning in zip(lines, wanted):
            self.assertEqual(line[:len(beginning)], beginning)
        self.assertEqual(len(set(lines)), len(lines), "said twice")
        self.assertEqual(set(os.listdir(folder)), files, "left behind")
        self.assertEqual(os.listdir(folder / "tmp"), [], "left behind")

    def test_everybody_says_the_same(self):
        self.assertGreaterEqual(len(CASES), 60)
        before = self.fleet.what_is_there()
        for name, case in CASES.items():
            folder = self.work / "case"
            folder.mkdir()
            (folder / "tmp").mkdir()
            try:
                if case.get("where", "local") == "local":
                    with self.subTest(name, how="on this machine"):
                        files = self.put(folder, case, case.get("providers", PROVIDERS))
                        said = evalfleet(["validate", "run.yaml"], folder)
                        self.check(said, case, folder, files)
                        self.assertEqual(evalfleet(["run", "run.yaml", "--out", "out"], folder), said)
                        self.check(said, case, folder, files)
                if case.get("where", "fleet") == "fleet":
                    with self.subTest(name, how="on a fleet"):
                        files = self.put(folder, case, case.get("providers", PROVIDERS) if case.get("whole") else "")
                        said = evalfleet(["submit", "run.yaml", "--coordinator-url", self.fleet.url], folder)
                        self.check(said, case, folder, files)
                        if not case.get("known_there"):
                            self.assertEqual(
                                evalfleet(["validate", "run.yaml", "--providers", self.fleet.folder / "providers.yaml"], folder), said)
            finally:
                shutil.rmtree(folder)
        self.assertEqual(self.fleet.what_is_there(), before)

    def test_a_fault_of_the_providers_file_does_not_hide_those_of_the_run_file(self):
        folder = self.work / "operators"
        folder.mkdir()
        (folder / "tmp").mkdir()
        self.put(folder, {"run": BASE.replace("repeats: 2", "repeats: 0")}, "")
        (folder / "operators.yaml").write_text("providers:\n  main:\n    type: opnai\n    base_url: http://127.0.0.1:9\n")
        code, text = evalfleet(["validate", "run.yaml", "--providers", "operators.yaml"], folder)
        self.assertEqual(code, 2)
        self.assertRegex(text, r"(?m)^operators\.yaml:3: .*'opnai'.*did you mean \"openai\"")
        self.assertRegex(text, r"(?m)^run\.yaml:10:10: repeats: ")

    def test_what_is_right_is_valid(self):
        folder = self.work / "right"
        folder.mkdir()
        (folder / "tmp").mkdir()
        for run, samples in ((BASE + PROVIDERS, SAMPLES), ("\ufeff" + BASE + PROVIDERS, "\ufeff" + SAMPLES),
                             ((BASE + PROVIDERS).replace("\n", "\r\n"), SAMPLES.replace("\n", "\r\n"))):
            (folder / "run.yaml").write_bytes(run.encode())
            (folder / "qa.jsonl").write_bytes(samples.encode())
            self.assertEqual(evalfleet(["validate", "run.yaml"], folder), (0, ""))
        (folder / "run.yaml").write_text(BASE.replace("{path: qa.jsonl}", "{id: qa}"))
        self.assertEqual(evalfleet(["validate", "run.yaml"], folder), (0, ""), "a coordinator's dataset")


unittest.main()
