// SPDX-License-Identifier: Apache-2.0
// ends - what runs at the end of the process. libgomp's workers are there until the process takes
// them away, so no thread_local destructor of theirs runs. A destructor says so if it is called on
// another thread than the main one, looks at a static that is gone by then, and counts the threads.
#include <cstdio>
#include <filesystem>
#include <omp.h>
#include <pthread.h>
#include <unistd.h>
#include <vector>

namespace {

struct Counts {
    std::vector<int> all = std::vector<int>(1000);
    ~Counts() { all.clear(); }
} counts; // gone before what was made before it

struct Local {
    int value = 0;
    ~Local() {
        if (getpid() != gettid()) {
            std::printf("a worker's destructor: %d\n", counts.all.at(0));
        }
    }
};
thread_local Local local;

constexpr int kTeam = 4;

void region() {
#pragma omp parallel num_threads(kTeam)
    {
        local.value = omp_get_thread_num();
#pragma omp atomic
        counts.all[0] += 1;
    }
}

// Of threads that end before the process does.
void region_of_others() {
#pragma omp parallel num_threads(3)
#pragma omp atomic
    counts.all[0] += 1;
}

long threads() {
    const auto all = std::filesystem::directory_iterator("/proc/self/task");
    return static_cast<long>(std::distance(begin(all), end(all)));
}

void *other_thread(void *) {
    region_of_others();
    return nullptr;
}

__attribute__((constructor(200))) void watch() {
    // Behind all that comes later, a tool's end too.
    std::atexit([] { std::printf("%ld threads at the end\n", threads()); });
}

} // namespace

int main() {
    region();
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(kTeam)
    region_of_others();
    pthread_t other;
    pthread_create(&other, nullptr, other_thread, nullptr);
    pthread_join(other, nullptr);
    region();
    while (threads() != kTeam) {
        usleep(1000);
    }
    std::printf("%d\n", counts.all[0]);
}
