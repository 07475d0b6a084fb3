/* SPDX-License-Identifier: Apache-2.0
 *
 * in_c.h - the client's header as C compiles it, for a test in C++.
 */
#ifndef OCB_TEST_IN_C_H
#define OCB_TEST_IN_C_H

#include "omp_collector_client.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the list of two_requests() into `bytes` and returns its length, with the final 0. */
int c_two_requests(char *bytes, int capacity, OMP_COLLECTORAPI_CALLBACK callback);
omp_collector_thread_answer c_ask_thread(OMP_COLLECTOR_API_FUNCTION api);
const char *c_names(int kind, int number);

#ifdef __cplusplus
}
#endif

/* Both languages: REGISTER of JOIN, packed, and STATE. */
static inline int two_requests(char *bytes, int capacity, OMP_COLLECTORAPI_CALLBACK callback) {
    omp_collector_list list = omp_collector_list_in(bytes, (size_t)capacity);
    omp_collector_add_register(&list, OMP_EVENT_JOIN, callback, OMP_COLLECTOR_PACKED_PAIR);
    omp_collector_add_state(&list);
    return list.used + (int)sizeof(int);
}

#endif
