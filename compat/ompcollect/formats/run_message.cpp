// SPDX-License-Identifier: Apache-2.0
#include "run_message.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace ompcollect::report {
namespace {

using Prefix = flatbuffers::uoffset_t;

// From here on a message has pages of its own.
constexpr size_t kManyBytes = size_t{1} << 24U;

void require_read(std::istream &in, size_t size) {
    if (!in || static_cast<size_t>(in.gcount()) != size) {
        throw std::runtime_error("it ends too early");
    }
}

} // namespace

void MessageFreed::operator()(uint8_t *bytes) const {
    if (mapped != 0) {
        munmap(bytes, mapped);
    } else {
        delete[] bytes;
    }
}

Message::Message(std::istream &in) {
    uint8_t prefix[sizeof(Prefix)];
    in.read(reinterpret_cast<char *>(prefix), sizeof prefix);
    require_read(in, sizeof prefix);
    const size_t body = flatbuffers::ReadScalar<Prefix>(prefix);
    size_ = sizeof prefix + body;
    if (size_ >= FLATBUFFERS_MAX_BUFFER_SIZE) {
        throw std::runtime_error("a part of it is too large");
    }
    if (size_ < kManyBytes) {
        memory_ = {new uint8_t[size_], MessageFreed{}};
    } else {
        // A size that is not true costs address space alone.
        void *pages = mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (pages == MAP_FAILED) {
            throw std::bad_alloc();
        }
        memory_ = {static_cast<uint8_t *>(pages), MessageFreed{size_}};
    }
    std::copy(prefix, prefix + sizeof prefix, memory_.get());
    in.read(reinterpret_cast<char *>(memory_.get()) + sizeof prefix,
            static_cast<std::streamsize>(body));
    require_read(in, body);
}

void Message::drop_bytes(const uint8_t *begin, const uint8_t *end) const {
    if (memory_.get_deleter().mapped == 0) {
        return;
    }
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const auto offset = static_cast<size_t>(begin - memory_.get());
    const size_t first = (offset + page - 1) / page * page;
    const size_t last = static_cast<size_t>(end - memory_.get()) / page * page;
    if (first < last) {
        madvise(memory_.get() + first, last - first, MADV_DONTNEED);
    }
}

} // namespace ompcollect::report
