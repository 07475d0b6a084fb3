/* SPDX-License-Identifier: Apache-2.0
 *
 * limits MODE - a program that computes, with a collector on, where the system gives nothing more
 * from START on. Its runtime has begun by then: libomp itself ends a process where it cannot.
 *   plain   nothing is taken away (but what scarce.c takes, or the environment)
 *   files   no file can be opened
 *   memory  the address space has no room left
 *   disk    who writes to a file is killed, and the working directory takes none
 * Says what it has computed, the same in every mode.
 */
#include "session.h"

#include <omp.h>
#include <sys/resource.h>

static void limit(int resource, rlim_t most) {
    const struct rlimit limits = {most, most};
    if (setrlimit(resource, &limits) != 0) {
        exit(2);
    }
}

static rlim_t address_space_in_use(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%lu", &pages) != 1) {
        exit(2);
    }
    fclose(file);
    return pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static long compute(void) {
    enum { ROUNDS = 15 };
    long sum = 0, in_order = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
    for (int round = 0; round < ROUNDS; ++round) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
        {
#pragma omp for schedule(dynamic) ordered
            for (int i = 0; i < 100; ++i) {
                sum += i;
#pragma omp ordered
                ++in_order;
            }
            omp_set_lock(&lock);
            ++in_order;
            omp_unset_lock(&lock);
            /* The lock does not guard in_order from the one that does the single. */
#pragma omp barrier
#pragma omp single
            ++in_order;
        }
        /* Serialized, with one inside it: levels without end are not asked for. */
#pragma omp parallel num_threads(1) reduction(+ : sum)
#pragma omp parallel num_threads(1)
#pragma omp atomic
        sum += 1;
    }
    omp_destroy_lock(&lock);
    return sum * 10 + in_order;
}

int main(int count, char **arguments) {
    const char *mode = count > 1 ? arguments[1] : "plain";
    if (strcmp(mode, "plain") != 0) {
        compute();
    }
    if (strcmp(mode, "memory") == 0) {
        limit(RLIMIT_AS, address_space_in_use());
    }
    if (strcmp(mode, "files") == 0) {
        limit(RLIMIT_NOFILE, 0);
    }
    if (strcmp(mode, "disk") == 0) {
        limit(RLIMIT_FSIZE, 0);
        if (chdir("/proc") != 0) {
            exit(2);
        }
    }
    begin_session();
    const long result = compute();
    send_request(OMP_REQ_PAUSE);
    send_request(OMP_REQ_RESUME);
    send_request(OMP_REQ_STOP);
    /* Where nothing can be had the collector may see nothing; the answers are answers all the same.
     */
    printf("result %ld\n", result);
    fprintf(stderr, "events %ld samples %ld\n", (long)events_seen, (long)samples_seen);
    return answers_wrong != 0;
}
