"""Reads the boards, the runbooks and the catalogue of metrics."""

import json
import re

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
