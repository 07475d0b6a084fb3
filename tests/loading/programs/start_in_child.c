/* SPDX-License-Identifier: Apache-2.0
 *
 * start_in_child BRIDGE - uses OpenMP, forks, and opens the bridge in the child, which sends START
 * and uses OpenMP again. Prints the answer and how many FORK events came after it.
 */
#include <omp_collector_client.h>

#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int forks;

static void on_fork(OMP_COLLECTORAPI_EVENT event) {
    (void)event;
    ++forks;
}

/* A team of one: libgomp's child could not use more. */
static int run_region(void) {
    int members = 0;
#pragma omp parallel num_threads(1)
    members += omp_get_num_threads();
    return members;
}

static int be_child(const char *bridge) {
    OMP_COLLECTOR_API_FUNCTION api = NULL;
    void *handle = dlopen(bridge, RTLD_NOW | RTLD_GLOBAL);
    if (handle) {
        *(void **)&api = dlsym(handle, OMP_COLLECTOR_API);
    }
    if (!api) {
        printf("no bridge\n");
        return 1;
    }
    const int error = omp_collector_request(api, OMP_REQ_START);
    omp_collector_register_range(api, OMP_EVENT_FORK, OMP_EVENT_FORK, on_fork);
    const int members = run_region();
    printf("START %s, forks %d, members %d\n", omp_collector_error_name(error), forks, members);
    return fflush(stdout) != 0;
}

int main(int argc, char **argv) {
    if (argc < 2 || run_region() != 1) {
        return 1;
    }
    const pid_t child = fork();
    if (child == 0) {
        _exit(be_child(argv[1]));
    }
    int status = 1;
    return waitpid(child, &status, 0) != child || status != 0;
}
