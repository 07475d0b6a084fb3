# SPDX-License-Identifier: Apache-2.0
"""screenshots.py OMPCOLLECT RUN FOLDER - the pictures of docs/PAGE.md.

RUN is of compat/ompcollect/demo, whose file is where it was when it was compiled: the page keeps it.
Each picture answers one of the questions, in their order, as a user gets there.
`convert IN.png +dither -colors 96 PNG8:OUT.png` makes them small.
"""
import os
import subprocess
import sys
import tempfile

from browser import Browser

OMPCOLLECT, RUN, FOLDER = sys.argv[1:4]
UNEVEN = "[...document.querySelectorAll('#findings button')].find(at => at.textContent.startsWith('imbalance'))"


def shoot(page, name, selector):
    page.screenshot(os.path.join(FOLDER, name + ".png"), selector)


def main():
    with tempfile.TemporaryDirectory() as work, Browser() as browser:
        path = os.path.join(work, "run.html")
        subprocess.run([OMPCOLLECT, "report", RUN, "--format", "html", "--with-source", "-o", path], check=True)
        page = browser.open(path)
        page.call("Emulation.setDeviceMetricsOverride", {"width": 900, "height": 1600, "deviceScaleFactor": 1, "mobile": False})
        page.eval("showFlame(null)")
        shoot(page, "page-verdict", "#verdict")
        page.eval(UNEVEN + ".id = 'uneven'")
        page.click("#uneven")
        shoot(page, "page-region", "#region-panel")
        page.click("#region-threads tbody tr:last-child")
        shoot(page, "page-time-line", "#timeline-section")
        page.eval("select({thread: null, order: 'callers', search: 'imbalance'})")
        page.settled()
        shoot(page, "page-callers", "[aria-labelledby=flame-head]")
        page.eval("select({order: 'paths', search: '', region: null})")
        page.settled()
        x, y, left, _, width, _ = page.place("#timeline")
        page.drag(left + 92 + (width - 92) * 0.25, y, left + 92 + (width - 92) * 0.5)
        page.eval("document.getElementById('timeline-section').append(document.getElementById('selection').cloneNode(true), document.getElementById('states').cloneNode(true))")
        shoot(page, "page-span", "#timeline-section")


main()
