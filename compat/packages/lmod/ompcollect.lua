-- SPDX-License-Identifier: Apache-2.0
-- For Lmod: PREFIX/share/modulefiles/ompcollect/VERSION.lua. It finds PREFIX by its own place.
local prefix = myFileName():match("^(.*)/[^/]+/modulefiles/[^/]+/[^/]+$")

whatis("Name: ompcollect")
whatis("Version: " .. myModuleVersion())
whatis("Description: profiler for OpenMP programs; the OpenMP Collector API on top of OMPT")
help([[
ompcollect ./program          shows where an OpenMP program waits, and why
srun ompcollect ./program     the same for all ranks of a job step, as one result
man ompcollect                has the options
]])

prepend_path("PATH", pathJoin(prefix, "bin")) -- man finds its pages by it
-- For who writes a collector.
prepend_path("CMAKE_PREFIX_PATH", prefix)
prepend_path("PKG_CONFIG_PATH", pathJoin(prefix, "@CMAKE_INSTALL_LIBDIR@/pkgconfig"))
