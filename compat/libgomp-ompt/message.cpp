// SPDX-License-Identifier: Apache-2.0
#include "message.h"

#include "base/standard_error.h"

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <strings.h>
#include <sys/uio.h>
#include <unistd.h>

namespace ocb::gomp {
namespace {

void write_line(int file, const char *kind, const char *text, const char *detail) {
    const char *parts[] = {"[libgomp-ompt] ", kind, text, detail, "\n"};
    constexpr int kParts = sizeof parts / sizeof parts[0];
    iovec lines[kParts];
    for (int i = 0; i < kParts; ++i) {
        lines[i] = {const_cast<char *>(parts[i]), std::strlen(parts[i])};
    }
    const NoSigpipe guard;
    if (writev(file, lines, kParts) < 0) {
        return; // nobody to tell
    }
}

} // namespace

void end_process(const char *text, const char *detail) {
    write_line(STDERR_FILENO, "error: ", text, detail);
    abort();
}

void warn(const char *text, const char *detail) {
    write_line(STDERR_FILENO, "warning: ", text, detail);
}

VerboseInit::VerboseInit() {
    const char *value = getenv("OMP_TOOL_VERBOSE_INIT");
    if (value == nullptr || *value == '\0' || strcasecmp(value, "disabled") == 0) {
        return;
    }
    if (strcasecmp(value, "stdout") == 0) {
        file_ = dup(STDOUT_FILENO);
    } else if (strcasecmp(value, "stderr") == 0) {
        file_ = dup(STDERR_FILENO);
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
    if (file_ >= 0) {
        write_line(file_, "", text, detail);
    }
}

} // namespace ocb::gomp
