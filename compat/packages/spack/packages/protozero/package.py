# SPDX-License-Identifier: Apache-2.0
import spack
from spack.package import *


class Protozero(CMakePackage):
    """Minimalistic protocol buffer decoder and encoder in C++, headers alone. Spack's own collection
    has no package of it."""

    homepage = "https://github.com/mapbox/protozero"
    git = "https://github.com/mapbox/protozero.git"

    license("BSD-2-Clause")

    version("1.7.1", tag="v1.7.1")

    if spack.spack_version_info >= (1, 0):  # languages are packages there
        depends_on("cxx", type="build")
    depends_on("cmake@3.5:", type="build")

    def cmake_args(self):
        return [self.define("BUILD_TESTING", False)]
