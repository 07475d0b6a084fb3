// SPDX-License-Identifier: Apache-2.0
//
// How a page is made: files of the source tree are put into the program, and one of them, the page,
// has @NAME@ where the others and the data go.
#pragma once

#include <functional>
#include <ostream>
#include <streambuf>
#include <string_view>

// A file of the source tree as a terminated text, which others declare by OMPCOLLECT_PART.
#define OMPCOLLECT_EMBEDDED_PART(name, file)                                                       \
    __asm__(".section .rodata\n"                                                                   \
            ".global ompcollect_part_" #name "\n"                                                  \
            "ompcollect_part_" #name ":\n"                                                         \
            ".incbin \"" file "\"\n"                                                               \
            ".byte 0\n"                                                                            \
            ".previous\n");                                                                        \
    OMPCOLLECT_PART(name)
#define OMPCOLLECT_PART(name) extern "C" const char ompcollect_part_##name[]

namespace ompcollect::report {

// Writes the page, and calls `write` for each @NAME@.
void write_page(std::string_view page, const std::function<void(std::string_view name)> &write,
                std::ostream &out);

// Takes JSON for an element, which nothing of it may end, and keeps none of it.
class InElement : public std::streambuf {
  public:
    explicit InElement(std::ostream &to) : to_(to) {}

  private:
    int_type overflow(int_type one) override;
    std::streamsize xsputn(const char *text, std::streamsize size) override;

    std::ostream &to_; // where an error of writing shows
};

} // namespace ompcollect::report
