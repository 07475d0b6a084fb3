# SPDX-License-Identifier: Apache-2.0
import os

import spack
from spack.package import *


class OmpCollectorBridge(CMakePackage):
    """The OpenMP Collector API served from OMPT, and ompcollect, a profiler for OpenMP programs that
    are not compiled anew."""

    # The archive of a release is put where spack is started, or into a mirror. Its checksum cannot
    # stand in it, as it has this file: `spack install --no-checksum`.
    manual_download = True
    url = f"file://{os.getcwd()}/omp-collector-bridge-0.1.0.tar.gz"

    license("Apache-2.0")

    version("0.1.0")

    variant("tools", default=True, description="Build ompcollect, ompt-compliance and the front")
    variant("view", default=True, when="+tools", description="ompcollect view, in the terminal")
    variant("hardened", default=False, description="Build as distributions do, against attacks")

    if spack.spack_version_info >= (1, 0):  # languages are packages there
        depends_on("c", type="build")
        depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    with when("+tools"):
        depends_on("pkgconfig", type="build")
        depends_on("cli11@2:", type="build")
        depends_on("nlohmann-json@3.11:", type="build")
        depends_on("protozero", type="build")
        depends_on("flatbuffers@2:", type="build")
        depends_on("elfutils")
        depends_on("sqlite@3")
        depends_on("zlib-api")
    depends_on("ncurses", when="+view")

    conflicts("platform=darwin", msg="OMPT is served on Linux with glibc alone")
    conflicts("platform=windows", msg="OMPT is served on Linux with glibc alone")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("OCB_BUILD_TESTS", False),
            self.define_from_variant("OCB_BUILD_COMPAT", "tools"),
            self.define_from_variant("OCB_HARDEN", "hardened"),
        ]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        if self.spec.satisfies("+tools"):
            Executable(self.prefix.bin.ompcollect)("--version")
