# SPDX-License-Identifier: Apache-2.0
# The ways in which a foreign suite is run: a program alone, and with this project's libraries before
# its runtime. A run is what a user could see of it: how it ended and what it wrote.
import dataclasses
import os
import pathlib
import signal
import subprocess
import tempfile

LIMIT_S = 600  # for what hangs: natively the longest takes 15 s, with the validating tool 60 s


@dataclasses.dataclass(frozen=True)
class Run:
    ended: str  # "0", "SIGSEGV", "hangs"
    out: bytes
    err: bytes


# What a way is compared with, where that is not the program alone.
REFERENCES = {"libomp": "alone on libomp"}


class Ways:
    def __init__(self, build, libomp=None):
        library = pathlib.Path(build, "lib").resolve()
        self.launcher = str(pathlib.Path(build, "bin", "ompcollect").resolve())
        ompt = str(library / "libgomp-ompt.so")
        bridge = str(library / "libomp-collector-bridge.so")
        collector = str(library / "libocb-fake-collector.so")
        validator = str(library / "libocb-libgomp-validator.so")
        self.preload = {
            "alone": [],
            "ompt": [ompt],
            "tool": [ompt, validator],
            "bridge": [ompt, bridge, collector],
        }
        self.launched = {"ompcollect": []}
        if libomp:
            libomp = str(pathlib.Path(libomp).resolve())
            self.preload["alone on libomp"] = [libomp]
            self.launched["libomp"] = ["--runtime", libomp]
        for path in (self.launcher, ompt, bridge, collector, validator, libomp or bridge):
            if not pathlib.Path(path).exists():
                raise SystemExit(f"{path} is not there")

    def names(self):
        return [name for name in [*self.preload, *self.launched] if not name.startswith("alone")]

    # Returns the run and what the validator wrote.
    def run(self, way, program, extra=None, cwd=None):
        with tempfile.TemporaryDirectory(prefix="ocb-suite-") as folder:
            found = pathlib.Path(folder, "validated")
            environment = {
                "PATH": os.environ["PATH"],
                "HOME": folder,
                "TMPDIR": folder,
                "OMP_WAIT_POLICY": "passive",
                "OCB_VALIDATE": str(found),
                **(extra or {}),
            }
            command = [program]
            if way in self.launched:
                command = [self.launcher, *self.launched[way], "-o", f"{folder}/profile", "--", program]
            elif self.preload[way]:
                environment["LD_PRELOAD"] = ":".join(self.preload[way])
            run = execute(command, environment, cwd)
            return run, found.read_text() if found.exists() else ""


def execute(command, environment, cwd=None):
    process = subprocess.Popen(command, env=environment, cwd=cwd, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
    try:
        out, err = process.communicate(timeout=LIMIT_S)
        return Run(end_of(process.returncode), out, err)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return Run("hangs", out, err)


def end_of(code):
    return str(code) if code >= 0 else signal.Signals(-code).name
