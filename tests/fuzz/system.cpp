// SPDX-License-Identifier: Apache-2.0
// The system calls of the library as the input wants them (linked with --wrap): memory that is not
// there, and other contents of /proc/self/maps than the process has.
#include "input.h"

#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ocb::test {

System the_system;

namespace {

constexpr int kWrittenFile = 1 << 20; // no descriptor that the system would give
// Lines that a kernel would not write as well.
constexpr char kMaps[] = "00400000-00452000 r-xp 00000000 00:00 1 /a/program\n"
                         "00452000-00460000 rw-p 00052000 00:00 1 /a/program\n"
                         "\n"
                         "-\n"
                         "zz-00470000 r-xp\n"
                         "00460000 r-xp\n"
                         "ffffffffffffffffff-0 r-xp\n"
                         "100000000000-7fffffffffff --xp 00000000 00:00 0\n"
                         "8000000000000000-ffffffffffffffff r-xp 00000000 00:00 0 [vsyscall]";
std::size_t maps_read = 0;

} // namespace
} // namespace ocb::test

using ocb::test::kMaps;
using ocb::test::kWrittenFile;
using ocb::test::maps_read;
using ocb::test::System;
using ocb::test::the_system;

// NOLINTBEGIN(readability-identifier-naming): the linker's names
extern "C" {

int __real_open(const char *path, int flags, ...);
ssize_t __real_read(int file, void *buffer, size_t size);
int __real_close(int file);
long __real_syscall(long number, ...);
void *__real_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset);

int __wrap_open(const char *path, int flags, ...) {
    if (std::strcmp(path, "/proc/self/maps") != 0 || the_system.maps == System::Maps::kReal) {
        return __real_open(path, flags);
    }
    maps_read = 0;
    return the_system.maps == System::Maps::kWritten ? kWrittenFile : -1;
}

ssize_t __wrap_read(int file, void *buffer, size_t size) {
    if (file != kWrittenFile) {
        return __real_read(file, buffer, size);
    }
    size_t length = sizeof kMaps - 1 - maps_read;
    if (length > the_system.read_size) {
        length = the_system.read_size;
    }
    if (length > size) {
        length = size;
    }
    std::memcpy(buffer, kMaps + maps_read, length);
    maps_read += length;
    return static_cast<ssize_t>(length);
}

int __wrap_close(int file) {
    return file != kWrittenFile ? __real_close(file) : 0;
}

// Where all is one thread there is nothing to order between threads, which takes its time.
long __wrap_syscall(long number, long first, long second, long third) {
    return number != SYS_membarrier ? __real_syscall(number, first, second, third) : 0;
}

void *__wrap_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    if (the_system.failing_mmaps != 0) {
        --the_system.failing_mmaps;
        ++the_system.failed_mmaps;
        return MAP_FAILED;
    }
    return __real_mmap(address, size, protection, flags, file, offset);
}

} // extern "C"
// NOLINTEND(readability-identifier-naming)
