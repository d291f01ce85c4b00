#!/usr/bin/env python3
"""Keeps the documentation honest: every test that doc/*.md names as `Suite.Test` exists."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMED = re.compile(r"`([A-Z]\w+)\.([A-Z]\w+)`")
DEFINED = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", re.M)


def defined_tests():
    return {match for path in (ROOT / "test").rglob("*.cxx") for match in DEFINED.findall(path.read_text("utf-8"))}


def main():
    defined = defined_tests()
    suites = {suite for suite, _ in defined}
    missing = []
    named = 0
    for path in sorted((ROOT / "doc").glob("*.md")):
        for suite, test in NAMED.findall(path.read_text("utf-8")):
            named += 1
            if (suite, test) not in defined:
                reason = "the suite has no such test" if suite in suites else "there is no such suite"
                missing.append(f"{path.relative_to(ROOT)}: `{suite}.{test}`: {reason}")
    print("\n".join(missing) if missing else f"{named} tests named in doc/, all exist")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
