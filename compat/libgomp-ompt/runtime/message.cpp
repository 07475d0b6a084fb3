// SPDX-License-Identifier: Apache-2.0
#include "message.h"

#include "base/standard_error.h"

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <strings.h>
#include <unistd.h>

namespace ocb::gomp {
namespace {

constinit StandardError standard_error;

// One line, cut where it is too long.
class Line {
  public:
    Line(const char *kind, const char *text, const char *detail) {
        for (const char *part : {"[libgomp-ompt] ", kind, text, detail}) {
            add(part);
        }
        text_[size_++] = '\n';
    }
    [[nodiscard]] const char *text() const { return text_; }
    [[nodiscard]] std::size_t size() const { return size_; }

  private:
    void add(const char *part) {
        const std::size_t length = std::strlen(part);
        const std::size_t room = sizeof text_ - 1 - size_;
        const std::size_t taken = length < room ? length : room;
        std::memcpy(text_ + size_, part, taken);
        size_ += taken;
    }

    char text_[2048];
    std::size_t size_ = 0;
};

void write_to_stderr(const char *kind, const char *text, const char *detail) {
    const Line line(kind, text, detail);
    standard_error.write(line.text(), line.size());
}

} // namespace

void record_stderr() {
    standard_error.note();
}

void end_process(const char *text, const char *detail) {
    write_to_stderr("error: ", text, detail);
    abort();
}

void warn(const char *text, const char *detail) {
    write_to_stderr("warning: ", text, detail);
}

VerboseInit::VerboseInit() {
    const char *value = getenv("OMP_TOOL_VERBOSE_INIT");
    if (value == nullptr || *value == '\0' || strcasecmp(value, "disabled") == 0) {
        return;
    }
    if (strcasecmp(value, "stderr") == 0) {
        is_on_stderr_ = true;
    } else if (strcasecmp(value, "stdout") == 0) {
        file_ = dup(STDOUT_FILENO);
    } else {
        file_ = open(value, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
}

VerboseInit::~VerboseInit() {
    if (file_ >= 0) {
        close(file_);
    }
}

void VerboseInit::line(const char *text, const char *detail) const {
    if (is_on_stderr_) {
        write_to_stderr("", text, detail);
    } else if (file_ >= 0) {
        const Line line("", text, detail);
        const NoWriteSignals guard;
        if (write(file_, line.text(), line.size()) < 0) {
            return; // nobody to tell
        }
    }
}

} // namespace ocb::gomp
