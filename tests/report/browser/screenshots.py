# SPDX-License-Identifier: Apache-2.0
"""screenshots.py OMPCOLLECT RUN FOLDER - the pictures of docs/PAGE.md.

RUN is tests/report's samples.ompc (made_run_files.cpp): two threads, of which one waits for the
other's slow().
"""
import os
import subprocess
import sys
import tempfile

from browser import Browser

OMPCOLLECT, RUN, FOLDER = sys.argv[1:4]


def main():
    with tempfile.TemporaryDirectory() as work, Browser() as browser:
        path = os.path.join(work, "run.html")
        subprocess.run([OMPCOLLECT, "report", RUN, "--format", "html", "-o", path], check=True)
        page = browser.open(path)
        page.call("Emulation.setDeviceMetricsOverride", {"width": 900, "height": 800, "deviceScaleFactor": 1, "mobile": False})
        page.eval("showFlame(null)")
        page.screenshot(os.path.join(FOLDER, "page-verdict.png"), "#verdict")
        page.click("#findings button")
        page.screenshot(os.path.join(FOLDER, "page-region.png"), "#region-panel")
        page.click("#threads tr[data-key='1']")
        page.screenshot(os.path.join(FOLDER, "page-time-line.png"), "#timeline-section")
        page.eval("select({thread: null, order: 'callers', search: 'slow'})")
        page.settled()
        page.screenshot(os.path.join(FOLDER, "page-callers.png"), "[aria-labelledby=flame-head]")


main()
