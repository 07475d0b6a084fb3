// SPDX-License-Identifier: Apache-2.0
//
// See collector_answers.h: the driver's side, which brings the bridge's rows and the results of the
// checks together.
#include "collector_answers.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>
#include <sys/wait.h>

namespace compliance {
namespace {

struct Ground {
    std::string_view answer; // begin of the row's name
    std::string_view check;
};

// What an exact answer stands on. Where such a check is not correct, the bridge cannot take the
// answer from the runtime as it is: it is synthesised at best.
constexpr Ground kGrounds[] = {
    {"OMP_REQ_START", "init-registration"},
    {"OMP_REQ_CURRENT_PRID", "parallel-id"},
    {"OMP_REQ_PARENT_PRID", "parallel-id"},
    {"OMP_REQ_TASK_ID", "task-id"},
    {"OMP_REQ_TASK_PID", "task-begin"},
    {"OMP_EVENT_FORK", "parallel-begin"},
    {"OMP_EVENT_JOIN", "parallel-end"},
    {"OMP_EVENT_THR_BEGIN_CREATE_TASK", "task-begin"},
    {"OMP_EVENT_THR_END_CREATE_TASK", "task-begin"},
    {"OMP_EVENT_THR_BEGIN_FINISH_TASK", "task-end"},
    {"OMP_EVENT_THR_END_FINISH_TASK", "task-end"},
    {"THR_SERIAL_STATE", "state-serial"},
    {"THR_WORK_STATE", "state-parallel"},
    {"THR_REDUC_STATE", "state-reduction"},
    {"THR_IBAR_STATE", "state-barrier-implicit"},
    {"THR_EBAR_STATE", "state-barrier-explicit"},
    {"THR_LKWT_STATE", "state-lock"},
    {"THR_LKWT_STATE", "state-nest-lock"},
    {"THR_CTWT_STATE", "state-critical"},
    {"THR_ATWT_STATE", "state-atomic"},
    {"THR_ODWT_STATE", "state-ordered"},
};

void apply(const Ground &ground, const std::vector<Result> &results, CollectorAnswer &answer) {
    if (std::string_view(answer.name).substr(0, ground.answer.size()) != ground.answer) {
        return;
    }
    const auto result = std::find_if(results.begin(), results.end(),
                                     [&](const Result &one) { return one.name == ground.check; });
    if (result == results.end()) {
        return;
    }
    answer.measured.push_back(result->name + ": " + status_text(result->status));
    const bool correct = exit_code(result->status) == 0;
    const std::vector<std::string> &said = correct ? result->facts : result->texts;
    answer.measured.insert(answer.measured.end(), said.begin(), said.end());
    if (!correct && answer.status == "exact") {
        answer.status = "synthesised";
    }
}

} // namespace

std::vector<CollectorAnswer>
collector_answers(const Options &options, const std::vector<Result> &results, std::string &why) {
    const Output output =
        run_self({"--runtime", options.runtime, "--collector-answers"}, options.time_limit);
    if (output.hung || !WIFEXITED(output.wait_status) || WEXITSTATUS(output.wait_status) != 0) {
        why = output.hung          ? "the bridge hangs on this runtime"
              : output.err.empty() ? "the bridge does not run on this runtime"
                                   : "the bridge does not run on this runtime: " +
                                         output.err.substr(0, output.err.find('\n'));
        return {};
    }
    std::vector<CollectorAnswer> answers;
    std::istringstream lines(output.out);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        CollectorAnswer answer;
        std::string number;
        std::getline(fields, answer.kind, '\t');
        std::getline(fields, number, '\t');
        std::getline(fields, answer.name, '\t');
        std::getline(fields, answer.status, '\t');
        std::getline(fields, answer.reason);
        answer.number = std::stoi(number);
        for (const Ground &ground : kGrounds) {
            apply(ground, results, answer);
        }
        answers.push_back(std::move(answer));
    }
    return answers;
}

} // namespace compliance
