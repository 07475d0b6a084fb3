// SPDX-License-Identifier: Apache-2.0
#include "quota.h"

#include "store.h"
#include "task_files.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ompcollect {
namespace {

// What cpu.stat of a group counts since the group was made.
struct Throttled {
    uint64_t periods;
    uint64_t stopped;
    uint64_t ns; // of its processors, while threads were ready to run
};

constinit char group[PATH_MAX] = {}; // its folder, with a slash at its end; empty: none
constinit char measured_group[PATH_MAX] = {};
constinit Throttled before = {};

bool read_file(const char *folder, const char *name, char *text, size_t size) {
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s%s", folder, name);
    return read_beginning(path, text, size);
}

// "nr_throttled 34" in a line; 0: none.
uint64_t number_of(const char *text, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = text; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, name, length) == 0 && at[length] == ' ') {
            return strtoull(at + length, nullptr, 10);
        }
    }
    return 0;
}

// Thousandths of a processor; 0: no quota.
uint64_t quota_of(const char *folder) {
    char text[64];
    if (read_file(folder, "cpu.max", text, sizeof text)) {
        char *end = nullptr;
        const uint64_t quota = strtoull(text, &end, 10); // "max" is none
        const uint64_t period = strtoull(end, nullptr, 10);
        return period != 0 ? quota * 1000 / period : 0;
    }
    if (!read_file(folder, "cpu.cfs_quota_us", text, sizeof text)) {
        return 0;
    }
    const long long quota = strtoll(text, nullptr, 10); // -1 is none
    const uint64_t period =
        read_file(folder, "cpu.cfs_period_us", text, sizeof text) ? strtoull(text, nullptr, 10) : 0;
    return quota > 0 && period != 0 ? static_cast<uint64_t>(quota) * 1000 / period : 0;
}

bool has_group(const char *mount, const char *path) {
    char text[16];
    snprintf(group, sizeof group, "%s%s%s", mount, path, path[1] != 0 ? "/" : "");
    return read_file(group, "cpu.stat", text, sizeof text);
}

// In a container the path may be the host's. Then the root of the visible hierarchy is used.
void find_group() {
    char text[4096];
    group[0] = 0;
    if (!read_beginning("/proc/self/cgroup", text, sizeof text)) {
        return;
    }
    char *rest = nullptr;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(nullptr, "\n", &rest)) {
        char *const controllers = strchr(line, ':');
        char *const path = controllers ? strchr(controllers + 1, ':') : nullptr;
        if (!path) {
            continue;
        }
        *path = 0;
        char listed[256];
        snprintf(listed, sizeof listed, ",%s,", controllers + 1);
        const bool is_second = controllers[1] == 0;
        if (!is_second && !strstr(listed, ",cpu,")) {
            continue;
        }
        for (const char *at : {static_cast<const char *>(path + 1), "/"}) {
            if (is_second ? has_group("/sys/fs/cgroup", at)
                          : has_group("/sys/fs/cgroup/cpu", at) ||
                                has_group("/sys/fs/cgroup/cpu,cpuacct", at)) {
                return;
            }
        }
    }
    group[0] = 0;
}

// The strictest quota of the group and all groups around it. `folder` becomes that group's.
uint64_t strictest_quota(char (&folder)[PATH_MAX]) {
    char at[PATH_MAX];
    snprintf(at, sizeof at, "%s", group);
    uint64_t least = 0;
    constexpr size_t kRoot = sizeof "/sys/fs/cgroup" - 1;
    while (strlen(at) > kRoot) {
        const uint64_t quota = quota_of(at);
        if (quota != 0 && (least == 0 || quota < least)) {
            least = quota;
            snprintf(folder, sizeof folder, "%s", at);
        }
        at[strlen(at) - 1] = 0; // its slash, then its name
        char *const slash = strrchr(at, '/');
        if (!slash) {
            break;
        }
        slash[1] = 0;
    }
    return least;
}

} // namespace

void look_at_quota() {
    if (group[0] == 0) {
        return;
    }
    char folder[PATH_MAX] = {};
    const uint64_t quota = strictest_quota(folder);
    char text[1024];
    if (quota == 0 || !read_file(folder, "cpu.stat", text, sizeof text)) {
        measured_group[0] = 0;
        return;
    }
    constexpr uint64_t kMicro = 1000;
    const Throttled now = {number_of(text, "nr_periods"), number_of(text, "nr_throttled"),
                           number_of(text, "throttled_time") +
                               kMicro * number_of(text, "throttled_usec")};
    FileHeader &to = header();
    to.quota_milli.store(quota, std::memory_order_relaxed);
    if (strcmp(folder, measured_group) == 0 && now.periods >= before.periods &&
        now.stopped >= before.stopped && now.ns >= before.ns) {
        to.quota_periods.fetch_add(now.periods - before.periods, std::memory_order_relaxed);
        to.throttled_periods.fetch_add(now.stopped - before.stopped, std::memory_order_relaxed);
        to.throttled_ns.fetch_add(now.ns - before.ns, std::memory_order_relaxed);
    }
    snprintf(measured_group, sizeof measured_group, "%s", folder);
    before = now;
}

void restart_quota() {
    measured_group[0] = 0;
    find_group();
    look_at_quota();
}

} // namespace ompcollect
