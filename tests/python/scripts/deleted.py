# SPDX-License-Identifier: Apache-2.0
"""A module whose file is deleted while it runs, and one that another file has taken the place of."""
import importlib
import os
import sys
import tempfile

import library  # the modules want it

with tempfile.TemporaryDirectory() as folder:
    sys.path.insert(0, folder)
    path = os.path.join(folder, "soon_gone.py")
    with open(path, "w") as out:
        out.write("from library import lib\n\n\ndef run():\n    lib.work(0.1)\n")
    module = importlib.import_module("soon_gone")
    with open(path, "w") as out:
        out.write("\n" * 50)
    module.run()
    os.unlink(path)
# share 4 of soon_gone.py:5
module.run()
module.run()
module.run()
