/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_collector_bridge.h - what the OpenMP Collector Bridge offers beyond the Collector API: who
 * serves the symbol, what can be asked of the runtime at hand, and which options there are. A
 * collector that wants to run on any implementation finds these by dlsym and does without them
 * where they are missing.
 *
 * All functions: any thread, at any time, also before START; not async-signal-safe. What they
 * return is constant data of the library, never freed.
 */
#ifndef OMP_COLLECTOR_BRIDGE_H
#define OMP_COLLECTOR_BRIDGE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OMP_COLLECTOR_BRIDGE_VERSION_MAJOR 0
#define OMP_COLLECTOR_BRIDGE_VERSION_MINOR 1
#define OMP_COLLECTOR_BRIDGE_VERSION_PATCH 0

/* The version of the loaded library, "MAJOR.MINOR.PATCH". */
const char *omp_collector_bridge_version(void);
typedef const char *(*omp_collector_bridge_version_t)(void);

/* How well an answer or event can be given. */
typedef enum {
    OMP_COLLECTOR_BRIDGE_EXACT = 0,          /* the runtime reports it */
    OMP_COLLECTOR_BRIDGE_SYNTHESISED = 1,    /* derived from what the runtime reports */
    OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE = 2, /* the runtime gives no sign of it */
} omp_collector_bridge_status;

typedef enum {
    OMP_COLLECTOR_BRIDGE_REQUEST = 0, /* number: OMP_COLLECTORAPI_REQUEST */
    OMP_COLLECTOR_BRIDGE_EVENT = 1,   /* number: OMP_COLLECTORAPI_EVENT */
    OMP_COLLECTOR_BRIDGE_STATE = 2,   /* number: OMP_COLLECTOR_API_THR_STATE */
} omp_collector_bridge_kind;

typedef struct {
    omp_collector_bridge_kind kind;
    int number;       /* as in omp_collector_api.h */
    const char *name; /* as in omp_collector_api.h, e.g. "THR_IDLE_STATE" */
    omp_collector_bridge_status status;
    const char *reason; /* one sentence: where the answer comes from, or why there is none */
} omp_collector_bridge_capability;

/* All requests, events and states, in the order of kind and number. *count receives the length. */
const omp_collector_bridge_capability *omp_collector_bridge_capabilities(size_t *count);
typedef const omp_collector_bridge_capability *(*omp_collector_bridge_capabilities_t)(size_t *);

typedef struct {
    const char *name;          /* the environment variable, e.g. "OCB_INIT" */
    const char *values;        /* what it may be set to, e.g. "force|lazy" */
    const char *default_value; /* what holds where it is not set */
    const char *sentence;      /* what it does */
} omp_collector_bridge_option;

/* All options that the library reads from the environment. *count receives the length. */
const omp_collector_bridge_option *omp_collector_bridge_options(size_t *count);
typedef const omp_collector_bridge_option *(*omp_collector_bridge_options_t)(size_t *);

#ifdef __cplusplus
}
#endif

#endif /* OMP_COLLECTOR_BRIDGE_H */
