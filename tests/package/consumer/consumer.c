/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that links the bridge and is its own collector; C and C++.
 */
#include <omp_collector_bridge.h>
#include <omp_collector_client.h>
#include <stdio.h>

int main(void) {
    const OMP_COLLECTOR_API_FUNCTION api = __omp_collector_api;
    const int start = omp_collector_request(api, OMP_REQ_START);
    const omp_collector_thread_answer here = omp_collector_ask_thread(api);
    const int stop = omp_collector_request(api, OMP_REQ_STOP);
    printf("START %s, a thread in %s, STOP %s\n", omp_collector_error_name(start),
           omp_collector_state_name(here.state), omp_collector_error_name(stop));
    return omp_collector_find() == api && omp_collector_bridge_version()[0] != '\0' ? 0 : 1;
}
