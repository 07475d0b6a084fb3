// SPDX-License-Identifier: Apache-2.0
#include "people.h"

#include "printable.h"
#include "text_output.h"

#include <unistd.h>

namespace ompcollect::report {
namespace {

void make_printable(std::string &text) {
    std::string shown = printable(text);
    if (shown.size() != text.size()) {
        text = std::move(shown);
    }
}

void make_printable(std::vector<std::string> &texts) {
    for (std::string &text : texts) {
        make_printable(text);
    }
}

} // namespace

std::string printable(std::string_view text) {
    std::string to;
    to.reserve(text.size());
    while (!text.empty()) {
        const size_t shown = shown_bytes(text.data(), text.size());
        if (shown != 0) {
            to += text.substr(0, shown);
        } else {
            char escape[kEscapeSize];
            write_escape(escape, text.front());
            to.append(escape, sizeof escape);
        }
        text.remove_prefix(shown != 0 ? shown : 1);
    }
    return to;
}

void make_printable(Process &process) {
    for (std::string *text :
         {&process.program, &process.host, &process.rank, &process.missing, &process.affinity,
          &process.runtime, &process.runtime_file, &process.producer, &process.stacks,
          &process.samples_end_early, &process.how_it_ended, &process.rank_variable,
          &process.runtime_note, &process.ompt_generation}) {
        make_printable(*text);
    }
    make_printable(process.arguments);
    make_printable(process.environment);
    for (Node &node : process.nodes) {
        make_printable(node.function);
        make_printable(node.source);
        make_printable(node.module);
    }
    for (Lock &lock : process.locks) {
        make_printable(lock.object.name);
        make_printable(lock.object.source);
        make_printable(lock.first_wait.name);
        make_printable(lock.first_wait.source);
        for (Holder &holder : lock.holders) {
            make_printable(holder.place.name);
            make_printable(holder.place.source);
        }
    }
    for (Line &line : process.lines) {
        make_printable(line.source);
        make_printable(line.function);
        make_printable(line.text);
    }
}

bool tell(int fd, std::string_view lines) {
    TextOutput out(fd);
    out.lines(lines.data(), lines.size());
    out.flush();
    return out.good();
}

void complain(std::string_view line) {
    tell(STDERR_FILENO, "ompcollect: " + printable(line) + "\n");
}

} // namespace ompcollect::report
