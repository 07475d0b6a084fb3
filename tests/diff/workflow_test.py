# SPDX-License-Identifier: Apache-2.0
"""workflow_test.py BIN CC PROGRAM.c WORKFLOW.yml - the commands of the example workflow, as they stand, in
a repository of two commits. Those that install are left out: BIN has ompcollect.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

BIN, CC, SOURCE, WORKFLOW = (os.path.abspath(word) for word in sys.argv[1:5])
MAKEFILE = "program: program.c\n\t{cc} -O1 -g -fopenmp {more} -o program program.c\n"


def steps():
    """{name: commands} of the steps with a name."""
    with open(WORKFLOW, encoding="utf-8") as file:
        text = file.read()
    found = {}
    for step in re.split(r"(?m)^ {6}- ", text)[1:]:
        name = re.match(r"name: (.*)", step)
        block = re.search(r"(?m)^ {8}run: (?:\|\n((?: {10}.*\n|\n)+)|(.*)$)", step)
        if name and block:
            found[name[1]] = textwrap.dedent(block[1] or block[2])
    return found


class Workflow(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="workflow-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = {"PATH": f"{BIN}:{os.environ['PATH']}", "HOME": self.folder, "LANG": "C.UTF-8", "RUNS": "4",
                            "BUILD": "make program", "PROGRAM": "./program 20", "OMP_NUM_THREADS": "2"}

    def sh(self, commands):
        """As the server's shell runs them: the first that fails ends the step."""
        return subprocess.run(["sh", "-e", "-c", commands], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)

    def commit(self, more):
        shutil.copy(SOURCE, f"{self.folder}/program.c")
        with open(f"{self.folder}/Makefile", "w", encoding="utf-8") as file:
            file.write(MAKEFILE.format(cc=CC, more=more))
        done = self.sh("git init -q . && git add Makefile program.c && "
                       "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m change && git rev-parse HEAD")
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout.split()[-1]

    def compared(self, more):
        """The exit code and the output of the step that compares."""
        self.environment["BASE"] = self.commit("")
        self.commit(more)
        for name in ("Build both", "Run both by turns"):
            done = self.sh(steps()[name])
            self.assertEqual(done.returncode, 0, f"{name}: {done.stdout}")
        done = self.sh(steps()["Compare"])
        self.assertTrue(os.path.exists(f"{self.folder}/comparison.html"), done.stdout)
        return done

    def test_all_steps_are_known(self):
        self.assertEqual(list(steps()), ["Install tools", "Install ompcollect", "Build both", "Run both by turns", "Compare"])

    def test_a_slower_program_fails(self):
        done = self.compared("-DSLOWER=300")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("::error title=ompcollect%3A broken::broken: processor > +5%25: +", done.stdout)

    def test_a_renamed_function_does_not(self):
        # Other tests take processors of one side more than of the other, now and then.
        for _ in range(3):
            self.setUp()
            done = self.compared("-DRENAMED -DSLOWER=-90")
            if done.returncode == 0:
                break
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("::error", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
