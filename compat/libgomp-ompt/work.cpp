// SPDX-License-Identifier: Apache-2.0
#include "work.h"

namespace ocb::gomp {
void tell_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, TaskRecord &task,
               const void *code) {
    if (auto tell = callback<ompt_callback_sync_region_t>(ompt_callback_sync_region)) {
        tell(kind, endpoint, &task.region->word, &task.word, code);
    }
}

void tell_sync_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, TaskRecord &task,
                    const void *code) {
    if (auto tell = callback<ompt_callback_sync_region_t>(ompt_callback_sync_region_wait)) {
        tell(kind, endpoint, &task.region->word, &task.word, code);
    }
}

} // namespace ocb::gomp
