// SPDX-License-Identifier: Apache-2.0
#include "object.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>

namespace ocb::gomp {
namespace {

// The text stands in the object's read-only memory.
struct TextSearch {
    std::uintptr_t base;
    const char *text;
    bool is_found;
};

int search_object(dl_phdr_info *info, std::size_t, void *data) {
    auto &search = *static_cast<TextSearch *>(data);
    const std::size_t length = std::strlen(search.text) + 1;
    bool is_it = false;
    for (int i = 0; i < info->dlpi_phnum && !is_it; ++i) {
        is_it =
            info->dlpi_phdr[i].p_type == PT_LOAD &&
            info->dlpi_addr + (info->dlpi_phdr[i].p_vaddr & ~(info->dlpi_phdr[i].p_align - 1)) ==
                search.base;
    }
    if (!is_it) {
        return 0;
    }
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) &part = info->dlpi_phdr[i];
        if (part.p_type == PT_LOAD && (part.p_flags & PF_R) != 0 && (part.p_flags & PF_W) == 0 &&
            memmem(reinterpret_cast<const void *>(info->dlpi_addr + part.p_vaddr), part.p_memsz,
                   search.text, length) != nullptr) {
            search.is_found = true;
        }
    }
    return 1;
}

// Whoever asks for a tool reads this variable.
bool reads_tool_variable(std::uintptr_t base) {
    TextSearch search{base, "OMP_TOOL_LIBRARIES", false};
    dl_iterate_phdr(search_object, &search);
    return search.is_found;
}

} // namespace

std::uintptr_t base_of(const void *address) {
    Dl_info info;
    return dladdr(address, &info) != 0 ? reinterpret_cast<std::uintptr_t>(info.dli_fbase) : 0;
}

ObjectHandle::ObjectHandle(const void *address) {
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) {
        return;
    }
    base_ = reinterpret_cast<std::uintptr_t>(info.dli_fbase);
    handle_ = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

ObjectHandle::ObjectHandle(ObjectHandle &&other) noexcept
    : handle_(other.handle_), base_(other.base_) {
    other.handle_ = nullptr;
}

ObjectHandle::~ObjectHandle() {
    if (handle_ != nullptr) {
        dlclose(handle_);
    }
}

void *ObjectHandle::find(const char *name) const {
    return handle_ != nullptr ? dlsym(handle_, name) : nullptr;
}

void *ObjectHandle::keep() {
    void *handle = handle_;
    handle_ = nullptr;
    return handle;
}

ObjectHandle any_object_with(const char *name) {
    const std::uintptr_t own = base_of(reinterpret_cast<const void *>(&base_of));
    void *program = dlopen(nullptr, RTLD_LAZY);
    link_map *object = nullptr;
    if (program == nullptr || dlinfo(program, RTLD_DI_LINKMAP, &object) != 0) {
        return {};
    }
    const void *found = nullptr;
    for (; object != nullptr && found == nullptr; object = object->l_next) {
        void *handle =
            object->l_name[0] != '\0' ? dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
        if (handle == nullptr) {
            continue;
        }
        const void *address = dlsym(handle, name);
        if (address != nullptr && base_of(address) == object->l_addr && object->l_addr != own) {
            found = address;
        }
        dlclose(handle);
    }
    dlclose(program);
    return found != nullptr ? ObjectHandle(found) : ObjectHandle();
}

bool is_libgomp_without_ompt(std::uintptr_t base) {
    const ObjectHandle object(reinterpret_cast<const void *>(base));
    const auto defines = [&](const char *name) {
        const void *address = object.find(name);
        return address != nullptr && base_of(address) == base;
    };
    return object && defines("GOMP_parallel") && !defines("__kmpc_fork_call") &&
           !defines("ompt_start_tool") && !reads_tool_variable(base);
}

} // namespace ocb::gomp
