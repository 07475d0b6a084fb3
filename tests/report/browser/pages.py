# SPDX-License-Identifier: Apache-2.0
"""What tests of a run's page share: `python3 TEST OMPCOLLECT FOLDER [TEST...]`. FOLDER has saved runs
(made_run_files.cpp); a TEST is a class or its method, as unittest takes it.
"""
import atexit
import json
import os
import subprocess
import sys
import tempfile
import unittest

from browser import Browser

OMPCOLLECT, RUNS = (os.path.abspath(word) for word in sys.argv[1:3])
WORK = tempfile.TemporaryDirectory()


def report(run, form, *more):
    return subprocess.run([OMPCOLLECT, "report", run, "--format", form, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True,
                          env={**os.environ, "COLUMNS": "400"}).stdout.decode()


def file_of(name):
    return os.path.join(RUNS, name + ".ompc")


def page_of(run, *more):
    path = os.path.join(WORK.name, os.path.basename(run) + "".join(more) + ".html")
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as out:
            out.write(report(run, "html", *more))
    return path


class Pages(unittest.TestCase):
    browser = None  # one for all tests, as it takes seconds to begin

    @classmethod
    def setUpClass(cls):
        if not Pages.browser:
            Pages.browser = Browser()
            atexit.register(Pages.browser.__exit__)

    def open(self, name, *more, **settings):
        page = self.browser.open(page_of(file_of(name)), *more, **settings)
        self.addCleanup(page.close)
        return page

    def process(self, name):
        return json.loads(report(file_of(name), "json"))
