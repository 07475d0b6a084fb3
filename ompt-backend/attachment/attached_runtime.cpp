// SPDX-License-Identifier: Apache-2.0
#include "attachment/attached_runtime.h"

#include "attachment/loaded_object.h"
#include "attachment/runtime_search.h"
#include "base/kept_text.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <span>

namespace ocb::ompt {
constinit std::atomic<const Adapter *> adapter_in_use{&kExpectedAdapter};

namespace {

constexpr std::size_t kMostText = 256;

// Of the runtime that was the last to ask for its tool. A thread that loads a pointer sees the text
// behind it.
constinit std::atomic<const char *> file{""};
constinit std::atomic<const char *> version{""};
constinit std::atomic<unsigned> version_number{0};

// The path for people. For the program it is the name by which it was called.
const char *kept_path(const LoadedObject &object) {
    const char *path = object.path();
    return kept_text(path[0] != '\0' ? path : program_invocation_name, PATH_MAX);
}

bool keep_file_of_first(bool (*fits)(const LoadedObject &)) {
    bool is_found = false;
    for_each_loaded_object([&](const LoadedObject &object) {
        is_found = fits(object);
        if (is_found) {
            file.store(kept_path(object), std::memory_order_release);
        }
        return !is_found;
    });
    return is_found;
}

constexpr SetResult kNoAnswer = {"not asked", runtime::Service::kFull};
constexpr SetResult kUnknown = {"unknown", runtime::Service::kNone};

constinit std::atomic<bool> has_barrier_without_kind{false};

// Of each row of the adapter's callbacks: the result plus 1; 0: not asked.
constinit std::atomic<int> results[kMostCallbacks] = {};

} // namespace

const SetResult &meaning_of(int result) {
    if (result < 0) {
        return kNoAnswer;
    }
    const std::span<const SetResult> rows = current_adapter().results;
    return static_cast<std::size_t>(result) < rows.size() ? rows[static_cast<std::size_t>(result)]
                                                          : kUnknown;
}

int result_of(std::size_t row) {
    return results[row].load(std::memory_order_relaxed) - 1;
}

void keep_version(unsigned omp_version, const char *runtime_version, std::size_t most) {
    version_number.store(omp_version, std::memory_order_relaxed);
    const char *text = runtime_version != nullptr ? runtime_version : "";
    version.store(kept_text(text, most < kMostText ? most : kMostText), std::memory_order_release);
}

void forget_results() {
    for (std::atomic<int> &result : results) {
        result.store(0, std::memory_order_relaxed);
    }
    has_barrier_without_kind.store(false, std::memory_order_relaxed);
}

void record_barrier_without_kind() {
    if (!has_barrier_without_kind.load(std::memory_order_relaxed)) {
        has_barrier_without_kind.store(true, std::memory_order_relaxed);
    }
}

const char *silence_of_barriers() {
    return has_barrier_without_kind.load(std::memory_order_relaxed)
               ? "the runtime reports barriers without their kind, and its state does not show it: "
                 "explicit ones show IBAR"
               : nullptr;
}

// The lookup is the runtime's, or that of a tool in front that serves us as its client, as a
// program with the static library inside does. In the second case the runtime is searched for.
void keep_file(Lookup lookup) {
    bool is_of_tool = false;
    visit_object_of(reinterpret_cast<const void *>(lookup), [&](const LoadedObject &object) {
        is_of_tool = is_tool(object);
        file.store(kept_path(object), std::memory_order_release);
    });
    if (is_of_tool && !keep_file_of_first(is_runtime_with_ompt)) {
        keep_file_of_first(is_provider);
    }
}

void keep_result(std::size_t row, int result) {
    results[row].store(result + 1, std::memory_order_relaxed);
}

bool is_served(int callback) {
    const std::span<const CallbackRow> rows = current_adapter().callbacks;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (rows[row].number == callback) {
            return result_of(row) >= 0 &&
                   meaning_of(result_of(row)).service != runtime::Service::kNone;
        }
    }
    return false;
}

const char *runtime_file() {
    return file.load(std::memory_order_acquire);
}

const char *runtime_version() {
    return version.load(std::memory_order_acquire);
}

unsigned runtime_version_number() {
    return version_number.load(std::memory_order_relaxed);
}

} // namespace ocb::ompt
