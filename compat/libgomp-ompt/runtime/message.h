// SPDX-License-Identifier: Apache-2.0
// Lines on the stderr that the process began with, all with one prefix, and the text of
// OMP_TOOL_VERBOSE_INIT.
#pragma once

namespace ocb::gomp {

// In a constructor: the program may open something else as descriptor 2.
void record_stderr();

// "[libgomp-ompt] error: <text><detail>", then the process ends.
[[noreturn]] void end_process(const char *text, const char *detail);

void warn(const char *text, const char *detail);

// What OMP_TOOL_VERBOSE_INIT asks for: lines to stdout, stderr or a file, or none.
class VerboseInit {
  public:
    VerboseInit();
    ~VerboseInit();
    VerboseInit(const VerboseInit &) = delete;
    VerboseInit &operator=(const VerboseInit &) = delete;
    void line(const char *text, const char *detail = "") const;

  private:
    int file_ = -1;
    bool is_on_stderr_ = false;
};

} // namespace ocb::gomp
