/* SPDX-License-Identifier: Apache-2.0
 *
 * region_code - asks for a region's function and address in every event, as TAU does. Prints for
 * each event "EVENT known|unknown|none COUNT": known where CURRENT_PRID names a region and both are
 * given (and the function is what FORK said of that region), none where it is 0 and both are NULL;
 * anything else is "wrong". In BEGIN_IDLE CURRENT_PRID is 0, and both must be as in the END_IDLE
 * before; a thread's first one must be as the END_IDLE behind it.
 */
#define _GNU_SOURCE
#include "omp_collector_api.h"
#include "omp_collector_bridge.h"
#include <dlfcn.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { kEvents = 23, kRegions = 64 };

static OMP_COLLECTOR_API_FUNCTION api;
static void *(*function_of_region)(void);
static omp_collector_bridge_region_code_t address_of_region;
static void *_Atomic functions[kRegions];
static _Thread_local int is_begun;
static _Thread_local void *function_of_idle;
static _Thread_local const void *address_of_idle;
static atomic_int known[kEvents], unknown[kEvents], none[kEvents], wrong[kEvents];

static unsigned long region_id(void) {
    int list[7] = {24, OMP_REQ_CURRENT_PRID};
    unsigned long id = 0;
    if (api(list) != 0 || list[2] != 0) {
        return kRegions;
    }
    memcpy(&id, &list[4], sizeof id);
    return id;
}

static void on_event(OMP_COLLECTORAPI_EVENT event) {
    const unsigned long id = region_id();
    void *function = function_of_region();
    const void *address = address_of_region();
    if (event == OMP_EVENT_FORK && id < kRegions) {
        functions[id] = function;
    }
    const int is_same = function == function_of_idle && address == address_of_idle;
    const int is_first = !is_begun && event == OMP_EVENT_THR_BEGIN_IDLE;
    if (is_begun == 1 && event == OMP_EVENT_THR_END_IDLE && !is_same) {
        ++wrong[event];
        return;
    }
    if (is_first || event == OMP_EVENT_THR_END_IDLE) {
        ++is_begun;
        function_of_idle = function;
        address_of_idle = address;
    }
    if (event == OMP_EVENT_THR_BEGIN_IDLE) {
        ++*(id != 0 || (!is_first && !is_same) ? &wrong[event]
            : function                         ? &known[event]
                                               : &none[event]);
    } else if (id >= kRegions || (id == 0 && (function || address)) ||
               (id != 0 && function && function != functions[id])) {
        ++wrong[event];
    } else if (id == 0) {
        ++none[event];
    } else if (function && address) {
        ++known[event];
    } else {
        ++unknown[event];
    }
}

static void work(void) {
    static atomic_int count;
    ++count;
}

int main(void) {
    api = (OMP_COLLECTOR_API_FUNCTION)dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
    function_of_region = (void *(*)(void))dlsym(RTLD_DEFAULT, "Tau_get_gomp_proxy_address");
    address_of_region = (omp_collector_bridge_region_code_t)dlsym(
        RTLD_DEFAULT, "omp_collector_bridge_region_address");
    int list[8] = {OMP_COLLECTOR_HEADER_SIZE, OMP_REQ_START};
    if (!api || !function_of_region || !address_of_region || api(list) != 0 || list[2] != 0) {
        return 1;
    }
    for (int event = 1; event < kEvents; ++event) {
        OMP_COLLECTORAPI_CALLBACK callback = on_event;
        memset(list, 0, sizeof list);
        list[0] = OMP_COLLECTOR_HEADER_SIZE + 12;
        list[1] = OMP_REQ_REGISTER;
        list[4] = event;
        memcpy(&list[5], &callback, sizeof callback);
        if (api(list) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < 3; ++i) {
#pragma omp parallel num_threads(3)
        {
            work();
#pragma omp barrier
#pragma omp critical
            work();
#pragma omp single
            work();
        }
#pragma omp parallel num_threads(2)
        work();
#pragma omp parallel if (i > 2)
        work();
    }
    int stop[5] = {OMP_COLLECTOR_HEADER_SIZE, OMP_REQ_STOP};
    api(stop);
    for (int event = 1; event < kEvents; ++event) {
        if (known[event] + unknown[event] + none[event] + wrong[event] != 0) {
            printf("%d known %d unknown %d none %d wrong %d\n", event, known[event], unknown[event],
                   none[event], wrong[event]);
        }
    }
    return 0;
}
