// SPDX-License-Identifier: Apache-2.0
// The routines by which a program asks and sets what OpenMP is to do. Nothing is told of them. They
// are here because one of them may be the program's first call of OpenMP: from it on a tool's
// questions have answers. All other calls go straight to libgomp. omp_get_thread_num is not here:
// it answers without a runtime, and programs call it often.
#include "records.h"

using namespace ocb::gomp;

// Types and names cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define ROUTINE(result, name, parameters, arguments)                                               \
    ENTRY_POINT_TELLING(Events{0}, result, name, parameters, arguments) {                          \
        return REAL(name) arguments;                                                               \
    }

// In C, in Fortran, and in Fortran for integers of 8 bytes, which passes addresses.
#define ASKING(name)                                                                               \
    ROUTINE(int, name, (), ())                                                                     \
    ROUTINE(int, name##_, (), ())
#define ASKING_OF(result, name)                                                                    \
    ROUTINE(result, name, (int value), (value))                                                    \
    ROUTINE(result, name##_, (void *value), (value))                                               \
    ROUTINE(result, name##_8_, (void *value), (value))
// NOLINTEND(bugprone-macro-parentheses)

ASKING(omp_get_num_threads)
ASKING(omp_get_max_threads)
ASKING(omp_get_num_procs)
ASKING(omp_in_parallel)
ASKING(omp_get_dynamic)
ASKING(omp_get_nested)
ASKING(omp_get_thread_limit)
ASKING(omp_get_max_active_levels)
ASKING(omp_get_supported_active_levels)
ASKING(omp_get_level)
ASKING(omp_get_active_level)
ASKING(omp_in_final)
ASKING(omp_get_cancellation)
ASKING(omp_get_proc_bind)
ASKING(omp_get_num_places)
ASKING(omp_get_place_num)
ASKING(omp_get_partition_num_places)
ASKING(omp_get_default_device)
ASKING(omp_get_num_devices)
ASKING(omp_get_initial_device)
ASKING(omp_is_initial_device)
ASKING(omp_get_num_teams)
ASKING(omp_get_team_num)
ASKING(omp_get_max_teams)
ASKING(omp_get_teams_thread_limit)
ASKING(omp_get_max_task_priority)

ASKING_OF(void, omp_set_num_threads)
ASKING_OF(void, omp_set_dynamic)
ASKING_OF(void, omp_set_nested)
ASKING_OF(void, omp_set_max_active_levels)
ASKING_OF(void, omp_set_default_device)
ASKING_OF(void, omp_set_num_teams)
ASKING_OF(void, omp_set_teams_thread_limit)
ASKING_OF(int, omp_get_ancestor_thread_num)
ASKING_OF(int, omp_get_team_size)
ASKING_OF(int, omp_get_place_num_procs)

ROUTINE(void, omp_get_schedule, (void *kind, void *chunk), (kind, chunk))
ROUTINE(void, omp_get_schedule_, (void *kind, void *chunk), (kind, chunk))
ROUTINE(void, omp_get_schedule_8_, (void *kind, void *chunk), (kind, chunk))
ROUTINE(void, omp_set_schedule, (int kind, int chunk), (kind, chunk))
ROUTINE(void, omp_set_schedule_, (void *kind, void *chunk), (kind, chunk))
ROUTINE(void, omp_set_schedule_8_, (void *kind, void *chunk), (kind, chunk))
