"""The pages for people: every link leads somewhere, every call of evalfleet in them names a command and flags that exist.
Usage: docs_test.py ROOT BIN_DIR"""

import functools
import pathlib
import re
import subprocess
import sys

root, programs = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
PAGES = sorted([root / "README.md", *root.glob("docs/*.md"), *root.glob("docs/design/*.md")])


def anchor_of(heading):
    """As GitHub makes it: lower case, no punctuation, dashes for blanks."""
    plain = re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\- ]", "", plain))


@functools.cache
def anchors(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return {anchor_of(heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


def faults_of_links(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target) or target.startswith("/"):
            continue
        name, _, anchor = target.partition("#")
        place = (page.parent / name).resolve() if name else page
        if not place.exists():
            yield f"{page.relative_to(root)}: {target} leads nowhere"
        elif anchor and place.suffix == ".md" and anchor not in anchors(place):
            yield f"{page.relative_to(root)}: {target}: there is no such heading"


@functools.cache
def help_of(*command):
    return subprocess.run([programs / "evalfleet", *command, "--help"], capture_output=True, text=True, check=False).stdout


@functools.cache
def commands():
    return set(re.findall(r"^  ([a-z-]+) {2,}\S", help_of(), re.MULTILINE))


def calls_in(page):
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.splitlines()]
    lines += re.findall(r"^    (.*evalfleet .*)$", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE)
    for line in lines:
        for call in re.findall(r"(?:^|[;|&({]\s*|(?:^|\s)[A-Z_]+=\S+ |until |if |! )evalfleet ([a-z-]+(?: [^#|&;<>]*)?)", line):
            yield call.split()


def faults_of_calls(page):
    for command, *words in calls_in(page):
        if command not in commands():
            yield f"{page.relative_to(root)}: evalfleet {command}: there is no such command"
            continue
        known = set(re.findall(r"--[a-z0-9-]+", help_of(command)))
        for word in words:
            flag = word.strip("\"'()`,.").split("=")[0]
            if flag.startswith("--") and flag not in known:
                yield f"{page.relative_to(root)}: evalfleet {command} {flag}: there is no such flag"


def check_itself():
    assert anchor_of("Why did `one` sample fail?") == "why-did-one-sample-fail"
    assert {"run", "doctor"} <= commands(), help_of()
    assert "--simulate" in help_of("run")


check_itself()
faults = [fault for page in PAGES for find in (faults_of_links, faults_of_calls) for fault in find(page)]
print("\n".join(faults) or f"{len(PAGES)} pages are well")
sys.exit(1 if faults else 0)
