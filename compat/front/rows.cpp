// SPDX-License-Identifier: Apache-2.0
#include "rows.h"

#include "omp_collector_bridge.h"
#include "provider.h"
#include "scope.h"

#include <cstring>
#include <dlfcn.h>

extern "C" {
__attribute__((visibility("hidden"))) constinit ocb::front::Slot
    ocb_front_slots[ocb::front::kMostRows][ocb::front::kStubCount]{};
constinit thread_local ocb::front::Slot *ocb_front_called_slot = nullptr;
}

namespace ocb::front {
namespace {

struct Name {
    SymbolName name;
    bool is_old; // the version of libgomp before gcc 4.4
};
constexpr Name kNames[] = {
#define FORK(name, function, words)         {#name, false},
#define ENTRY(name, kind, words, after)     {#name, false},
#define PLAIN(name)                         {#name, false},
#define OLD_ENTRY(name, kind, words, after) {#name, true},
#define OLD_PLAIN(name)                     {#name, true},
#include "entries.h"
};
static_assert(sizeof kNames / sizeof kNames[0] == kStubCount);

// Fast look-up by name: when a runtime is opened, all its own names are looked up.
struct Buckets {
    static constexpr int kCount = 256;
    int first[kCount];
    int next[kStubCount];

    constexpr Buckets() : first{}, next{} {
        for (int &head : first) {
            head = kStubCount;
        }
        for (int i = 0; i < kStubCount; ++i) {
            int &head = first[kNames[i].name.hash % kCount];
            next[i] = head;
            head = i;
        }
    }
};
constexpr Buckets kBuckets;
constexpr char kOldVersion[] = "OMP_1.0";

// Entries for the provider alone.
constexpr bool kIsPlain[] = {
#define FORK(name, function, words)         false,
#define ENTRY(name, kind, words, after)     false,
#define PLAIN(name)                         true,
#define OLD_ENTRY(name, kind, words, after) false,
#define OLD_PLAIN(name)                     true,
#include "entries.h"
};

struct Row {
    std::uintptr_t base; // of the object with the definitions; 0: free
    bool is_closed;
    bool is_served; // by the provider
    std::uintptr_t behind[kStubCount];
};
constinit Row rows[kMostRows]{};

int take_row(std::uintptr_t base, bool is_served) {
    for (int row = is_served ? 0 : 1; row < kMostRows; ++row) {
        if (rows[row].base == 0) {
            rows[row].base = base;
            rows[row].is_served = is_served;
            return row;
        }
    }
    return -1;
}

// Keeps a library loaded that objects call through stubs: the linker does not know that they need
// it.
bool keep_loaded(const ObjectList &objects, const Object &object) {
    return is_first_object(objects, object) ||
           dlopen(object.name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
}

int new_row(const ObjectList &objects, const Object &object, const void *definition,
            const SymbolName &name) {
    const Runtime runtime(objects, definition, name);
    if (runtime.object() == nullptr ||
        objects.dynamic_of(object).defines(OMP_COLLECTOR_FRONT_CONNECT) ||
        !keep_loaded(objects, object) || !keep_loaded(objects, *runtime.object())) {
        return -1;
    }
    const bool is_served = kProvider.serves(*runtime.object());
    const int row = take_row(object.base, is_served);
    if (row >= 0 && is_served) {
        kProvider.begin_serving(row, runtime);
    }
    return row;
}

// A runtime inside of the program gets no row: most calls to it go through no slot.
int row_of(const ObjectList &objects, const void *definition, const SymbolName &name) {
    const Object *object = objects.holding(definition);
    if (object == nullptr || object->name[0] == '\0') {
        return -1;
    }
    for (int row = 0; row < kMostRows; ++row) {
        if (rows[row].base == object->base) {
            return row;
        }
    }
    return new_row(objects, *object, definition, name);
}

// A quick test: most names of a program are not those of a runtime.
bool has_prefix(const char *name) {
    switch (name[0]) {
    case 'G':
        return std::strncmp(name, "GOMP_", 5) == 0;
    case 'o':
        return std::strncmp(name, "omp_", 4) == 0;
    case '_':
        return std::strncmp(name, "__kmpc_", 7) == 0;
    default:
        return false;
    }
}

} // namespace

Stub stub_of(const char *text, const char *version) {
    if (!has_prefix(text)) {
        return kStubCount;
    }
    const SymbolName name(text);
    const bool is_old = version != nullptr && std::strcmp(version, kOldVersion) == 0;
    int any = kStubCount;
    for (int i = kBuckets.first[name.hash % Buckets::kCount]; i != kStubCount;
         i = kBuckets.next[i]) {
        if (kNames[i].name.hash != name.hash || std::strcmp(kNames[i].name.text, text) != 0) {
            continue;
        }
        if (kNames[i].is_old == is_old) {
            return static_cast<Stub>(i);
        }
        if (!kNames[i].is_old) {
            any = i;
        }
    }
    return static_cast<Stub>(any);
}

Runtime::Runtime(const ObjectList &objects, const void *definition, const SymbolName &name)
    : objects_(objects), callee_(objects.holding(definition)), object_(nullptr),
      is_for_all_(definition_in_global_scope(objects, name, nullptr) == definition) {
    object_ = objects.holding(function("omp_get_num_procs", nullptr));
}

const void *Runtime::function(const SymbolName &name, const char *version) const {
    return is_for_all_ ? definition_in_global_scope(objects_, name, version)
                       : definition_in_scope_of(objects_, *callee_, name, version);
}

std::uintptr_t stub_for(const ObjectList &objects, Stub stub, const void *definition) {
    const int row = row_of(objects, definition, kNames[stub].name);
    if (row < 0 || rows[row].is_closed || (kIsPlain[stub] && !rows[row].is_served)) {
        return 0;
    }
    std::uintptr_t &behind = rows[row].behind[stub];
    const auto address = reinterpret_cast<std::uintptr_t>(definition);
    if (behind == 0) {
        behind = address;
        Slot &slot = ocb_front_slots[row][stub];
        if (slot.target == nullptr) {
            __atomic_store_n(&slot.target, const_cast<void *>(definition), __ATOMIC_RELEASE);
        }
    } else if (behind != address) {
        return 0;
    }
    return reinterpret_cast<std::uintptr_t>(ocb_front_stubs) +
           kStubSize * (static_cast<std::size_t>(row) * kStubCount + stub);
}

bool is_stub(std::uintptr_t address) {
    return address - reinterpret_cast<std::uintptr_t>(ocb_front_stubs) <
           kStubSize * kMostRows * kStubCount;
}

std::uintptr_t behind_stub_of(int row, std::uintptr_t address) {
    const std::uintptr_t number =
        (address - reinterpret_cast<std::uintptr_t>(ocb_front_stubs)) / kStubSize;
    const std::uintptr_t first = static_cast<std::uintptr_t>(row) * kStubCount;
    return is_stub(address) && number - first < kStubCount ? rows[row].behind[number - first] : 0;
}

void close_row(int row) {
    rows[row].is_closed = true;
}

} // namespace ocb::front
