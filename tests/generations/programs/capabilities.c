/* SPDX-License-Identifier: Apache-2.0
 *
 * capabilities - has a region with a barrier, then prints what the bridge says of the runtime: its
 * generation, the callbacks and the rows whose status is not "not observable".
 */
#include "omp_collector_bridge.h"

#include <dlfcn.h>
#include <stdio.h>

int main(void) {
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        sum += 1;
#pragma omp barrier
    }
    omp_collector_bridge_runtime_t runtime =
        (omp_collector_bridge_runtime_t)dlsym(RTLD_DEFAULT, "omp_collector_bridge_runtime");
    omp_collector_bridge_callbacks_t callbacks =
        (omp_collector_bridge_callbacks_t)dlsym(RTLD_DEFAULT, "omp_collector_bridge_callbacks");
    omp_collector_bridge_capability_here_t here = (omp_collector_bridge_capability_here_t)dlsym(
        RTLD_DEFAULT, "omp_collector_bridge_capability_here");
    if (!runtime || !callbacks || !here) {
        return 1;
    }
    omp_collector_bridge_runtime_info info;
    runtime(&info);
    printf("generation %s\n", info.generation);
    omp_collector_bridge_callback rows[64];
    const size_t count = callbacks(rows, 64);
    for (size_t i = 0; i < count && i < 64; ++i) {
        printf("callback %d %s: %s\n", rows[i].number, rows[i].name, rows[i].result_name);
    }
    omp_collector_bridge_capability row;
    for (size_t i = 0; here(i, &row); ++i) {
        printf("%s %d\n", row.name, (int)row.status);
    }
    return sum == 2 ? 0 : 1;
}
