/* SPDX-License-Identifier: Apache-2.0
 *
 * See in_c.h.
 */
#include "in_c.h"

int c_two_requests(char *bytes, int capacity, OMP_COLLECTORAPI_CALLBACK callback) {
    return two_requests(bytes, capacity, callback);
}

omp_collector_thread_answer c_ask_thread(OMP_COLLECTOR_API_FUNCTION api) {
    return omp_collector_ask_thread(api);
}

const char *c_names(int kind, int number) {
    static const char *(*const kFunctions[])(int) = {
        omp_collector_request_name, omp_collector_event_name, omp_collector_state_name,
        omp_collector_error_name};
    return kFunctions[kind](number);
}
