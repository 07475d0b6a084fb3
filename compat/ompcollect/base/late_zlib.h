// SPDX-License-Identifier: Apache-2.0
//
// The functions of zlib: packed formats and check sums, which a report as text has none of.
#pragma once

#include "late_library.h"

#include <zlib.h>

namespace ompcollect::report {

struct Zlib {
    LateLibrary library{"libz.so.1", "zlib1g"};
    OMPCOLLECT_LATE(crc32);
    OMPCOLLECT_LATE(crc32_z);
    OMPCOLLECT_LATE(deflate);
    OMPCOLLECT_LATE(deflateEnd);
    OMPCOLLECT_LATE(deflateInit2_);
};

// Throws Failure where it is missing.
inline const Zlib &zlib() {
    static const Zlib kFound;
    return kFound;
}

} // namespace ompcollect::report
