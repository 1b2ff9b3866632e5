"""The boards, runbooks and pages as files: complete, consistent, pointing at what exists."""

import re
import unittest

import pages
from fleet import ROOT


class Boards(unittest.TestCase):
    def test_there_are_three_with_ids_of_their_own(self):
        boards = pages.boards()
        self.assertEqual(len(boards), 3)
        self.assertEqual(len({board["uid"] for board in boards.values()}), 3)

    def test_each_lets_the_reader_choose_data_source_and_namespace(self):
        for name, board in pages.boards().items():
            variables = [variable["name"] for variable in board["templating"]["list"]]
            self.assertEqual(variables[:2], ["datasource", "namespace"], name)

    def test_none_can_be_changed_in_place(self):
        for name, board in pages.boards().items():
            self.assertIs(board["editable"], False, name)

    def test_each_panel_explains_itself(self):
        for name, board in pages.boards().items():
            ids = [panel["id"] for panel in board["panels"]]
            self.assertEqual(len(ids), len(set(ids)), name)
            for panel in pages.panels(board):
                where = f"{name}: {panel['title']}"
                self.assertTrue(panel["title"], where)
                self.assertTrue(panel["description"].endswith("."), where)
                self.assertTrue(panel["fieldConfig"]["defaults"]["unit"], where)
                self.assertEqual(panel["datasource"]["uid"], "${datasource}", where)

    def test_each_query_is_of_the_chosen_namespace_and_asks_for_known_metrics(self):
        known = pages.catalogue()
        for name, board in pages.boards().items():
            for panel in pages.panels(board):
                for target in panel["targets"]:
                    where = f"{name}: {panel['title']}: {target['expr']}"
                    metrics = re.findall(r"\b((?:evalfleet|process)_\w+)\{", target["expr"])
                    self.assertTrue(metrics, where)
                    for metric in metrics:
                        family = re.sub(r"_(bucket|sum|count)$", "", metric)
                        self.assertTrue(metric in known or family in known, f"{metric} in {where}")
                    self.assertEqual(target["expr"].count('namespace=~"$namespace"'), len(metrics),
                                     where)

    def test_no_two_panels_overlap(self):
        for name, board in pages.boards().items():
            taken = set()
            for panel in board["panels"]:
                place = panel["gridPos"]
                self.assertLessEqual(place["x"] + place["w"], 24, name)
                cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                         for y in range(place["y"], place["y"] + place["h"])}
                self.assertFalse(taken & cells, f"{name}: {panel['title']}")
                taken |= cells


class Runbooks(unittest.TestCase):
    def setUp(self):
        self.rules = (ROOT / "helm/evalfleet/alerts/alerts.yaml").read_text()
        self.alerts = re.findall(r"^      - alert: (\w+)$", self.rules, re.MULTILINE)

    def test_each_alert_has_a_page_and_each_page_an_alert(self):
        self.assertEqual(sorted(alert.lower() for alert in self.alerts),
                         sorted(pages.runbook_headings()))

    def test_alerts_and_recording_rules_have_names_as_others_expect_them(self):
        for alert in self.alerts:
            self.assertRegex(alert, r"^Evalfleet([A-Z][a-z]+)+$")
        files = (ROOT / "helm/evalfleet/alerts").glob("*.yaml")
        recorded = re.findall(r"- record: (\S+)$", "".join(file.read_text() for file in files),
                              re.MULTILINE)
        self.assertTrue(recorded)
        for name in recorded:
            self.assertRegex(name, r"^[a-z_]+:evalfleet_[a-z_]+:[a-z0-9_]+$")

    def test_each_alert_points_at_its_page(self):
        links = re.findall(r"runbook_url: docs/runbooks.md#(\w+)$", self.rules, re.MULTILINE)
        self.assertEqual(links, [alert.lower() for alert in self.alerts])

    def test_each_alert_has_a_severity_a_summary_and_a_description(self):
        count = len(self.alerts)
        self.assertEqual(len(re.findall(r"severity: (?:critical|warning|info)$", self.rules,
                                        re.MULTILINE)), count)
        self.assertEqual(len(re.findall(r"summary: .*\.$", self.rules, re.MULTILINE)), count)
        self.assertEqual(len(re.findall(r"description: ", self.rules)), count)

    def test_each_alert_is_tested(self):
        tests = (ROOT / "tests/ops/alerts_test.yaml").read_text()
        for alert in self.alerts:
            fires = re.search(rf"alertname: {alert}\n\s+exp_alerts:\n\s+- ", tests)
            quiet = f"alertname: {alert}, exp_alerts: []" in tests
            self.assertTrue(fires and quiet, alert)


class CommandLinePage(unittest.TestCase):
    def setUp(self):
        self.sections = pages.command_line_page()

    def test_it_has_a_section_for_each_command_and_for_no_other(self):
        self.assertEqual(sorted(self.sections), sorted(pages.commands()))

    def test_each_section_has_the_flags_that_the_commands_help_has(self):
        for command, section in self.sections.items():
            described = pages.flags_described(section)
            if "(#the-coordinators-address)" in section:
                described |= pages.COORDINATOR_FLAGS
            self.assertEqual(sorted(described), sorted(pages.flags_of(command)), command)

    def test_each_section_shows_an_example(self):
        for command, section in self.sections.items():
            self.assertIn(command, [words[0] for words in pages.examples(section)])

    def test_examples_there_and_in_the_readme_use_what_exists(self):
        for page in ("docs/command-line.md", "README.md"):
            calls = pages.examples((ROOT / page).read_text())
            self.assertTrue(calls, page)
            for command, *words in calls:
                self.assertIn(command, self.sections, page)
                for word in " ".join(words).split("#")[0].split():
                    if word.startswith("--"):
                        self.assertIn(word, pages.flags_of(command), f"{page}: {command}")

    def test_the_readme_names_every_page(self):
        readme = (ROOT / "README.md").read_text()
        for page in sorted(ROOT.glob("docs/*.md")) + sorted(ROOT.glob("docs/design/*.md")):
            self.assertIn(f"({page.relative_to(ROOT)})", readme)


class Links(unittest.TestCase):
    def test_each_link_between_pages_leads_somewhere(self):
        for page in [ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("helm/**/*.md")]:
            for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
                self.assertTrue((page.parent / link).exists(), f"{page.name}: {link}")


if __name__ == "__main__":
    unittest.main()
