/* SPDX-License-Identifier: Apache-2.0
 *
 * TAU's extra symbol. TAU asks for it at every FORK and wherever it names a timer by its region,
 * and looks the address up in the symbols of the program: the outlined function of the region that
 * the calling thread is forking, or else executes. NULL where it is not known, which TAU accepts
 * (such a region is called UNKNOWN): never the address of something else.
 */
#include "omp_collector_bridge.h"

void *Tau_get_gomp_proxy_address(void);

__attribute__((visibility("default"))) void *Tau_get_gomp_proxy_address(void) {
    return (void *)omp_collector_bridge_region_function();
}
