// SPDX-License-Identifier: Apache-2.0
// The extension for explicit tasks on real libomp: what each thread is told of its tasks, from the
// first to the last event, with states and ids; and that a collector which has not asked for tasks
// is told nothing of them. Tasks are called by letters in the order of their creation.
#include "openmp_test.h"

#include "omp_collector_api.h"

#include <algorithm>

namespace ocb_test {
namespace {

constexpr int kNone = -1;

class TaskEvents : public OpenmpTest {
  protected:
    void run_kind(const std::string &kind) {
        Options options;
        options.arguments = {kind};
        options.environment["OCB_TEST_TASKS"] = "1";
        options.environment["OCB_TEST_EVENTS"] = "23,24,25,26,27,28,29,30,31,32,33,34,35";
        ASSERT_NO_FATAL_FAILURE(run("tasks", options));
        name_tasks();
    }

    [[nodiscard]] Sequence told(const ThreadLog &thread) const {
        Sequence sequence;
        for (const Record &record : thread.records) {
            if (record.kind != RecordKind::kRequest) {
                sequence.push_back(text_of(record));
            }
        }
        return sequence;
    }
    [[nodiscard]] std::string initial_thread() const { return lines(told(log().threads.at(0))); }

  private:
    // The id in each END_CREATE event, in the order of all threads' records.
    void name_tasks() {
        std::map<std::uint64_t, int> in_order;
        for (const ThreadLog &thread : log().threads) {
            for (const Record &record : thread.records) {
                if (record.kind == RecordKind::kEvent &&
                    (record.number == OMP_EVENT_THR_END_CREATE_TASK_DEL ||
                     record.number == OMP_EVENT_THR_END_CREATE_TASK_IMM)) {
                    in_order[record.sequence] = record.answers.task;
                }
            }
        }
        for (const auto &[sequence, task] : in_order) {
            EXPECT_GE(task, 1);
            EXPECT_TRUE(names_.emplace(task, static_cast<char>('a' + names_.size())).second)
                << "task " << task << " is created twice";
        }
    }
    [[nodiscard]] std::string name_of_task(int task) const {
        if (task == kNone) {
            return "-";
        }
        const auto found = names_.find(task);
        return found != names_.end() ? std::string(1, found->second) : std::to_string(task);
    }
    [[nodiscard]] std::string text_of(const Record &record) const {
        const std::string what =
            record.kind == RecordKind::kEvent ? event_name(record.number) : record.label + ":";
        return what + " " + state_name(record.answers.state) + " " +
               name_of_task(record.answers.task) + "<" + name_of_task(record.answers.parent_task);
    }

    std::map<int, char> names_;
};

INSTANTIATE_TEST_SUITE_P(On, TaskEvents, testing::ValuesIn(in_both_ways()), runtime_name);

Sequence created(const std::string &creator, const std::string &task) {
    return {"BEGIN_CREATE_TASK TASK_CREATE " + creator, "END_CREATE_TASK_DEL TASK_CREATE " + task};
}
Sequence created_at_once(const std::string &creator, const std::string &task) {
    return {"BEGIN_CREATE_TASK TASK_CREATE " + creator, "END_CREATE_TASK_IMM TASK_CREATE " + task};
}
Sequence executed(const std::string &task) {
    return {"BEGIN_EXEC_TASK WORK " + task};
}
Sequence finished(const std::string &task) {
    return {"BEGIN_FINISH_TASK TASK_FINISH " + task, "END_FINISH_TASK TASK_FINISH " + task};
}
Sequence suspended(const std::string &task) {
    return {"BEGIN_SUSPEND_TASK TASK_SUSPEND " + task};
}
Sequence resumed(const std::string &task) {
    return {"END_SUSPEND_TASK TASK_SUSPEND " + task};
}
Sequence marked(const std::string &text) {
    return {text};
}
const Sequence kEnd = {"end: WORK -<-"};

TEST_P(TaskEvents, OfATaskThatItsCreatorExecutes) {
    ASSERT_NO_FATAL_FAILURE(run_kind("own"));
    EXPECT_EQ(lines(created("-<-", "a<-") + executed("a<-") + marked("in task: WORK a<-") +
                    finished("a<-") + kEnd),
              initial_thread());
}

TEST_P(TaskEvents, OfATaskThatAnotherThreadExecutesInABarrier) {
    ASSERT_NO_FATAL_FAILURE(run_kind("other"));
    EXPECT_EQ(lines(created("-<-", "a<-") + kEnd), initial_thread());
    const ThreadLog *worker = thread_with_mark(log(), "in task");
    ASSERT_NE(nullptr, worker);
    EXPECT_NE(0, worker->index);
    EXPECT_EQ(lines(executed("a<-") + marked("in task: WORK a<-") + finished("a<-")),
              lines(told(*worker)));
}

TEST_P(TaskEvents, OfATaskwaitInsideATask) {
    ASSERT_NO_FATAL_FAILURE(run_kind("nested"));
    EXPECT_EQ(lines(created("-<-", "a<-") + executed("a<-") + marked("before: WORK a<-") +
                    created("a<-", "b<a") + suspended("a<-") + executed("b<a") +
                    marked("in child: WORK b<a") + finished("b<a") + resumed("a<-") +
                    marked("after: WORK a<-") + finished("a<-") + kEnd),
              initial_thread());
}

// gcc's taskyield does nothing on libomp.
TEST_P(TaskEvents, OfATaskyield) {
    ASSERT_NO_FATAL_FAILURE(run_kind("yield"));
    const Sequence child = suspended("a<-") + executed("b<a") + marked("in child: WORK b<a") +
                           finished("b<a") + resumed("a<-");
    const Sequence after = marked("after: WORK a<-");
    EXPECT_EQ(lines(created("-<-", "a<-") + executed("a<-") + created("a<-", "b<a") +
                    (is_gcc() ? after + child : child + after) + finished("a<-") + kEnd),
              initial_thread());
}

TEST_P(TaskEvents, OfAnUndeferredTask) {
    ASSERT_NO_FATAL_FAILURE(run_kind("if0"));
    EXPECT_EQ(lines(created_at_once("-<-", "a<-") + executed("a<-") + marked("in task: WORK a<-") +
                    created("a<-", "b<a") + suspended("a<-") + executed("b<a") +
                    marked("in child: WORK b<a") + finished("b<a") + resumed("a<-") +
                    finished("a<-") + kEnd),
              initial_thread());
}

TEST_P(TaskEvents, OfATaskgroup) {
    ASSERT_NO_FATAL_FAILURE(run_kind("group"));
    EXPECT_EQ(lines(created("-<-", "a<-") + executed("a<-") + created("a<-", "b<a") +
                    finished("a<-") + executed("b<a") + marked("in child: WORK b<a") +
                    finished("b<a") + kEnd),
              initial_thread());
}

TEST_P(TaskEvents, OfARegionInsideATask) {
    ASSERT_NO_FATAL_FAILURE(run_kind("region"));
    EXPECT_EQ(lines(created("-<-", "a<-") + executed("a<-") + marked("in region: WORK -<-") +
                    created_at_once("-<-", "b<-") + executed("b<-") +
                    marked("in task of region: WORK b<-") + finished("b<-") +
                    marked("after: WORK a<-") + finished("a<-") + kEnd),
              initial_thread());
}

// clang cuts an untied task into parts, between which it lies in a queue: each part begins to be
// executed anew. gcc leaves it whole.
TEST_P(TaskEvents, OfAnUntiedTask) {
    ASSERT_NO_FATAL_FAILURE(run_kind("untied"));
    const Sequence told_here = told(log().threads.at(0));
    Sequence of_child;
    int begun = 0, suspensions = 0, resumptions = 0, finishes = 0;
    for (const std::string &line : told_here) {
        begun += line == executed("a<-")[0] ? 1 : 0;
        suspensions += line == suspended("a<-")[0] ? 1 : 0;
        resumptions += line == resumed("a<-")[0] ? 1 : 0;
        finishes += line == finished("a<-")[1] ? 1 : 0;
        if (line.find(" b<a") != std::string::npos && line.find("CREATE") == std::string::npos) {
            of_child.push_back(line);
        }
    }
    EXPECT_EQ(lines(executed("b<a") + marked("in child: WORK b<a") + finished("b<a")),
              lines(of_child));
    EXPECT_EQ(suspensions, resumptions);
    EXPECT_EQ(finishes, 1);
    for (const char *mark : {"before: WORK a<-", "after: WORK a<-"}) {
        EXPECT_EQ(1, std::count(told_here.begin(), told_here.end(), mark)) << mark;
    }
    if (is_gcc()) {
        EXPECT_EQ(begun, 1);
        EXPECT_EQ(suspensions, 1);
    } else {
        EXPECT_GE(begun, 2);
        EXPECT_GE(suspensions, begun - 1);
    }
}

// The 22 events and the states of the contract, sampled all the time: nothing of tasks in them.
TEST_P(TaskEvents, AreNotToldToThoseWhoDoNotAsk) {
    for (const char *kind : {"nested", "untied", "other"}) {
        SCOPED_TRACE(kind);
        Options options;
        options.arguments = {kind};
        options.environment["OCB_TEST_SAMPLE_HZ"] = "2000";
        ASSERT_NO_FATAL_FAILURE(run("tasks", options));
        for (const ThreadLog &thread : log().threads) {
            for (const Record &record : thread.records) {
                EXPECT_LE(record.number, OMP_EVENT_THR_END_ATWT);
                EXPECT_LE(record.answers.state, THR_ATWT_STATE);
                EXPECT_EQ(record.answers.task, Answers::kNotAsked);
            }
            for (const Sample &sample : thread.samples) {
                EXPECT_LE(sample.answers.state, THR_ATWT_STATE);
            }
        }
    }
}

} // namespace
} // namespace ocb_test
