#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""start_page.py START.md PROGRAMS_FOLDER - each change that docs/START.md shows is that between a planted
program and its repaired version, line by line, and its cause is the one that the program knows."""
import pathlib
import re
import sys

FINDING = re.compile(r"(?m)^### \d+\. .*: `([\w-]+)`$")
CHANGE = re.compile(r"Program:\s`([\w-]+)`\.\n```diff\n(.*?)```", re.DOTALL)


def functions_of(sources):
    """The lines of each function by its name; a planted program's own, and the helpers before it."""
    functions = {}
    for source in sources:
        name = ""
        for line in source.splitlines():
            if head := re.match(r"(?:PLANTED|static)\b.*?(\w+)\((?!\()[^;]*\{$", line):
                name = head[1]
            functions.setdefault(name, []).append(line.strip())
    return functions


def text_of(name, functions):
    """A program's function with all that it calls, as one list of lines."""
    lines, seen, found = [], set(), [name]
    while found:
        now = found.pop()
        seen.add(now)
        lines += functions.get(now, [])
        found += [other for other in functions if other not in ("", *seen, *found)
                  and any(re.search(rf"\b{other}\b", at) for at in functions.get(now, []))]
    return lines


def main(document, folder):
    sources = [path.read_text() for path in sorted(pathlib.Path(folder).glob("*.c"))]
    functions = functions_of(sources)
    findings = FINDING.split(pathlib.Path(document).read_text())[1:]
    complaints = [] if len(findings) == 20 else [f"{len(findings) // 2} findings and not ten"]
    for cause, text in zip(findings[::2], findings[1::2]):
        change = CHANGE.search(text)
        if not change:
            complaints.append(f"{cause}: no program with its change")
            continue
        name = change[1].replace("-", "_")
        before, after = text_of(name, functions), text_of(name + "_repaired", functions)
        if not after or not any(f'"{change[1]}-repaired"' in source for source in sources):
            complaints.append(f"{cause}: there is no program {change[1]}-repaired")
        if not any(cause in line for line in before):
            complaints.append(f"{cause}: {change[1]} has not this cause")
        for line in change[2].splitlines():
            for sign, lines in (("-", before), ("+", after)):
                if line[0] in (sign, " ") and line[1:].strip() not in lines:
                    complaints.append(f"{cause}: not a line of {change[1]}, {sign}: {line[1:]}")
    print("\n".join(complaints) or "ten changes are those of the programs")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
