// SPDX-License-Identifier: Apache-2.0
#include "formats.h"

#include "failure.h"
#include "people.h"
#include "run_file.h"
#include "text_report.h"

#include <cstring>
#include <ostream>
#include <string_view>

namespace ompcollect::report {
namespace {

template <void (*kWrite)(const Run &, std::ostream &)>
void plain(const Run &run, const TextStyle &, std::ostream &out) {
    kWrite(run, out);
}

void write_json(const Run &run, std::ostream &out) {
    write_run(run, out);
}

} // namespace

const std::vector<Format> &formats() {
    static const std::vector<Format> kFormats = {
        {"text", "the verdict and the tables, for the terminal", "txt", Names::kPrintable, true,
         true, write_text, nullptr},
        {"html", "one page that works offline: verdict, tables, flame graph, time line", "html",
         Names::kPrintable, true, true, write_html, nullptr},
        {"json", "everything, documented in FORMATS.md", "json", Names::kAsTheyAre, true, true,
         plain<write_json>, nullptr},
        {"csv", "one row per thread, call path and state", "csv", Names::kPrintable, true, false,
         plain<write_csv>, nullptr},
        {"collapsed", "one line per call path, for flame graph scripts and speedscope", "collapsed",
         Names::kPrintable, true, false, plain<write_collapsed>, nullptr},
        {"gprofng", "an experiment for gprofng (GNU binutils), a folder", "er", Names::kAsTheyAre,
         false, true, nullptr, write_gprofng},
        {"callgrind", "for kcachegrind and callgrind_annotate", "callgrind", Names::kPrintable,
         true, true, plain<write_callgrind>, nullptr},
        {"firefox", "for profiler.firefox.com, which keeps the file on your machine",
         "firefox.json", Names::kPrintable, true, true, plain<write_firefox>, nullptr},
        {"pprof", "for go tool pprof, speedscope and what else reads its profile.proto", "pb.gz",
         Names::kPrintable, false, true, plain<write_pprof>, nullptr},
        {"perfetto", "Perfetto's own trace, for ui.perfetto.dev", "perfetto-trace",
         Names::kPrintable, false, true, plain<write_perfetto>, nullptr},
        {"sqlite", "a database for the sqlite3 command, documented in SQLITE.md", "sqlite",
         Names::kPrintable, false, true, plain<write_sqlite>, nullptr},
    };
    return kFormats;
}

const Format &format_named(const std::string &name) {
    std::string names;
    for (const Format &format : formats()) {
        if (name == format.name) {
            return format;
        }
        names += (names.empty() ? "" : ", ") + std::string(format.name);
    }
    throw Failure("no format is named " + name + "; there are " + names);
}

const Format *format_of_file(const std::string &path) {
    const Format *found = nullptr;
    for (const Format &format : formats()) {
        const std::string_view suffix = format.suffix;
        const size_t dot = path.rfind(suffix) - 1; // far behind the end where it has none
        if (dot < path.size() && path[dot] == '.' && dot + 1 + suffix.size() == path.size() &&
            (!found || suffix.size() > strlen(found->suffix))) {
            found = &format;
        }
    }
    return found;
}

void write_text(const Run &run, const TextStyle &style, std::ostream &out) {
    for (const Process &process : run.processes) {
        out << visible(text_report(process, style), style.colour);
    }
}

} // namespace ompcollect::report
