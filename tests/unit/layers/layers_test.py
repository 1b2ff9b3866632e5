#!/usr/bin/env python3
"""Every include of ours crosses a link edge: a folder that uses another one links it.

The compiler cannot tell, since all folders share one include path. Usage: layers_test.py SOURCE_DIR
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop() if len(sys.argv) > 1 else ".").resolve()
TOPS = ("common", "coordinator", "worker", "cli")
CALL = re.compile(r"evalfleet_add_(?:library|program)\(\s*([\w-]+)(.*?)\)", re.S)
INCLUDE = re.compile(r'^#include "((?:%s)/[^"]+)"' % "|".join(TOPS), re.M)


class Library:
    def __init__(self, name, folder, text):
        self.name = name
        self.folder = folder
        words = text.split()
        self.links = {w.removeprefix("evalfleet::") for w in words if w.startswith("evalfleet::")}
        self.sources = [w for w in words if w.endswith(".cpp")]


def read_libraries(root):
    libraries = {}
    for top in TOPS:
        for lists in sorted((root / top).rglob("CMakeLists.txt")):
            text = re.sub(r"#.*", "", lists.read_text())
            for name, rest in CALL.findall(text):
                libraries[name] = Library(name, lists.parent.relative_to(root), rest)
    return libraries


def closure(libraries, name):
    seen, waiting = set(), [name]
    while waiting:
        current = waiting.pop()
        if current in seen or current not in libraries:
            continue
        seen.add(current)
        waiting += libraries[current].links
    return seen


def owners(libraries, path):
    """The libraries of the nearest folder above a file that has any."""
    folder = pathlib.PurePath(path).parent
    while folder.parts:
        found = {lib.name for lib in libraries.values() if lib.folder == folder}
        if found:
            return found
        folder = folder.parent
    return set()


def headers_of(root, library, libraries):
    for header in sorted((root / library.folder).rglob("*.hpp")):
        if library.name in owners(libraries, header.relative_to(root)):
            yield header


def faults(root):
    libraries = read_libraries(root)
    found = []
    for library in libraries.values():
        reach = closure(libraries, library.name)
        sources = [root / library.folder / source for source in library.sources]
        siblings = owners(libraries, library.folder / "x.hpp")
        files = sources + (list(headers_of(root, library, libraries)) if len(siblings) == 1 else [])
        for file in files:
            if not file.exists():  # made by the build
                continue
            for include in INCLUDE.findall(file.read_text()):
                targets = owners(libraries, include)
                if targets and not targets & reach and not targets & siblings:
                    found.append(f"{file.relative_to(root)} includes {include}, "
                                 f"but {library.name} does not link {' or '.join(sorted(targets))}")
    return found


class Layers(unittest.TestCase):
    def test_every_include_crosses_a_link_edge(self):
        self.assertEqual(faults(ROOT), [])

    def test_sides_do_not_depend_on_each_other(self):
        libraries = read_libraries(ROOT)
        self.assertGreater(len(libraries), 30)
        # Offline results must come from the coordinator's own code, which is pure.
        shared = {"reduce", "report"}
        for library in libraries.values():
            top = library.folder.parts[0]
            for name in closure(libraries, library.name) - {library.name}:
                other = libraries[name].folder.parts[0]
                self.assertTrue(other in (top, "common") or (top == "cli" and name in shared),
                                f"{library.folder} ({library.name}) depends on {name} of {other}")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
