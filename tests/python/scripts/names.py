# SPDX-License-Identifier: Apache-2.0
"""Names that are long, and in other scripts."""
from library import lib


def compiled(name, file):
    names = {}
    exec(compile(f"def {name}(lib):\n    lib.work(0.1)\n", file, "exec"), names)
    return names[name]


# share 1 of <long>:2, 1 of <علوم>:2, 1 of <計算>:2
compiled("a" * 10000, "f" * 10000 + "/<long>")(lib)
compiled("ملف", "<علوم>")(lib)
compiled("解く", "<計算>")(lib)
