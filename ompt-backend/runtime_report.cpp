// SPDX-License-Identifier: Apache-2.0
#include "runtime_report.h"

#include "callbacks.h"
#include "omp_collector_bridge.h"
#include "runtime.h"
#include "runtime_search.h"
#include "spin_lock.h"

#include <atomic>
#include <climits>
#include <cstring>
#include <dlfcn.h>

namespace ocb {
namespace ompt5 {
namespace {

constexpr std::size_t kTextSize = 256;

// Written by the runtime's one initialisation at a time.
constinit char file[PATH_MAX] = "";
constinit char version[kTextSize] = "";
constinit unsigned version_number = 0;

struct Answer {
    const char *name;
    runtime::Service service;
};
// By the value of ompt_set_result_t.
constexpr Answer kAnswers[] = {
    {"error", runtime::Service::kNone},
    {"never", runtime::Service::kNone},
    {"impossible", runtime::Service::kNone},
    {"sometimes", runtime::Service::kPartial},
    {"sometimes_paired", runtime::Service::kPartial},
    {"always", runtime::Service::kFull},
};
constexpr int kAnswerCount = sizeof(kAnswers) / sizeof(kAnswers[0]);
static_assert(kAnswerCount == ompt_set_always + 1);
constexpr Answer kNotAsked = {"not asked", runtime::Service::kFull};
constexpr Answer kUnknown = {"unknown", runtime::Service::kNone};

// Of each row of kCallbacks: the result plus 1; 0: not asked.
constinit std::atomic<int> results[kCallbackCount] = {};

const Answer &answer_of(int result) {
    if (result < 0)
        return kNotAsked;
    return result < kAnswerCount ? kAnswers[result] : kUnknown;
}

int result_of(std::size_t row) {
    return results[row].load(std::memory_order_relaxed) - 1;
}

// One sentence per callback, made when it is first needed.
constinit SpinLock writing;
constinit char sentences[kCallbackCount][kTextSize] = {};

const char *sentence_of(std::size_t row) {
    SpinGuard guard(writing);
    char *end = sentences[row];
    for (const char *part : {"the runtime answered the registration of ", kCallbacks[row].name,
                             " with: ", answer_of(result_of(row)).name})
        end = stpncpy(end, part, static_cast<std::size_t>(sentences[row] + kTextSize - 1 - end));
    return sentences[row];
}

void copy_text(char *to, std::size_t size, const char *from) {
    *stpncpy(to, from, size - 1) = '\0';
}

} // namespace

void keep_version(unsigned omp_version, const char *runtime_version) {
    version_number = omp_version;
    copy_text(version, sizeof version, runtime_version != nullptr ? runtime_version : "");
    for (std::atomic<int> &result : results)
        result.store(0, std::memory_order_relaxed);
}

void keep_file(ompt_function_lookup_t lookup) {
    Dl_info info;
    if (dladdr(reinterpret_cast<void *>(lookup), &info) != 0 && info.dli_fname != nullptr)
        copy_text(file, sizeof file, info.dli_fname);
}

void keep_result(std::size_t row, int result) {
    results[row].store(result + 1, std::memory_order_relaxed);
}

const char *runtime_file() {
    return file;
}

const char *runtime_version() {
    return version;
}

} // namespace ompt5

namespace runtime {

Service service(Needs needs, const char *&why) {
    using namespace ompt5;
    why = nullptr;
    if (needs == 0)
        return Service::kFull;
    if (!is_attached()) {
        const RuntimeSearch search = find_runtimes();
        if (search.has_ompt) {
            why = "the bridge is not attached to the runtime; START says why";
            return Service::kNone;
        }
        if (search.has_other) {
            why = "the runtime has no tools interface";
            return Service::kNone;
        }
        return Service::kFull;
    }
    Service least = Service::kFull;
    for (std::size_t row = 0; row < kCallbackCount; ++row) {
        const Service one = answer_of(result_of(row)).service;
        if ((kCallbacks[row].needs & needs) != 0 && one > least) {
            least = one;
            why = sentence_of(row);
        }
    }
    return least;
}

} // namespace runtime
} // namespace ocb

extern "C" __attribute__((visibility("default"))) void
omp_collector_bridge_runtime(omp_collector_bridge_runtime_info *info) {
    using namespace ocb;
    if (runtime::is_attached()) {
        *info = {OMP_COLLECTOR_BRIDGE_ATTACHED, ompt5::file, ompt5::version, ompt5::version_number};
        return;
    }
    // Kept for the caller, who holds on to the string.
    static constinit char found[sizeof RuntimeSearch::other_path] = "";
    const RuntimeSearch search = find_runtimes();
    const bool is_there = search.has_ompt || search.has_other;
    ompt5::copy_text(found, sizeof found, search.has_ompt ? search.path : search.other_path);
    *info = {!is_there         ? OMP_COLLECTOR_BRIDGE_NO_RUNTIME
             : search.has_ompt ? OMP_COLLECTOR_BRIDGE_NOT_ATTACHED
                               : OMP_COLLECTOR_BRIDGE_WITHOUT_OMPT,
             is_there ? found : "", "", 0};
}

extern "C" __attribute__((visibility("default"))) size_t
omp_collector_bridge_callbacks(omp_collector_bridge_callback *rows, size_t capacity) {
    using namespace ocb::ompt5;
    for (std::size_t row = 0; row < kCallbackCount && row < capacity; ++row) {
        const int result = result_of(row);
        rows[row] = {kCallbacks[row].id, kCallbacks[row].name, result, answer_of(result).name};
    }
    return kCallbackCount;
}
