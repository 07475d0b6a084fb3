// SPDX-License-Identifier: Apache-2.0
//
// The layout is that of the Linux Standard Base, "Exception Frames".
#include "frame_tables.h"

#include "machine.h"
#include "module_map.h"

#include <cstring>
#include <dlfcn.h>

namespace ompcollect {
namespace {

// glibc 2.35 and later; the structure has room to grow.
struct FoundObject {
    unsigned long long flags;
    void *begin;
    void *end;
    void *link_map;
    void *index;
    unsigned long long reserved[7];
};
using FindObject = int (*)(void *, FoundObject *);
constinit FindObject find_object = nullptr;

} // namespace

void find_frame_tables() {
    find_object = reinterpret_cast<FindObject>(dlsym(RTLD_DEFAULT, "_dl_find_object"));
}

bool tables_of(uintptr_t address, Tables &tables) {
    if (find_object) {
        FoundObject found;
        if (find_object(reinterpret_cast<void *>(address), &found) != 0 || !found.index) {
            return false;
        }
        tables = {static_cast<const uint8_t *>(found.index),
                  static_cast<const uint8_t *>(found.begin),
                  static_cast<const uint8_t *>(found.end)};
        // Of a file whose segments do not touch, glibc returns the one segment that has the
        // address.
        if (tables.index >= tables.begin && tables.index < tables.end) {
            return true;
        }
    }
    const Module *module = find_module(address);
    if (!module || module->frame_index == 0 || !modules_are_fresh()) {
        return false;
    }
    tables = {reinterpret_cast<const uint8_t *>(module->frame_index),
              reinterpret_cast<const uint8_t *>(module->begin),
              reinterpret_cast<const uint8_t *>(module->end)};
    return true;
}

const uint8_t *find_description(const Tables &tables, uintptr_t address) {
    Bytes head(tables.index, tables.end);
    const auto version = head.take<uint8_t>();
    const auto pointer_encoding = head.take<uint8_t>();
    const auto count_encoding = head.take<uint8_t>();
    const auto table_encoding = head.take<uint8_t>();
    if (version != 1 || table_encoding != (kFromTable | kSigned4) || count_encoding == kOmitted ||
        pointer_encoding == kOmitted) {
        return nullptr;
    }
    head.take_form(pointer_encoding);
    const auto count = static_cast<uint64_t>(head.take_form(count_encoding));
    struct Entry {
        int32_t begin; // both from the index's own address
        int32_t description;
    };
    if (!head.good() || count == 0 ||
        count > static_cast<uint64_t>(tables.end - head.at()) / sizeof(Entry)) {
        return nullptr;
    }
    const auto entry = [&](uint64_t i) {
        Entry found;
        memcpy(&found, head.at() + i * sizeof found, sizeof found);
        return found;
    };
    const auto wanted = static_cast<int64_t>(address - reinterpret_cast<uintptr_t>(tables.index));
    uint64_t low = 0;
    uint64_t high = count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (entry(middle).begin <= wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const uint8_t *found = low != 0 ? tables.index + entry(low - 1).description : nullptr;
    return found >= tables.begin && found < tables.end ? found : nullptr;
}

bool open_entry(const uint8_t *at, const Tables &tables, Bytes &entry) {
    if (at < tables.begin || at >= tables.end) {
        return false;
    }
    Bytes head(at, tables.end);
    const auto length = head.take<uint32_t>();
    if (!head.good() || length == 0xffffffff ||
        length > static_cast<uint64_t>(tables.end - head.at())) {
        return false;
    }
    entry = Bytes(head.at(), head.at() + length);
    return true;
}

namespace {

bool read_extra(Bytes &entry, const char *letters, Common &common) {
    const uint64_t length = entry.take_uleb();
    const uint8_t *begin = entry.at();
    for (const char *letter = letters; *letter; ++letter) {
        switch (*letter) {
        case 'R':
            common.encoding = entry.take<uint8_t>();
            break;
        case 'P':
            entry.take_form(entry.take<uint8_t>());
            break;
        case 'L':
            entry.take<uint8_t>();
            break;
        case 'S':
            common.is_signal_frame = true;
            break;
        default:
            break;
        }
    }
    const auto read = static_cast<uint64_t>(entry.at() - begin);
    entry.skip(length > read ? length - read : 0);
    return entry.good();
}

bool read_common(const uint8_t *at, const Tables &tables, Common &common) {
    Bytes entry(nullptr, nullptr);
    if (!open_entry(at, tables, entry) || entry.take<uint32_t>() != 0) {
        return false;
    }
    const auto version = entry.take<uint8_t>();
    const auto *letters = reinterpret_cast<const char *>(entry.at());
    while (entry.more() && entry.take<char>() != 0) {
    }
    common.code_unit = entry.take_uleb();
    common.data_unit = entry.take_sleb();
    const uint64_t return_column = version == 1 ? entry.take<uint8_t>() : entry.take_uleb();
    if (!entry.good() || (version != 1 && version != 3) || return_column != kRegisterPc) {
        return false;
    }
    common.has_extra = *letters == 'z';
    if (common.has_extra ? !read_extra(entry, letters + 1, common) : *letters != 0) {
        return false;
    }
    common.begin = entry.at();
    common.end = entry.end();
    return true;
}

} // namespace

bool find_described(uintptr_t address, Described &found) {
    Tables tables;
    if (!tables_of(address, tables)) {
        return false;
    }
    const uint8_t *at = find_description(tables, address);
    Bytes &entry = found.entry;
    if (!at || !open_entry(at, tables, entry)) {
        return false;
    }
    const uint8_t *here = entry.at();
    const auto back = entry.take<uint32_t>();
    if (back == 0 || !read_common(here - back, tables, found.common)) {
        return false;
    }
    found.begin = entry.take_pointer(found.common.encoding);
    found.end = found.begin + static_cast<uintptr_t>(entry.take_form(found.common.encoding));
    if (found.common.has_extra) {
        entry.skip(entry.take_uleb());
    }
    return entry.good() && address >= found.begin && address < found.end;
}

} // namespace ompcollect
