// SPDX-License-Identifier: Apache-2.0
#include "printable_run.h"

#include "people.h"

namespace ompcollect::report {
namespace {

void make_printable(std::string &text) {
    if (!is_printable(text)) {
        text = printable(text);
    }
}

void make_printable(SharedText &text) {
    if (!is_printable(text.str())) {
        text = printable(text.str());
    }
}

// For texts of many nodes, of which neighbours mostly have the same.
class SameAsBefore {
  public:
    void see_to(SharedText &text) {
        if (text.str().data() != before_.str().data()) {
            before_ = text;
            printable_ = text;
            make_printable(printable_);
        }
        text = printable_;
    }

  private:
    SharedText before_, printable_;
};

void make_printable(std::vector<std::string> &texts) {
    for (std::string &text : texts) {
        make_printable(text);
    }
}

} // namespace

void make_printable(Process &process) {
    for (std::string *text : {&process.program,
                              &process.build_id,
                              &process.host,
                              &process.rank,
                              &process.missing,
                              &process.affinity,
                              &process.runtime,
                              &process.runtime_file,
                              &process.producer,
                              &process.stacks,
                              &process.samples_end_early,
                              &process.how_it_ended,
                              &process.rank_variable,
                              &process.runtime_note,
                              &process.ompt_generation,
                              &process.launcher,
                              &process.job,
                              &process.lines_missing,
                              &process.other_runtimes,
                              &process.python_missing}) {
        make_printable(*text);
    }
    make_printable(process.arguments);
    make_printable(process.environment);
    make_printable(process.calls);
    SameAsBefore functions;
    SameAsBefore sources;
    SameAsBefore modules;
    for (Node &node : process.nodes) {
        functions.see_to(node.function);
        sources.see_to(node.source);
        modules.see_to(node.module);
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
        make_printable(line.folder);
    }
}

} // namespace ompcollect::report
