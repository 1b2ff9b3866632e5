"""Reads the boards, the runbooks, the catalogue of metrics and the page about the command line."""

import json
import os
import pathlib
import re
import subprocess

from fleet import ROOT

DASHBOARDS = ROOT / "helm/evalfleet/dashboards"

# What Grafana would put in.
VARIABLES = {"$namespace": ".*", "$provider": ".*", "$__rate_interval": "1m", "$__range": "5m"}


def boards():
    return {path.name: json.loads(path.read_text()) for path in sorted(DASHBOARDS.glob("*.json"))}


def panels(board):
    return [panel for panel in board["panels"] if panel["type"] != "row"]


def fill_in(expression):
    for variable, value in VARIABLES.items():
        expression = expression.replace(variable, value)
    return expression


def queries(board):
    """(panel's title, expression with the variables filled in)"""
    return [(panel["title"], fill_in(target["expr"]))
            for panel in panels(board) for target in panel["targets"]]


def catalogue():
    """{name: (type, labels)} of docs/metrics.md"""
    row = re.compile(r"^\| (`[^|]*`) \| ([^|]*?) \|\s*([^|]*?)\s*\|", re.MULTILINE)
    found = {}
    for names, kind, labels in row.findall((ROOT / "docs/metrics.md").read_text()):
        for name in re.findall(r"`(\w+)`", names):
            found[name] = (kind, {label for label in re.split(r",\s*", labels.strip()) if label})
    return found


def exposed(page):
    """{name: (type, labels)} of a metrics page."""
    kinds = dict(re.findall(r"^# TYPE (\w+) (\w+)$", page, re.MULTILINE))
    found = {name: (kind, set()) for name, kind in kinds.items()}
    for series, labels in re.findall(r"^(\w+)\{(.*)\} \S+$", page, re.MULTILINE):
        name = series if series in kinds else re.sub(r"_(bucket|sum|count)$", "", series)
        found[name][1].update(set(re.findall(r'(\w+)="', labels)) - {"le"})
    return found


def runbook_headings():
    text = (ROOT / "docs/runbooks.md").read_text()
    return {heading.lower() for heading in re.findall(r"^## (\w+)$", text, re.MULTILINE)}


# Those of every command that talks to a coordinator; the page explains them once.
COORDINATOR_FLAGS = {"--coordinator-url", "--token-file", "--ca-file"}


def help_of(*command):
    """What `evalfleet COMMAND --help` prints."""
    program = pathlib.Path(os.environ["EVALFLEET_BIN"]) / "evalfleet"
    return subprocess.run([program, *command, "--help"], check=True, capture_output=True,
                          text=True).stdout


def commands():
    """The names that the program's help lists."""
    listed = help_of().split("Commands:", 1)[1]
    return re.findall(r"^  ([a-z-]+) {2,}\S", listed, re.MULTILINE)


def flags_of(command):
    found = re.findall(r"^  (?:-\w,)?(--[a-z0-9-]+)", help_of(command), re.MULTILINE)
    return set(found) - {"--help"}


def command_line_page():
    """{command: its section} of docs/command-line.md"""
    text = (ROOT / "docs/command-line.md").read_text()
    parts = re.split(r"^### ([a-z-]+)$", text, flags=re.MULTILINE)[1:]
    return {name: section.split("\n## ")[0] for name, section in zip(parts[::2], parts[1::2])}


def flags_described(section):
    """The flags that a section has a row for."""
    return set(re.findall(r"^\| `(--[a-z0-9-]+)", section, re.MULTILINE))


def examples(text):
    """The calls of evalfleet among the indented lines, as lists of words."""
    return [line.split() for line in re.findall(r"^    (?:source <\()?evalfleet (.*?)\)?$", text,
                                                re.MULTILINE)]
