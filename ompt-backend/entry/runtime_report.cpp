// SPDX-License-Identifier: Apache-2.0
// What omp_collector_bridge.h reports of the runtime and of each answer: for the log, for
// collectors and for --capabilities.
#include "attachment/attached_runtime.h"
#include "attachment/runtime_search.h"
#include "base/compiler.h"
#include "base/kept_text.h"
#include "entry/forecast.h"
#include "omp_collector_bridge.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>

namespace ocb {
namespace ompt {
namespace {

constexpr std::size_t kTextSize = 256;

const char *sentence_of(std::size_t row) {
    char sentence[kTextSize] = "";
    char *end = sentence;
    for (const char *part :
         {"the runtime answered the registration of ", current_adapter().callbacks[row].name,
          " with: ", meaning_of(result_of(row)).name}) {
        end = stpncpy(end, part, static_cast<std::size_t>(sentence + kTextSize - 1 - end));
    }
    return kept_text(sentence, kTextSize);
}

// Lowers the service of an answer to that of a callback that it needs.
void lower_service(std::size_t row, runtime::Service &least, const char *&why) {
    const runtime::Service one = meaning_of(result_of(row)).service;
    if (one <= least) {
        return;
    }
    least = one;
    why = sentence_of(row);
}

runtime::Service service_of_one(Needs need, const char *&why) {
    runtime::Service least = runtime::Service::kFull;
    const std::span<const CallbackRow> rows = current_adapter().callbacks;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if ((rows[row].needs & need) != 0 && !rows[row].mends_only) {
            lower_service(row, least, why);
        }
    }
    return least;
}

// An answer that needs several callbacks is served in part if one of them is served.
runtime::Service service_of(Needs needs, const char *&why) {
    runtime::Service least = runtime::Service::kFull;
    bool is_any_there = false;
    for (Needs rest = needs; rest != 0; rest &= rest - 1) {
        const Needs need = rest & (0 - rest);
        const runtime::Service one = service_of_one(need, why);
        is_any_there = is_any_there || one != runtime::Service::kNone;
        if (one > least) {
            least = one;
        }
    }
    return least == runtime::Service::kNone && is_any_there ? runtime::Service::kPartial : least;
}

runtime::Service service_of(const CapabilityOverride &override_row, const char *&why) {
    runtime::Service least = runtime::Service::kFull;
    const std::span<const CallbackRow> rows = current_adapter().callbacks;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (const int callback : override_row.callbacks) {
            if (rows[row].number == callback) {
                lower_service(row, least, why);
            }
        }
    }
    return least;
}

const CapabilityOverride *override_of(const omp_collector_bridge_capability &row) {
    for (const CapabilityOverride &override_row : current_adapter().overrides) {
        if (override_row.kind == row.kind && override_row.number == row.number) {
            return &override_row;
        }
    }
    return nullptr;
}

// Before the runtime is attached.
runtime::Service service_before_attach(const char *&why) {
    const ompt::RuntimeSearch search = ompt::find_runtimes();
    if (search.has_ompt) {
        if (forecast_of(search) == Forecast::kWillAttach) {
            return runtime::Service::kFull;
        }
        why = "the bridge is not attached to the runtime; START says why";
        return runtime::Service::kNone;
    }
    if (search.has_other) {
        why = "the runtime has no tools interface";
        return runtime::Service::kNone;
    }
    return runtime::Service::kFull;
}

runtime::Service service_here(omp_collector_bridge_capability &row, Needs needs, const char *&why) {
    const CapabilityOverride *override_row = runtime::is_attached() ? override_of(row) : nullptr;
    if (override_row != nullptr && override_row->reason != nullptr) {
        row.status = override_row->status;
        row.reason = override_row->reason;
    }
    if (needs == 0) {
        return runtime::Service::kFull;
    }
    if (!runtime::is_attached()) {
        return service_before_attach(why);
    }
    const char *silence = override_row != nullptr && override_row->silence != nullptr
                              ? override_row->silence()
                              : nullptr;
    if (silence != nullptr) {
        why = silence;
        return runtime::Service::kNone;
    }
    return override_row != nullptr && override_row->callbacks[0] != 0
               ? service_of(*override_row, why)
               : service_of(needs, why);
}

} // namespace

} // namespace ompt

namespace runtime {

void describe_here(omp_collector_bridge_capability &row, Needs needs) {
    const char *why = nullptr;
    const Service service = ompt::service_here(row, needs, why);
    if (service == Service::kNone) {
        row.status = OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE;
    } else if (service == Service::kPartial && row.status == OMP_COLLECTOR_BRIDGE_EXACT) {
        row.status = OMP_COLLECTOR_BRIDGE_SYNTHESISED;
    }
    if (why != nullptr) {
        row.reason = why;
    }
}

} // namespace runtime
} // namespace ocb

OCB_EXPORT void omp_collector_bridge_runtime(omp_collector_bridge_runtime_info *info) {
    using namespace ocb;
    if (runtime::is_attached()) {
        *info = {OMP_COLLECTOR_BRIDGE_ATTACHED, ompt::runtime_file(), ompt::runtime_version(),
                 ompt::runtime_version_number(), ompt::current_adapter().name};
        return;
    }
    const ompt::RuntimeSearch search = ompt::find_runtimes();
    const bool is_there = search.has_ompt || search.has_other;
    const ompt::ObjectPath &found = search.has_ompt ? search.path : search.other_path;
    *info = {!is_there         ? OMP_COLLECTOR_BRIDGE_NO_RUNTIME
             : search.has_ompt ? OMP_COLLECTOR_BRIDGE_NOT_ATTACHED
                               : OMP_COLLECTOR_BRIDGE_WITHOUT_OMPT,
             is_there ? kept_text(found.text, PATH_MAX) : "", "", 0, ""};
}

OCB_EXPORT size_t omp_collector_bridge_callbacks(omp_collector_bridge_callback *rows,
                                                 size_t capacity) {
    using namespace ocb::ompt;
    const std::span<const CallbackRow> callbacks = current_adapter().callbacks;
    for (std::size_t row = 0; row < callbacks.size() && row < capacity; ++row) {
        const int result = result_of(row);
        rows[row] = {callbacks[row].number, callbacks[row].name, result, meaning_of(result).name};
    }
    return callbacks.size();
}
