# SPDX-License-Identifier: Apache-2.0
"""palette_test.py OMPCOLLECT RUN - the colours of the page of a run or a job.

States' colours are told apart by all eyes: they are simulated for the three kinds of colour
blindness (Machado, Oliveira and Fernandes 2009, severity 1) and compared by CIEDE2000. Text reaches
the contrast of WCAG's level AA on the page, dark or light, and on the states' colours.
"""
import itertools
import json
import math
import re
import subprocess
import sys

SIMULATIONS = {
    "normal": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
LEAST_DIFFERENCE = 8  # of CIEDE2000; 2.3 can just be noticed
LEAST_CONTRAST = 4.5
TEXT_ON_STATES = "#111111"


def linear(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def seen(colour, matrix):
    parts = linear(colour)
    return [min(1, max(0, sum(weight * part for weight, part in zip(row, parts)))) for row in matrix]


def lab(rgb):
    r, g, b = rgb
    xyz = ((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047, 0.2126 * r + 0.7152 * g + 0.0722 * b,
           (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883)
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(one, other):
    """CIEDE2000."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    grow = 1.5 - 0.5 * math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7))
    a1, a2 = a1 * grow, a2 * grow
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = math.degrees(math.atan2(b1, a1)) % 360, math.degrees(math.atan2(b2, a2)) % 360
    is_grey = c1 * c2 == 0
    dh = 0 if is_grey else 2 * math.sqrt(c1 * c2) * math.sin(math.radians(((h2 - h1 + 180) % 360 - 180) / 2))
    hue = h1 + h2 if is_grey else (h1 + h2) / 2 if abs(h1 - h2) <= 180 else (h1 + h2 + 360) / 2
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    t = (1 - 0.17 * math.cos(math.radians(hue - 30)) + 0.24 * math.cos(math.radians(2 * hue)) +
         0.32 * math.cos(math.radians(3 * hue + 6)) - 0.2 * math.cos(math.radians(4 * hue - 63)))
    by_light = (l2 - l1) / (1 + 0.015 * (light - 50) ** 2 / math.sqrt(20 + (light - 50) ** 2))
    by_chroma = (c2 - c1) / (1 + 0.045 * chroma)
    by_hue = dh / (1 + 0.015 * chroma * t)
    turn = (-math.sin(math.radians(60 * math.exp(-((hue - 275) / 25) ** 2))) * 2 *
            math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7)))
    return math.sqrt(by_light ** 2 + by_chroma ** 2 + by_hue ** 2 + turn * by_chroma * by_hue)


def contrast(one, other):
    brightness = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (linear(one), linear(other)))
    return (brightness[1] + 0.05) / (brightness[0] + 0.05)


def faults_of(page):
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])
    # Those that programs can be in: the contract's other numbers share a grey.
    colours = {state["name"]: state["colour"] for state in data["states"] if state["name"] != "?" and not state["name"].startswith("ST1")}
    # Those of a job: one has a colour of its own.
    colours.update({each["name"]: each["colour"] for each in data.get("classes", []) if each["name"] == "in MPI"})
    faults = []
    for (one, a), (other, b) in itertools.combinations(colours.items(), 2):
        for eyes, matrix in SIMULATIONS.items():
            apart = difference(lab(seen(a, matrix)), lab(seen(b, matrix)))
            if apart < LEAST_DIFFERENCE:
                faults.append(f"{one} and {other} with {eyes}: {apart:.1f}")
    faults += [f"text on {name}: {contrast(colour, TEXT_ON_STATES):.2f}" for name, colour in colours.items()
               if contrast(colour, TEXT_ON_STATES) < LEAST_CONTRAST]
    themes = re.findall(r":root \{([^}]*--paper[^}]*)\}", page)
    for theme in themes:
        shades = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", theme))
        for text, ground in itertools.product(("ink", "soft", "accent"), ("paper", "card", "faint")):
            if contrast(shades[text], shades[ground]) < LEAST_CONTRAST and (text, ground) != ("accent", "faint"):
                faults.append(f"{text} on {ground} of {theme.strip()[:60]}: {contrast(shades[text], shades[ground]):.2f}")
    if len(colours) < 13 or len(themes) != 3:
        faults.append(f"{len(colours)} colours and {len(themes)} themes were found")
    if f"color: {TEXT_ON_STATES}" not in page:
        faults.append("text on the states' colours is not " + TEXT_ON_STATES)
    return faults


def main():
    # Known pairs of Sharma, Wu and Dalal 2005.
    assert abs(difference((50, 2.6772, -79.7751), (50, 0, -82.7485)) - 2.0425) < 1e-4
    assert abs(difference((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514)) - 0.9082) < 1e-4
    page = subprocess.run([sys.argv[1], "report", sys.argv[2], "--format", "html"], stdout=subprocess.PIPE, check=True).stdout.decode()
    faults = faults_of(page)
    # The colours that the page had before: barriers and critical regions looked alike.
    assert faults_of(page.replace(re.search(r'"IBAR".*?"colour":\s*"(#......)"', page)[1], "#f6cf5a").replace(
        re.search(r'"EBAR".*?"colour":\s*"(#......)"', page)[1], "#f2d060")), "like colours are not found"
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
