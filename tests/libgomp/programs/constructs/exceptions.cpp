// SPDX-License-Identifier: Apache-2.0
// Exceptions inside constructs, C++ objects as task arguments, reductions of classes, cancellation,
// threads with teams of their own.
#include <cstdio>
#include <omp.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
struct Counted {
    static int live;
    int v;
    Counted(int x = 0) : v(x) { __atomic_fetch_add(&live, 1, __ATOMIC_RELAXED); }
    Counted(const Counted &o) : v(o.v) { __atomic_fetch_add(&live, 1, __ATOMIC_RELAXED); }
    ~Counted() { __atomic_fetch_sub(&live, 1, __ATOMIC_RELAXED); }
};
int Counted::live = 0;
#pragma omp declare reduction(cat: std::vector<int>: omp_out.insert(omp_out.end(),omp_in.begin(),omp_in.end()))

int exceptions_caught() {
    int caught = 0;
#pragma omp parallel num_threads(4) reduction(+ : caught)
    for (int i = 0; i < 50; i++) {
        try {
#pragma omp critical
            { caught += 0; }
            throw std::runtime_error("x");
        } catch (std::exception &) {
            caught++;
        }
    }
    return caught;
}

void objects() {
    std::string s = "text that is long enough to be on the heap";
    size_t len = 0;
    Counted c(3);
    int sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < 40; i++) {
#pragma omp task firstprivate(c, s) shared(sum, len)
        {
            try {
                if (i % 2) {
                    throw 1;
                }
            } catch (int) {
            }
#pragma omp atomic
            sum += c.v;
#pragma omp atomic
            len += s.size();
        }
#pragma omp task firstprivate(c) if (0) shared(sum)
        {
#pragma omp atomic
            sum += c.v;
        }
    }
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskloop firstprivate(c) shared(sum)
    for (int i = 0; i < 20; i++) {
#pragma omp atomic
        sum += c.v;
    }
    printf("sum %d len %zu\n", sum, len);
}

void reduction_of_a_class() {
    std::vector<int> v;
#pragma omp parallel for reduction(cat : v) num_threads(4)
    for (int i = 0; i < 100; i++) {
        v.push_back(i);
    }
    printf("vector %zu\n", v.size());
}

// An exception that leaves the region ends the program with terminate: not here.
void cancelled_team(int &hits, int &after) {
#pragma omp parallel num_threads(4)
    {
#pragma omp for
        for (int i = 0; i < 1000; i++) {
            if (i == 10) {
#pragma omp cancel for
            }
#pragma omp cancellation point for
#pragma omp atomic
            hits++;
        }
#pragma omp barrier
#pragma omp atomic
        after++;
#pragma omp sections
        {
#pragma omp section
            {
#pragma omp cancel sections
            }
#pragma omp section
            hits += 0;
        }
#pragma omp cancel parallel
#pragma omp barrier
        after += 100;
    }
}

int cancelled_group() {
    int tg = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp taskgroup
        for (int i = 0; i < 5000; i++) {
#pragma omp task shared(tg)
            {
#pragma omp cancellation point taskgroup
#pragma omp atomic
                tg++;
                if (tg > 20) {
#pragma omp cancel taskgroup
                }
            }
        }
    }
    return tg;
}

void threads_with_teams() {
    std::vector<std::thread> th;
    int tot = 0;
    for (int i = 0; i < 8; i++) {
        th.emplace_back([&] {
            for (int k = 0; k < 20; k++) {
#pragma omp parallel num_threads(3)
#pragma omp atomic
                tot++;
            }
        });
    }
    for (auto &t : th) {
        t.join();
    }
    // One begins when another has ended.
    for (int i = 0; i < 3; i++) {
        std::thread([&] {
#pragma omp parallel num_threads(2)
#pragma omp atomic
            tot++;
        }).join();
    }
    printf("threads %d\n", tot);
}

int main() {
    const int caught = exceptions_caught();
    objects();
    printf("caught %d live %d\n", caught, Counted::live);
    reduction_of_a_class();
    int hits = 0, after = 0;
    cancelled_team(hits, after);
    const int tg = cancelled_group();
    printf("cancel %d %d %d\n", hits <= 1000, after, tg <= 5000 && tg > 0);
    threads_with_teams();
}
