// SPDX-License-Identifier: Apache-2.0
#include "frequency.h"

#include "clocks.h"
#include "scheduler.h"
#include "store.h"
#include "task_files.h"
#include "thread_slots.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace ompcollect {
namespace {

constexpr uint64_t kMillisecond = kSecond / 1000;
constexpr uint64_t kFirstPause = 10 * kMillisecond;
constexpr uint64_t kLongestGap = 2 * kSecond;

constinit uint64_t looked_ns = 0;
constinit uint64_t pause_ns = 0;
// For the mean over time. The looks at the begin, which come more often, have less weight.
constinit uint64_t khz_ms = 0;
constinit uint64_t looked_ms = 0;
constinit ThreadSlot *last_slot = nullptr; // the thread of the last look; null: the first is next

// The frequency where the kernel governs it. 0: not known.
uint64_t governed_khz(int processor) {
    char path[96];
    char text[32];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq",
             processor);
    return read_beginning(path, text, sizeof text) ? strtoull(text, nullptr, 10) : 0;
}

// Lines "NAME : VALUE"; the first of each processor is "processor". Only the integer part is read,
// as the decimal point depends on the locale.
class CpuInfo {
  public:
    explicit CpuInfo(int processor) : wanted_(processor) {}
    void line(const char *text) {
        const char *value = strchr(text, ':');
        if (value && strncmp(text, "processor", strlen("processor")) == 0) {
            is_wanted_ = atoi(value + 1) == wanted_;
        } else if (value && is_wanted_ && strncmp(text, "cpu MHz", strlen("cpu MHz")) == 0) {
            khz_ = 1000 * strtoull(value + 1, nullptr, 10);
        }
    }
    [[nodiscard]] uint64_t khz() const { return khz_; }

  private:
    const int wanted_;
    bool is_wanted_ = false;
    uint64_t khz_ = 0;
};

// On x86, also where the firmware or a hypervisor governs it. 0: not known.
uint64_t listed_khz(int processor) {
    static char text[16 * 1024]; // of the sampling thread
    const int descriptor = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return 0;
    }
    CpuInfo info(processor);
    size_t kept = 0; // of a line that has not ended
    ssize_t got = 0;
    while (info.khz() == 0 && (got = read(descriptor, text + kept, sizeof text - 1 - kept)) > 0) {
        text[kept + static_cast<size_t>(got)] = 0;
        char *at = text;
        for (char *end = nullptr; (end = strchr(at, '\n')); at = end + 1) {
            *end = 0;
            info.line(at);
        }
        kept = strlen(at);
        memmove(text, at, kept);
    }
    close(descriptor);
    return info.khz();
}

// The processor of the next thread that runs; -1: none runs.
int next_processor() {
    ThreadSlot *slot = last_slot && last_slot->next ? last_slot->next : first_slot();
    int processor = -1;
    const auto look = [&processor](ThreadSlot &runs) {
        processor = running_processor(runs.tid);
        return processor >= 0;
    };
    while (slot && !look_if_it_runs(*slot, look)) {
        slot = slot->next;
    }
    last_slot = slot;
    return processor;
}

} // namespace

void look_at_frequency() {
    const uint64_t now = now_ns();
    const uint64_t passed = now - looked_ns;
    if (passed < pause_ns) {
        return;
    }
    pause_ns = std::min(2 * pause_ns, kLongestGap);
    looked_ns = now;
    const int processor = next_processor();
    if (processor < 0) {
        return;
    }
    const uint64_t governed = governed_khz(processor);
    const uint64_t khz = governed != 0 ? governed : listed_khz(processor);
    if (khz == 0) {
        return;
    }
    const uint64_t weight = std::max<uint64_t>(passed / kMillisecond, 1);
    khz_ms += khz * weight;
    looked_ms += weight;
    header().megahertz.store(static_cast<uint32_t>(khz_ms / looked_ms / 1000),
                             std::memory_order_relaxed);
}

void restart_frequency() {
    looked_ns = now_ns();
    pause_ns = kFirstPause;
    last_slot = nullptr;
    khz_ms = 0;
    looked_ms = 0;
}

} // namespace ompcollect
