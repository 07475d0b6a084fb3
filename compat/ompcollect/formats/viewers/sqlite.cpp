// SPDX-License-Identifier: Apache-2.0
//
// A database of SQLite, made in memory and written as the file that it would be. schema.sql has the
// tables; SQLite keeps its comments, so that `.schema` shows them.
#include "blame.h"
#include "failure.h"
#include "findings.h"
#include "formats.h"
#include "late_library.h"
#include "time_line.h"
#include "warnings.h"
#include "words.h"

#include <memory>
#include <ostream>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <type_traits>

// A file of the source tree as a terminated text.
__asm__(".section .rodata\n"
        ".global ompcollect_sqlite_schema\n"
        "ompcollect_sqlite_schema:\n"
        ".incbin \"" OMPCOLLECT_VIEWERS_FOLDER "/schema.sql\"\n"
        ".byte 0\n"
        ".previous\n");
extern "C" const char ompcollect_sqlite_schema[]; // NOLINT(readability-identifier-naming)

namespace ompcollect::report {
namespace {

const char *kind_words(StateKind kind) {
    switch (kind) {
    case StateKind::kUseful:
        return "useful";
    case StateKind::kBarrier:
        return "barrier";
    case StateKind::kMutex:
        return "mutex";
    case StateKind::kReduction:
        return "reduction";
    case StateKind::kRuntime:
        return "runtime";
    case StateKind::kIdle:
        return "idle";
    case StateKind::kNoProcessor:
        return "no processor";
    case StateKind::kAsleep:
        return "asleep";
    case StateKind::kOther:
        break;
    }
    return "other";
}

// Its functions, from the first question on.
struct Sqlite {
    LateLibrary library{"libsqlite3.so.0", "libsqlite3-0"};
    OMPCOLLECT_LATE(sqlite3_bind_double);
    OMPCOLLECT_LATE(sqlite3_bind_int64);
    OMPCOLLECT_LATE(sqlite3_bind_null);
    OMPCOLLECT_LATE(sqlite3_bind_text64);
    OMPCOLLECT_LATE(sqlite3_clear_bindings);
    OMPCOLLECT_LATE(sqlite3_close);
    OMPCOLLECT_LATE(sqlite3_errmsg);
    OMPCOLLECT_LATE(sqlite3_exec);
    OMPCOLLECT_LATE(sqlite3_finalize);
    OMPCOLLECT_LATE(sqlite3_free);
    OMPCOLLECT_LATE(sqlite3_open);
    OMPCOLLECT_LATE(sqlite3_prepare_v2);
    OMPCOLLECT_LATE(sqlite3_reset);
    OMPCOLLECT_LATE(sqlite3_serialize);
    OMPCOLLECT_LATE(sqlite3_step);
};
const Sqlite &sqlite() {
    static const Sqlite kFound;
    return kFound;
}

struct Closed {
    void operator()(sqlite3 *database) const { sqlite().sqlite3_close(database); }
    void operator()(sqlite3_stmt *statement) const { sqlite().sqlite3_finalize(statement); }
    void operator()(unsigned char *bytes) const { sqlite().sqlite3_free(bytes); }
};

class Database {
  public:
    Database() {
        sqlite3 *opened = nullptr;
        const int result = sqlite().sqlite3_open(":memory:", &opened);
        database_.reset(opened);
        require(result == SQLITE_OK);
        run(ompcollect_sqlite_schema);
        run("BEGIN");
    }
    void run(const char *text) {
        require(sqlite().sqlite3_exec(database_.get(), text, nullptr, nullptr, nullptr) ==
                SQLITE_OK);
    }
    void require(bool holds) const {
        if (!holds) {
            throw Failure(std::string("SQLite: ") + sqlite().sqlite3_errmsg(database_.get()));
        }
    }
    // Throws where the file would be larger than SQLite takes.
    void write(std::ostream &out) {
        run("COMMIT");
        sqlite3_int64 size = 0;
        const std::unique_ptr<unsigned char, Closed> bytes(
            sqlite().sqlite3_serialize(database_.get(), "main", &size, 0));
        require(bytes != nullptr);
        out.write(reinterpret_cast<const char *>(bytes.get()), size);
    }
    sqlite3 *get() { return database_.get(); }

  private:
    std::unique_ptr<sqlite3, Closed> database_;
};

// Inserts rows into one table.
class Rows {
  public:
    Rows(Database &database, const std::string &table, int columns) : database_(database) {
        std::string text = "INSERT INTO " + table + " VALUES (?";
        for (int i = 1; i < columns; ++i) {
            text += ",?";
        }
        text += ")";
        sqlite3_stmt *made = nullptr;
        database_.require(sqlite().sqlite3_prepare_v2(database_.get(), text.c_str(), -1, &made,
                                                      nullptr) == SQLITE_OK);
        statement_.reset(made);
    }
    template <class... Value> void add(const Value &...value) {
        int column = 0;
        (bind(++column, value), ...);
        database_.require(sqlite().sqlite3_step(statement_.get()) == SQLITE_DONE);
        sqlite().sqlite3_reset(statement_.get());
        sqlite().sqlite3_clear_bindings(statement_.get());
    }

  private:
    // NULL for a number that is none.
    template <class Value> void bind(int column, const Value &value) {
        if constexpr (std::is_floating_point_v<Value>) {
            sqlite().sqlite3_bind_double(statement_.get(), column, value);
        } else if constexpr (std::is_integral_v<Value>) {
            sqlite().sqlite3_bind_int64(statement_.get(), column,
                                        static_cast<sqlite3_int64>(value));
        } else if constexpr (std::is_null_pointer_v<Value>) {
            sqlite().sqlite3_bind_null(statement_.get(), column);
        } else {
            const std::string &text = value;
            sqlite().sqlite3_bind_text64(statement_.get(), column, text.data(), text.size(),
                                         SQLITE_TRANSIENT, SQLITE_UTF8);
        }
    }

    Database &database_;
    std::unique_ptr<sqlite3_stmt, Closed> statement_;
};

// Numbers of rows: those of a process follow on those of the one before.
struct Ids {
    int64_t process = 1;
    int64_t first_thread = 1;
    int64_t first_node = 1; // of the special places, then of its nodes
    int64_t first_lock = 1;

    [[nodiscard]] int64_t thread(unsigned index) const { return first_thread + index; }
    [[nodiscard]] int64_t node(int number) const { return first_node + number - kUnknown; }
};

class SqliteWriter {
  public:
    void states() {
        Rows to(database_, "state", 4);
        for (unsigned state = 0; state < kStateColumns; ++state) {
            const State &its = state_at(state);
            to.add(its.name, its.words, its.meaning, kind_words(its.kind));
        }
    }
    void process(const Process &process) {
        const Figures figures = figures_of(process);
        head(process, figures);
        threads(process);
        nodes(process);
        cells(process);
        regions(process, figures);
        losses(process, figures);
        locks(process);
        lines(process);
        slices(process);
        ids_ = {ids_.process + 1, ids_.thread(static_cast<unsigned>(process.threads.size())),
                ids_.node(static_cast<int>(process.nodes.size())),
                ids_.first_lock + static_cast<int64_t>(process.locks.size())};
    }
    void write(std::ostream &out) { database_.write(out); }

  private:
    void head(const Process &process, const Figures &figures) {
        const Efficiency &all = figures.efficiency;
        constexpr double kNano = 1e-9;
        Rows(database_, "process", 19)
            .add(ids_.process, process.pid, process.parent_pid, process.program,
                 joined(process.arguments, " "), process.host, process.rank,
                 static_cast<double>(process.begin) + process.begin_nanoseconds * kNano,
                 process.seconds, process.cpu_seconds, process.exit_code, process.runtime,
                 process.rate, all.parallel, all.mpi, all.serialisation, all.load_balance,
                 all.scheduling, lost_share(figures));
        Rows warnings(database_, "warning", 4);
        for (const Warning &warning : warnings_of(process)) {
            warnings.add(ids_.process, warning.name, severity_name(warning.severity), warning.text);
        }
    }
    void threads(const Process &process) {
        Rows to(database_, "thread", 10);
        for (unsigned i = 0; i < process.threads.size(); ++i) {
            const Thread &thread = process.threads[i];
            to.add(ids_.thread(i), ids_.process, thread.number, thread.tid, thread.is_initial,
                   thread.begin, thread.end, thread.samples, thread.cpu_seconds,
                   thread.waited_seconds);
        }
    }
    void nodes(const Process &process) {
        Rows to(database_, "node", 10);
        for (int special = kUnknown; special < 0; ++special) {
            to.add(ids_.node(special), ids_.process, nullptr, "place", place_name(process, special),
                   "", "", nullptr, nullptr, nullptr);
        }
        for (size_t i = 0; i < process.nodes.size(); ++i) {
            node(process, static_cast<int>(i), to);
        }
    }
    void node(const Process &process, int number, Rows &to) {
        const Node &node = process.nodes[static_cast<size_t>(number)];
        const int region = region_of(process, number);
        // Two calls: of a row each value is a number or NULL.
        const auto add = [&](const auto &parent, const auto &its_region) {
            to.add(ids_.node(number), ids_.process, parent,
                   node.kind == NodeKind::kRegion ? "region" : "function", path_name(node),
                   node.source, node.module.str(), node.offset, node.entries, its_region);
        };
        const auto with_parent = [&](const auto &parent) {
            if (region >= 0) {
                add(parent, ids_.node(region));
            } else {
                add(parent, nullptr);
            }
        };
        if (node.parent >= 0) {
            with_parent(ids_.node(node.parent));
        } else {
            with_parent(nullptr);
        }
    }
    void cells(const Process &process) {
        Rows to(database_, "cell", 9);
        for (const Cell &cell : process.cells) {
            to.add(ids_.process, ids_.thread(cell.thread), ids_.node(cell.node),
                   state_name(cell.state), state_name(state_within(cell)), call_name(process, cell),
                   cell.wall, cell.cpu, cell.samples);
        }
    }
    void regions(const Process &process, const Figures &figures) {
        Rows to(database_, "region", 14);
        Rows by_thread(database_, "region_thread", 8);
        for (const RegionFigures &region : figures.regions) {
            const uint64_t entries =
                region.node < 0 ? 0 : process.nodes[static_cast<size_t>(region.node)].entries;
            to.add(ids_.node(region.node), ids_.process, place_name(process, region.node),
                   region.team, region.threads, entries, region.mean_length, region.elapsed,
                   total_wall(region.times), region.gain, region.work_min, region.work_mean,
                   region.work_max, region.samples);
            for (const ThreadWork &work : region.work) {
                by_thread.add(ids_.node(region.node), ids_.thread(work.thread), work.seconds,
                              work.waited, work.asleep, work.no_processor, work.idle, work.runtime);
            }
        }
    }
    void losses(const Process &process, const Figures &figures) {
        Rows to(database_, "finding", 13);
        int position = 0;
        for (const Finding &finding : findings_of(process, figures)) {
            to.add(ids_.process, ++position, cause_key(finding.cause), cause_title(finding.cause),
                   ids_.node(finding.node), finding.place, finding.seconds, finding.share,
                   finding.least_share, finding.most_share, finding.samples, finding.evidence,
                   cause_cure(finding.cause));
        }
        Rows blames(database_, "blame", 4);
        for (const Blame &blame : blame_of(process)) {
            blames.add(ids_.process, ids_.node(blame.node), blame.seconds, blame.samples);
        }
    }
    void locks(const Process &process) {
        Rows to(database_, "lock", 8);
        Rows holders(database_, "holder", 5);
        int64_t id = ids_.first_lock;
        for (const Lock &lock : process.locks) {
            to.add(id, ids_.process, state_name(lock.state), lock.object.text(),
                   lock.first_wait.text(), lock.waits, lock.wall, lock.samples);
            for (const Holder &holder : lock.holders) {
                holders.add(id, ids_.node(holder.node), holder.place.text(), holder.wall,
                            holder.samples);
            }
            ++id;
        }
    }
    void lines(const Process &process) {
        Rows to(database_, "line", 7);
        for (const Line &line : process.lines) {
            for (unsigned state = 0; state < kStateColumns; ++state) {
                if (line.times.wall[state] > 0) {
                    to.add(ids_.process, line.source, line.function, line.text, state_name(state),
                           line.times.wall[state], line.times.cpu[state]);
                }
            }
        }
    }
    void slices(const Process &process) {
        if (process.samples.empty()) {
            return;
        }
        Rows to(database_, "slice", 5);
        for (const Stretch &stretch : line_of(process)) {
            to.add(ids_.thread(stretch.thread), stretch.begin, stretch.end, ids_.node(stretch.node),
                   state_name(stretch.state));
        }
    }

    Database database_;
    Ids ids_;
};

} // namespace

void write_sqlite(const Run &run, std::ostream &out) {
    SqliteWriter to;
    to.states();
    for (const Process &process : run.processes) {
        to.process(process);
    }
    to.write(out);
}

} // namespace ompcollect::report
