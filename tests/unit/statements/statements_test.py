"""The table at the end of docs/semantics.md names, for each statement of the two source documents, the fields
that hold it and a test that shows it. Every such test must exist (it runs with the others), every field must be
in a published schema, and the statements must be numbered from 1 to the count that the text gives."""

import json
import pathlib
import re
import sys

HEADING = "## 10. Where each statement of the two documents is kept"
TEST = re.compile(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.MULTILINE)


def schema_names(value):
    """Names of members, and words that a member may hold."""
    if isinstance(value, list):
        return set().union(*map(schema_names, value))
    if not isinstance(value, dict):
        return set()
    found = set(value.get("properties", {}))
    found |= {word for word in value.get("enum", []) if isinstance(word, str)}
    return found.union(*map(schema_names, value.values()))


def read_rows(text):
    section = text[text.index(HEADING):]
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in section.splitlines() if re.match(r"\| \d", line)]
    return int(re.search(r"(\d+) statements", section).group(1)), rows


def faults_of(promised, rows, tests, fields):
    faults = []
    if [row[0] for row in rows] != [str(n) for n in range(1, promised + 1)]:
        faults.append(f"the rows are not numbered from 1 to {promised}")
    for row in rows:
        if len(row) != 5:
            faults.append(f"row {row[0]} has {len(row)} columns instead of 5")
            continue
        number, _, _, places, shown_by = row
        named = re.findall(r"`([^`]+)`", shown_by)
        if not named:
            faults.append(f"row {number} names no test")
        faults += [f"row {number}: there is no test {test}" for test in named if test not in tests]
        names = re.findall(r"`([^`]+)`", places)
        if not names:
            faults.append(f"row {number} names neither field nor file")
        faults += [f"row {number}: no schema has {name}" for name in names if "." not in name and name not in fields]
    return faults


def check_itself():
    good = ["1", "Rubric 1", "it holds", "`a`", "`Suite.Name`"]
    assert not faults_of(1, [good], {"Suite.Name"}, {"a"})
    assert faults_of(2, [good], {"Suite.Name"}, {"a"})
    assert faults_of(1, [good], {"Suite.Other"}, {"a"})
    assert faults_of(1, [good], {"Suite.Name"}, {"b"})
    assert faults_of(1, [good[:4] + ["`Suite.Name` `Suite.Other`"]], {"Suite.Name"}, {"a"})
    assert faults_of(1, [good[:4] + ["none"]], {"Suite.Name"}, {"a"})
    assert faults_of(1, [good[:4]], {"Suite.Name"}, {"a"})


def main(root):
    check_itself()
    tests = {f"{suite}.{name}" for path in (root / "tests").rglob("*.cpp")
             for suite, name in TEST.findall(path.read_text(encoding="utf-8"))}
    fields = set().union(*(schema_names(json.loads(path.read_text(encoding="utf-8")))
                           for path in (root / "docs" / "schemas").glob("*.json")))
    promised, rows = read_rows((root / "docs" / "semantics.md").read_text(encoding="utf-8"))
    faults = faults_of(promised, rows, tests, fields)
    for fault in faults:
        print(f"docs/semantics.md: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
