# SPDX-License-Identifier: Apache-2.0
#
# tsan_launcher.py BUILD COMPILER - builds the launcher in the preset tsan, and runs it on a terminal
# with BUILD's libraries: a program, with and without profiles in between, and reports of a large
# saved run. ThreadSanitizer must report nothing. The launcher has a second thread while it reads
# and reports: it must have written its line.
import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile

SOURCES = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = """
#include <omp.h>
int main(void) {
    double end = omp_get_wtime() + 2.5;
    while (omp_get_wtime() < end) {
#pragma omp parallel num_threads(2)
        for (volatile int i = 0; i < 100000; ++i) {
        }
    }
}
"""


def build_launcher():
    folder = SOURCES / "build" / "tsan-launcher"
    subprocess.run(["cmake", "--preset", "tsan", "-B", folder, "-DOCB_TEST_CHECKS=OFF",
                    "-DOCB_BUILD_TESTS=OFF"], cwd=SOURCES, check=True)
    subprocess.run(["nice", "-n", "19", "cmake", "--build", folder, "--target", "ompcollect"], check=True)
    return folder / "bin" / "ompcollect"


# What the command writes to a terminal, and its exit code.
def on_terminal(words, environment):
    child, terminal = pty.fork()
    if child == 0:
        os.execve(words[0], words, environment)
    said = b""
    while True:
        try:
            more = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        said += more
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said.decode(errors="replace")


def make_place(folder, build, compiler):
    (folder / "bin").mkdir()
    launcher = folder / "bin" / "ompcollect"
    launcher.write_bytes(build_launcher().read_bytes())
    launcher.chmod(0o755)
    (folder / "lib").symlink_to(build.resolve() / "lib")
    (folder / "program.c").write_text(PROGRAM)
    program = str(folder / "program")
    subprocess.run([compiler, "-O1", "-g", "-fopenmp", folder / "program.c", "-o", program], check=True)
    sys.path.insert(0, str(SOURCES / "tests" / "report"))
    import growth

    large = str(folder / "large.ompc")
    pathlib.Path(large).write_text(json.dumps(growth.run_of("samples", 1000000)))
    return str(launcher), program, large


def main():
    build, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory(prefix="ocb-tsan-") as place:
        folder = pathlib.Path(place)
        launcher, program, large = make_place(folder, build, compiler)
        environment = {**os.environ, "TMPDIR": place, "TERM": "xterm",
                       "TSAN_OPTIONS": f"log_path={place}/races"}
        saved = str(folder / "run.ompc")
        out = str(folder / "out")
        failures = []
        has_progress = False
        for words in (["--", program], ["--interval", "1", "--", program], ["-o", saved, "--", program],
                      ["report", saved], ["report", large], ["report", large, "--format", "json", "-o", out],
                      ["report", large, "--format", "html", "-o", out], ["diff", large, saved]):
            code, said = on_terminal([launcher, *words], environment)
            has_progress = has_progress or "ompcollect: reading " in said
            if code != 0:
                failures.append(f"{words} ends with {code}\n{said[-2000:]}")
        failures += [report.read_text() for report in folder.glob("races*")]
        if not has_progress:
            failures.append("the launcher's second thread has written nothing")
    print("\n".join(failures) or "no races")
    sys.exit(1 if failures else 0)


main()
