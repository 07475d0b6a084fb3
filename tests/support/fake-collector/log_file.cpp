// SPDX-License-Identifier: Apache-2.0
#include "log_file.h"

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace ocb_fake {
namespace {

std::atomic<int> late_file{-1};

// A line of the log. Written with one call, so that lines of several threads do not mix.
class Line {
  public:
    __attribute__((format(printf, 2, 3))) void add(const char *format, ...) {
        va_list arguments;
        va_start(arguments, format);
        const int length =
            std::vsnprintf(text_ + length_, sizeof text_ - length_, format, arguments);
        va_end(arguments);
        length_ += length > 0 ? static_cast<std::size_t>(length) : 0;
        if (length_ >= sizeof text_) {
            length_ = sizeof text_ - 1;
        }
    }
    void add(const Answers &a) {
        add(" %d %d %d %llx %d %llu %d %llu %d %d", a.result, a.state_ec, a.state,
            static_cast<unsigned long long>(a.wait_id), a.region_ec,
            static_cast<unsigned long long>(a.region), a.parent_ec,
            static_cast<unsigned long long>(a.parent), a.task, a.parent_task);
    }
    void add(int thread, const Record &r) {
        const char *kind = r.kind == 'e' ? "event" : (r.kind == 'm' ? "mark" : "request");
        add("%s %d %llu %llu %llu %d %d", kind, thread, static_cast<unsigned long long>(r.sequence),
            static_cast<unsigned long long>(r.time), static_cast<unsigned long long>(r.used),
            r.number, r.ec);
        add(r.answers);
        add(" %s", r.label);
    }
    void write_to(int file) {
        add("\n");
        // A log that cannot be written is missing for the test, which says so.
        [[maybe_unused]] const ssize_t written = write(file, text_, length_);
        length_ = 0;
    }

  private:
    char text_[4608] = {};
    std::size_t length_ = 0;
};

// The name of a library of an OpenMP runtime in a line of /proc/self/maps, or null.
const char *runtime_path(char *line) {
    char *path = std::strchr(line, '/');
    if (path == nullptr) {
        return nullptr;
    }
    path[std::strcspn(path, "\n")] = '\0';
    const char *name = std::strrchr(path, '/') + 1;
    const bool is_runtime =
        std::strncmp(name, "libomp.so", 9) == 0 || std::strncmp(name, "libomp-1", 8) == 0 ||
        std::strncmp(name, "libgomp.so", 10) == 0 || std::strncmp(name, "libiomp", 7) == 0;
    return is_runtime ? path : nullptr;
}

// One line per file; its segments lie in the map one after the other.
void write_libraries(int file) {
    std::FILE *maps = std::fopen("/proc/self/maps", "re");
    if (maps == nullptr) {
        return;
    }
    char line[4352];
    char previous[4352] = "";
    while (std::fgets(line, sizeof line, maps) != nullptr) {
        const char *path = runtime_path(line);
        if (path != nullptr && std::strcmp(path, previous) != 0) {
            Line out;
            out.add("library %s", path);
            out.write_to(file);
            std::memcpy(previous, path, std::strlen(path) + 1);
        }
    }
    std::fclose(maps);
}

} // namespace

void write_log(const char *path) {
    if (path[0] == '\0') {
        return;
    }
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) {
        return;
    }
    Line line;
    line.add("process %d", static_cast<int>(getpid()));
    line.write_to(file);
    write_libraries(file);
    const int threads = thread_count.load();
    for (int index = 0; index < threads && index < kMaxThreads; ++index) {
        const ThreadLog *log = thread_table[index].load();
        if (log == nullptr) {
            continue;
        }
        line.add("thread %d %d %u", index, static_cast<int>(log->tid), log->dropped.load());
        line.write_to(file);
        const unsigned records = log->record_count.load(std::memory_order_acquire);
        for (unsigned i = 0; i < records; ++i) {
            line.add(index, log->records[i]);
            line.write_to(file);
        }
        const unsigned samples = log->sample_count.load(std::memory_order_acquire);
        for (unsigned i = 0; i < samples; ++i) {
            line.add("sample %d %llu %llu", index,
                     static_cast<unsigned long long>(log->samples[i].time),
                     static_cast<unsigned long long>(log->samples[i].used));
            line.add(log->samples[i].answers);
            line.write_to(file);
        }
    }
    line.add("end");
    line.write_to(file);
    late_file.store(file);
}

bool append_late(const Record &record) {
    const int file = late_file.load();
    if (file < 0) {
        return false;
    }
    Line line;
    line.add("late ");
    line.add(-1, record);
    line.write_to(file);
    return true;
}

} // namespace ocb_fake
