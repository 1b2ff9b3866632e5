"""What has to be told in several places is told in all of them: a gate, a failure label, a report format, a function
of the queue, a field of a run file. And what docs/architecture.md and docs/contributing.md say about files, functions
and tests is true. What a compiler or a test of one library can see is not here.

Usage: places_test.py ROOT"""

import json
import pathlib
import re
import sys


def read(root, path):
    return (root / path).read_text(encoding="utf-8")


def body_of(text, begin, end):
    """From `begin` to the next `end`; empty if it is not there."""
    start = text.find(begin)
    return "" if start < 0 else text[start:].split(end, 1)[0]


def properties_of(value):
    if isinstance(value, list):
        return set().union(*map(properties_of, value))
    if not isinstance(value, dict):
        return set()
    return set(value.get("properties", {})).union(*map(properties_of, value.values()))


def gates(root):
    return re.findall(r'GateInfo\{"(\w+)"', read(root, "common/job/summary.hpp"))


def thresholds(root):
    return re.findall(r"&Policy::Gates::(\w+)\}", read(root, "common/job/summary.hpp"))


def failure_labels(root):
    names = body_of(read(root, "common/job/vocabulary.hpp"), "struct Names<FailureLabel>", "};\n};")
    return re.findall(r'"(\w+)"sv', names)


def protocols(root):
    return re.findall(r'\.name = "([\w-]+)"', read(root, "common/providers/protocol_table.hpp"))


def report_formats(root):
    return re.findall(r"\w+", body_of(read(root, "cli/commands/local.hpp"), "enum class ReportFormat {", "}"))[3:]


def format_words(root):
    return re.findall(r'\{"(\w+)", ReportFormat::', read(root, "cli/local_commands.cpp"))


def result_files(root):
    written = body_of(read(root, "coordinator/runs/finisher.cpp"), "render_files(", "}\n\n")
    return re.findall(r'\{"([\w.]+)", ', written) + ["records.jsonl", "manifest.json"]


def registered(root):
    """Functions of the queue: (what they are called by, what they are called in Lua)"""
    return re.findall(r"register(?:_always)?\('(\w+)', (\w+)\)", read(root, "common/queue/functions/register.lua"))


def lua_functions(root):
    return [function for _, function in registered(root)]


# Set by a coordinator; a run file that has them is refused.
COORDINATORS_OWN = {"rejudged_from", "judged_answers", "originals_key_id"}
# Of programs of before, see `serves` in base.lua: nobody calls it any more.
OF_BEFORE = {"done"}


def run_file_fields(root):
    return sorted(properties_of(json.loads(read(root, "docs/schemas/runfile.schema.json"))) - COORDINATORS_OWN)


def called_functions(root):
    return [name for name, _ in registered(root) if name not in OF_BEFORE]


def calls_of_the_queue(root):
    wrappers = "".join(read(root, path.relative_to(root)) for path in sorted(root.glob("common/queue/*.cpp")))
    return sorted(set(re.findall(r'"ef1_(\w+)"', wrappers)))


LUA = "common/queue/functions/*.lua"
# What there is, who tells, and the places that must tell it: a file or a pattern of files of which one must, and how.
PLACES = [
    ("gate", gates, [
        ("coordinator/web/pages/logic/gates.js", "{}: '"),
        ("coordinator/web/pages/logic/trends.js", "name: '{}'"),
        ("docs/schemas/summary.schema.json", '"{}"'),
        ("docs/schemas/group.schema.json", "{}"),
        ("docs/semantics.md", "{}")]),
    ("threshold of a gate", thresholds, [
        ("common/job/policy_json.cpp", '"{}"'),
        ("docs/schemas/runfile.schema.json", '"{}"'),
        ("docs/schemas/run.schema.json", '"{}"'),
        ("docs/run-file.md", "`{}`"),
        ("docs/semantics.md", '"{}"')]),
    ("failure label", failure_labels, [
        ("docs/schemas/record.schema.json", '"{}"'),
        ("docs/schemas/summary.schema.json", '"{}"'),
        ("docs/schemas/group.schema.json", '"{}"'),
        ("docs/semantics.md", "`{}`")]),
    ("protocol", protocols, [
        ("helm/evalfleet/values.schema.json", '"{}"')]),
    ("report format", report_formats, [
        ("cli/local_commands.cpp", "ReportFormat::{}}}"),
        ("cli/commands/report.cpp", "ReportFormat::{}"),
        ("cli/remote_report.cpp", "ReportFormat::{}")]),
    ("word of --format", format_words, [
        ("docs/command-line.md", r"re:how it is written \([^)]*\b{}\b"),
        ("README.md", r"re:--format.*\b{}\b")]),
    ("file of a run that is over", result_files, [
        ("coordinator/api/result_routes.cpp", '"{}"'),
        ("coordinator/view_store.cpp", '"{}"'),
        ("docs/api.md", "{}")]),
    ("function of the queue", lua_functions, [
        (LUA, "\nlocal function {}(keys, args)")]),
    ("function of the queue", called_functions, [
        ("common/queue/*.cpp", '"ef1_{}"')]),
    ("call of the queue", calls_of_the_queue, [
        ("common/queue/functions/register.lua", "('{}', ")]),
    ("field of a run file", run_file_fields, [
        ("docs/run-file.md", r"re:\b{}\b")]),
]


def tells(text, form, name):
    wanted = form.replace("{}", name).replace("}}", "}") if not form.startswith("re:") else None
    if wanted is not None:
        return wanted in text
    return re.search(form[3:].replace("{}", re.escape(name)), text) is not None


def faults_of_places(root, places):
    faults = []
    for kind, names_of, told_in in places:
        names = names_of(root)
        if not names:
            faults.append(f"no {kind} was found where they are declared")
        for path, form in told_in:
            texts = [file.read_text(encoding="utf-8") for file in sorted(root.glob(path))]
            faults += [f"{path}: does not tell of the {kind} {name}" for name in names
                       if not any(tells(text, form, name) for text in texts)]
    return faults


def documented_functions(root):
    """Of the queue: those that have a comment right above them, their contract."""
    texts = "".join(file.read_text(encoding="utf-8") for file in sorted(root.glob(LUA)))
    return set(re.findall(r"\n--[^\n]*\nlocal function (\w+)\(keys, args\)", texts))


def quoted(text):
    return re.findall(r"`([^`]+)`", text)


def is_path(word):
    return re.fullmatch(r"[\w.-]+(/[\w.*-]+)+/?", word) is not None


def has_function(texts, name):
    return any(re.search(rf"\b{re.escape(name)}\b", text) for text in texts)


def faults_of_rows(root, page, rows):
    """Of tables whose first cell names files, and the next functions that are in them."""
    faults = []
    for files, functions in rows:
        found = [file for path in files for file in root.glob(path)]
        faults += [f"{page}: there is no {path}" for path in files if not list(root.glob(path))]
        texts = [file.read_text(encoding="utf-8") for file in found if file.is_file()]
        faults += [f"{page}: {' and '.join(files)} have no {name}" for name in functions
                   if not has_function(texts, name)]
    return faults


def path_rows(text):
    section = body_of(text, "## The path of a trial", "\n## Where")
    cells = [[cell.strip() for cell in line.strip("|").split("|")]
             for line in section.splitlines() if re.match(r"\| \d", line)]
    return [(quoted(row[1]), quoted(row[2])) for row in cells]


def faults_of_recipes(root, page, text, tests):
    """Files that recipes name must exist, and so must the tests that they promise."""
    section = body_of(text, "## Recipes", "\n## ")
    faults = [] if "## Recipes" in text else [f"{page}: has no recipes"]
    for word in quoted(section):
        if is_path(word) and "NAME" not in word and not list(root.glob(word)):
            faults.append(f"{page}: there is no {word}")
        if re.fullmatch(r"[A-Z]\w+\.[A-Z]\w+|(?:[A-Z]\w+\.)?test_\w+", word) and word not in tests:
            faults.append(f"{page}: there is no test {word}")
    return faults


def known_tests(root):
    test = re.compile(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.MULTILINE)
    found = {f"{suite}.{name}" for path in (root / "tests").rglob("*.cpp")
             for suite, name in test.findall(path.read_text(encoding="utf-8"))}
    for path in (root / "tests").rglob("*_test.py"):
        for suite in re.split(r"^class ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            names = re.findall(r"^    def (test_\w+)", suite, re.MULTILINE)
            found |= set(names) | {f"{re.match(r'[A-Za-z]+', suite).group()}.{name}" for name in names}
    return found


def check_itself(root):
    assert tells("a: 'b'", "{}: '", "a") and not tells("a: 'b'", "{}: '", "b")
    assert tells("x::y}", "x::{}}}", "y")
    assert tells("how (a, b)", r"re:how \([^)]*\b{}\b", "b") and not tells("how (a)", r"re:how \([^)]*\b{}\b", "b")
    made_up = [("thing", lambda _: ["no_such_thing"], [("README.md", "{}")])]
    assert faults_of_places(root, made_up) == ["README.md: does not tell of the thing no_such_thing"]
    assert faults_of_places(root, [("thing", lambda _: [], [])])
    assert faults_of_rows(root, "p", [(["README.md"], ["no_such_function"])])
    assert faults_of_rows(root, "p", [(["no/such.cpp"], [])])
    assert faults_of_recipes(root, "p", "## Recipes\n`no/such.cpp` `No.Test` `No.test_it`", set()) == [
        "p: there is no no/such.cpp", "p: there is no test No.Test", "p: there is no test No.test_it"]


def main(root):
    check_itself(root)
    faults = faults_of_places(root, PLACES)
    without = sorted(set(lua_functions(root)) - documented_functions(root))
    faults += [f"{LUA}: the function {name} has no contract above it" for name in without]
    page = "docs/architecture.md"
    rows = path_rows(read(root, page))
    faults += faults_of_rows(root, page, rows) if rows else [f"{page}: has no path of a trial"]
    page = "docs/contributing.md"
    faults += faults_of_recipes(root, page, read(root, page), known_tests(root))
    page = "docs/glossary.md"
    faults += [f"{page}: there is no {word}" for word in quoted(read(root, page))
               if is_path(word) and not list(root.glob(word))]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
