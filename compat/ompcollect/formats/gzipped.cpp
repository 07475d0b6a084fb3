// SPDX-License-Identifier: Apache-2.0
#include "gzipped.h"

#include "late_zlib.h"

#include <algorithm>
#include <limits>
#include <new>

namespace ompcollect::report {
namespace {

std::string compressed(const std::string &bytes, int window_bits) {
    constexpr int kMemoryLevel = 8; // zlib's own
    z_stream stream = {};
    if (zlib().deflateInit2_(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, kMemoryLevel,
                             Z_DEFAULT_STRATEGY, ZLIB_VERSION, sizeof stream) != Z_OK) {
        throw std::bad_alloc();
    }
    std::string to;
    char buffer[1 << 16];
    size_t taken = 0;
    int result = Z_OK;
    while (result == Z_OK) {
        const size_t part =
            std::min<size_t>(bytes.size() - taken, std::numeric_limits<uInt>::max() / 2);
        stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data() + taken));
        stream.avail_in = static_cast<uInt>(part);
        do {
            stream.next_out = reinterpret_cast<Bytef *>(buffer);
            stream.avail_out = sizeof buffer;
            result = zlib().deflate(&stream, taken + part == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
            to.append(buffer, sizeof buffer - stream.avail_out);
        } while (stream.avail_out == 0);
        taken += part;
    }
    zlib().deflateEnd(&stream);
    return to;
}

} // namespace

std::string gzipped(const std::string &bytes) {
    constexpr int kWithGzipHeader = 16;
    return compressed(bytes, MAX_WBITS + kWithGzipHeader);
}

std::string deflated(const std::string &bytes) {
    return compressed(bytes, -MAX_WBITS);
}

} // namespace ompcollect::report
