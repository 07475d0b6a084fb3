#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kernel.py CONSOLE - looks at what init.sh has printed: each program ran to its end, and its report
is what the program itself measured."""
import re
import sys

TOLERANCE = 0.04  # of the time that the program measured, in shares of the whole


def sections_of(path):
    sections = {}
    name = "before"
    for line in open(path, encoding="utf-8", errors="replace"):
        line = line.rstrip("\r\n")
        if line.startswith("== ") and not line.endswith("=="):
            name = line[3:]
        sections.setdefault(name, []).append(line)
    return sections


def expect(holds, what):
    if not holds:
        sys.exit(f"kernel.py: {what}")


def seconds_by_path(lines):
    paths = {}
    for line in lines:
        found = re.fullmatch(r"(\S.*) (\d+)", line)
        if found:
            paths[found[1]] = int(found[2]) / 1e6
    return paths


def look_at_known(name, report, lines):
    text = "\n".join(report)
    expect("exit code 0" in report, f"{name} failed:\n{text}")
    truth = re.search(r"^serial ([\d.]+) heavy ([\d.]+) light ([\d.]+)$", text, re.M)
    expect(truth, f"{name} printed no shares:\n{text}")
    serial, heavy, light = (float(share) / 100 for share in truth.groups())
    paths = seconds_by_path(lines)
    region = ";main;outer;inner;inner [region];"
    found = {"serial": ";main;pass", "heavy": region + "heavy;pass", "light": region + "light;pass"}
    sums = {
        part: sum(seconds for path, seconds in paths.items() if path[path.find(";"):].startswith(prefix))
        for part, prefix in found.items()
    }
    # Both threads are in the region's functions.
    whole = sums["serial"] + (sums["heavy"] + sums["light"]) / 2
    expect(whole > 1, f"{name} has no time in its own functions:\n{text}\n" + "\n".join(lines))
    shares = {"serial": sums["serial"] / whole, "heavy": sums["heavy"] / 2 / whole, "light": sums["light"] / 2 / whole}
    known = serial + heavy + light
    for part, is_true in (("serial", serial / known), ("heavy", heavy / known), ("light", light / known)):
        expect(abs(shares[part] - is_true) < TOLERANCE,
               f"{name}: {part} has {shares[part]:.3f} for {is_true:.3f}:\n{text}\n" + "\n".join(lines))
    cut = sum(seconds for path, seconds in paths.items() if "(call path cut short)" in path)
    expect(cut < 0.02 * whole, f"{name}: {cut:.2f} s of {whole:.2f} s without a whole call path:\n" + "\n".join(lines))
    page = sum(seconds for path, seconds in paths.items() if ";now;clock_gettime;[vdso]" in path)
    expect(page > 0.05 * whole, f"{name}: no time in the kernel's page below its caller:\n" + "\n".join(lines))
    print(f"{name}: " + ", ".join(f"{part} {share:.3f}" for part, share in shares.items()) +
          f" for {serial / known:.3f}, {heavy / known:.3f}, {light / known:.3f}; {page:.2f} s in the kernel's page")


def look_at_fast(report):
    text = "\n".join(report)
    rate = re.search(r"([\d,]+), late [\d,]+, lost 0; ([\d,]+) a second per thread", text)
    expect(rate, f"no rate:\n{text}")
    expect(int(rate[2].replace(",", "")) == 2000, f"not at the rate:\n{text}")
    print(f"fast: {rate[0]}")


def main():
    sections = sections_of(sys.argv[1])
    expect("end" in sections, "the machine did not come to its end:\n" + "\n".join(sum(sections.values(), []))[-4000:])
    print("\n".join(sections["kernel"][1:]))
    unit = "\n".join(sections["unit"])
    expect("exit code 0" in unit and "FAILED" not in unit, f"unit tests:\n{unit}")
    print(unit)
    for name in ("gcc", "gcc-signed", "clang-signed", "fast"):
        look_at_known(name, sections[f"{name} report"], sections[f"{name} paths"])
    look_at_fast(sections["fast report"])
    for compiler in ("gcc", "clang"):
        lines = sections[f"sleeps {compiler}"]
        expect(lines[1:] == ["exit code 0", lines[2], "the same"] and int(lines[2]) > 40, "sleeps:\n" + "\n".join(lines))


main()
