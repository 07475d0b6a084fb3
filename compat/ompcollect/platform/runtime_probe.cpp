// SPDX-License-Identifier: Apache-2.0
#include "runtime_probe.h"

#include "bridge_info.h"
#include "bridge_session.h"
#include "failure.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <sstream>
#include <vector>

namespace ompcollect {
namespace {

template <typename Function> Function preloaded(const char *name) {
    void *address = dlsym(RTLD_DEFAULT, name);
    if (!address) {
        throw Failure(std::string("the bridge is not preloaded, or lacks ") + name +
                      "; install launcher and bridge together");
    }
    return reinterpret_cast<Function>(address);
}

constexpr const char *kErrors[] = {"OK",           "ERROR",    "UNKNOWN",    "UNSUPPORTED",
                                   "SEQUENCE_ERR", "OBSOLETE", "THREAD_ERR", "MEM_TOO_SMALL"};
static_assert(sizeof(kErrors) / sizeof(kErrors[0]) == OMP_ERRCODE_LAST);

const char *runtime_text(omp_collector_bridge_runtime_status status) {
    switch (status) {
    case OMP_COLLECTOR_BRIDGE_NO_RUNTIME:
        return "none in the process; one that a plugin brings will be attached";
    case OMP_COLLECTOR_BRIDGE_ATTACHED:
        return "attached";
    case OMP_COLLECTOR_BRIDGE_NOT_ATTACHED:
        return "not attached";
    case OMP_COLLECTOR_BRIDGE_WITHOUT_OMPT:
        return "has no tools interface";
    }
    return "?";
}

struct GccRow {
    omp_collector_bridge_kind kind;
    int number;
    const char *reason;
};
// What a program built by gcc gives no sign of, whatever the runtime.
constexpr GccRow kNotInGccsCode[] = {
    {OMP_COLLECTOR_BRIDGE_EVENT, OMP_EVENT_THR_BEGIN_EBAR,
     "gcc's code: explicit barriers come as IBAR"},
    {OMP_COLLECTOR_BRIDGE_EVENT, OMP_EVENT_THR_END_EBAR,
     "gcc's code: explicit barriers come as IBAR"},
    {OMP_COLLECTOR_BRIDGE_EVENT, OMP_EVENT_THR_BEGIN_MASTER, "gcc's code: master calls nothing"},
    {OMP_COLLECTOR_BRIDGE_EVENT, OMP_EVENT_THR_END_MASTER, "gcc's code: master calls nothing"},
    {OMP_COLLECTOR_BRIDGE_STATE, THR_EBAR_STATE, "gcc's code: explicit barriers show IBAR"},
    {OMP_COLLECTOR_BRIDGE_STATE, THR_REDUC_STATE, "gcc's code: reductions show WORK"},
};

void apply_gcc(omp_collector_bridge_capability &row) {
    for (const GccRow &other : kNotInGccsCode) {
        if (other.kind == row.kind && other.number == row.number) {
            row.status = OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE;
            row.reason = other.reason;
        }
    }
}

} // namespace

std::string probe_runtime(bool built_by_gcc) {
    const auto api = preloaded<OMP_COLLECTOR_API_FUNCTION>(OMP_COLLECTOR_API);
    size_t count = 0;
    const auto *rows =
        preloaded<omp_collector_bridge_capabilities_t>("omp_collector_bridge_capabilities")(&count);
    const int start = begin_full_session(api, {rows, count});

    std::ostringstream text;
    omp_collector_bridge_runtime_info runtime{};
    preloaded<omp_collector_bridge_runtime_t>("omp_collector_bridge_runtime")(&runtime);
    // A path with a space is preloaded through a link that will be gone.
    std::error_code is_no_link;
    const std::filesystem::path target = std::filesystem::read_symlink(runtime.file, is_no_link);
    const std::string file = target.is_absolute() ? target.string() : runtime.file;
    text << "OpenMP runtime: " << file << (runtime.file[0] != '\0' ? ", " : "")
         << runtime_text(runtime.status) << '\n';
    if (runtime.version[0] != '\0') {
        text << "it says:        " << runtime.version;
        if (runtime.omp_version != 0) {
            text << ", _OPENMP " << runtime.omp_version;
        }
        text << '\n';
    }
    text << "START answers:  " << (start >= 0 && start < OMP_ERRCODE_LAST ? kErrors[start] : "?")
         << '\n';
    if (runtime.generation[0] != '\0') {
        text << "its OMPT:       " << runtime.generation << '\n';
    }

    const auto callbacks =
        preloaded<omp_collector_bridge_callbacks_t>("omp_collector_bridge_callbacks");
    std::vector<omp_collector_bridge_callback> answers(callbacks(nullptr, 0));
    callbacks(answers.data(), answers.size());
    text << "\nOMPT callbacks, and what the runtime answered to their registration:\n";
    size_t width = 20;
    for (const auto &answer : answers) {
        width = std::max(width, std::strlen(answer.name) + 1);
    }
    for (const auto &answer : answers) {
        text << "  " << answer.name << std::string(width - std::strlen(answer.name), ' ')
             << answer.result_name << '\n';
    }

    const auto row_here =
        preloaded<omp_collector_bridge_capability_here_t>("omp_collector_bridge_capability_here");
    std::vector<omp_collector_bridge_capability> here(count);
    for (size_t i = 0; i < count; ++i) {
        row_here(i, &here[i]);
        if (built_by_gcc) {
            apply_gcc(here[i]);
        }
    }
    end_session(api);
    text << '\n' << capabilities_text(here);
    return text.str();
}

} // namespace ompcollect
