// SPDX-License-Identifier: Apache-2.0
//
// The runs lie in a folder: t4-2.ompc is the second one with four threads, t4-2.out its standard
// output, t4-2.err its standard error. A run that failed has t4-2.failed, with the reason, instead
// of a profile.
#include "scale_command.h"

#include "child_process.h"
#include "command_options.h"
#include "failure.h"
#include "file_bytes.h"
#include "people.h"
#include "sampling_rate.h"
#include "scaling_text.h"
#include "words.h"
#include "written_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <regex>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace ompcollect::report {
namespace {

namespace fs = std::filesystem;

constexpr char kOwnLine[] = "ompcollect: ";
constexpr char kReport[] = "== OpenMP profile of ";
constexpr unsigned kMostThreads = 1U << 16;
constexpr unsigned kMostRuns = 1000;

// What the program said last, before the launcher's report; where it said nothing, the launcher.
std::string last_line(const std::string &text) {
    std::istringstream in(text);
    std::string last;
    std::string own;
    for (std::string line;
         std::getline(in, line) && line.compare(0, strlen(kReport), kReport) != 0;) {
        std::string &which = line.compare(0, strlen(kOwnLine), kOwnLine) == 0 ? own : last;
        which = line.empty() ? which : line;
    }
    return last.empty() ? own : last;
}

std::string name_of(unsigned threads, unsigned number) {
    return "t" + std::to_string(threads) + "-" + std::to_string(number);
}

// Standard input is empty, as each run is to read the same.
int spawn_and_wait(const std::string &path, const std::vector<std::string> &words, unsigned threads,
                   const fs::path &place) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const std::string out = place.string() + ".out";
    const std::string err = place.string() + ".err";
    constexpr int kNew = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), kNew, 0666);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), kNew, 0666);
    std::vector<char *> arguments;
    arguments.reserve(words.size() + 1);
    for (const std::string &word : words) {
        arguments.push_back(const_cast<char *>(word.c_str()));
    }
    arguments.push_back(nullptr);
    setenv("OMP_NUM_THREADS", std::to_string(threads).c_str(), 1);
    pid_t pid = 0;
    const int error = posix_spawn(&pid, path.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        throw Failure("the program cannot be begun: " + std::string(strerror(error)));
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

// Why the run does not count; empty: it does.
std::string fault_of(int status, const fs::path &place) {
    const std::string profile = place.string() + ".ompc";
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        const std::string said = last_line(bytes_of(place.string() + ".err"));
        return end_in_words(status) + (said.empty() ? "" : ": " + said);
    }
    if (!fs::is_regular_file(profile)) {
        return "no profile of one process: " + last_line(bytes_of(place.string() + ".err"));
    }
    return {};
}

void run_all(const ScaleOptions &options, const std::vector<unsigned> &list,
             const std::string &launcher) {
    const size_t all = list.size() * options.each;
    const auto begun = std::chrono::steady_clock::now();
    size_t done = 0;
    for (unsigned number = 1; number <= options.each; ++number) {
        for (const unsigned threads : list) {
            const fs::path place = fs::path(options.folder) / name_of(threads, number);
            std::vector<std::string> words = {"ompcollect", "-o", place.string() + ".ompc"};
            if (options.rate != 0) {
                words.insert(words.end(), {"--rate", std::to_string(options.rate)});
            }
            words.emplace_back("--");
            const std::vector<std::string> command = sized(options.command, options.size, threads);
            words.insert(words.end(), command.begin(), command.end());
            const auto from = std::chrono::steady_clock::now();
            const std::string fault =
                fault_of(spawn_and_wait(launcher, words, threads, place), place);
            if (!fault.empty()) {
                std::error_code ignored;
                fs::remove(place.string() + ".ompc", ignored);
                std::ofstream(place.string() + ".failed") << fault << "\n";
            }
            const auto now = std::chrono::steady_clock::now();
            const double took = std::chrono::duration<double>(now - from).count();
            const double so_far = std::chrono::duration<double>(now - begun).count();
            ++done;
            const double left =
                so_far / static_cast<double>(done) * static_cast<double>(all - done);
            complain("run " + std::to_string(done) + " of " + std::to_string(all) + ", " +
                     std::to_string(threads) + (threads == 1 ? " thread: " : " threads: ") +
                     (fault.empty() ? duration(took) : fault) +
                     (done < all ? ", about " + duration(left) + " left" : ""));
        }
    }
}

// The runs of a folder. One whose output is not that of the first good one does not count.
std::vector<ScaleRun> runs_of(const std::string &folder, bool any_output,
                              const RawReader &read_raw) {
    static const std::regex kName("t([1-9][0-9]{0,5})-([1-9][0-9]{0,3})\\.(ompc|failed)");
    std::error_code error;
    std::vector<ScaleRun> runs;
    for (const auto &entry : fs::directory_iterator(folder, error)) {
        std::smatch match;
        const std::string name = entry.path().filename();
        if (std::regex_match(name, match, kName)) {
            ScaleRun &run = runs.emplace_back();
            run.threads = static_cast<unsigned>(std::stoul(match[1]));
            run.number = static_cast<unsigned>(std::stoul(match[2]));
            run.fault = match[3] == "failed" ? last_line(bytes_of(entry.path())) : "";
        }
    }
    if (error || runs.empty()) {
        refuse_input(folder +
                     (error ? ": " + error.message() : " has no runs of ompcollect scale") +
                     "; give the folder that it wrote");
    }
    std::sort(runs.begin(), runs.end(), [](const ScaleRun &a, const ScaleRun &b) {
        return std::pair(a.number, a.threads) < std::pair(b.number, b.threads);
    });
    const ScaleRun *first = nullptr;
    std::string output;
    for (ScaleRun &run : runs) {
        if (!run.fault.empty()) {
            continue;
        }
        const fs::path place = fs::path(folder) / name_of(run.threads, run.number);
        Run whole = load_run(place.string() + ".ompc", read_raw);
        if (whole.processes.size() != 1) {
            run.fault = std::to_string(whole.processes.size()) + " processes; scale compares one";
            continue;
        }
        run.process = std::move(whole.processes.front());
        const std::string own = bytes_of(place.string() + ".out");
        if (!first) {
            first = &run;
            output = own;
        } else if (!any_output && !is_same_output(output, first->threads, own, run.threads)) {
            run.fault = "its output is not that of " + name_of(first->threads, first->number) +
                        ".out; --any-output counts it all the same";
        }
    }
    return runs;
}

// Runs of an earlier time give way to the new ones; what else is there stays, and is no place for
// us.
void make_folder(const std::string &folder) {
    static const std::regex kOwn("t[0-9]+-[0-9]+\\.(ompc|out|err|failed)|weak");
    std::error_code error;
    std::vector<fs::path> before;
    for (const auto &entry : fs::directory_iterator(folder, error)) {
        before.push_back(entry.path());
        if (!std::regex_match(entry.path().filename().string(), kOwn)) {
            refuse_input(folder +
                         " is there already, with other files; remove it, or name another one "
                         "with --runs");
        }
    }
    for (const fs::path &each : before) {
        fs::remove(each, error);
    }
    fs::create_directories(folder, error);
    if (error || access(folder.c_str(), W_OK) != 0) {
        refuse_input(folder + ": " + (error ? error.message() : strerror(errno)) +
                     "; name another folder with --runs");
    }
}

void write_it(const ScaleOptions &options, const std::vector<ScaleRun> &runs, bool grows) {
    const Scaling scaling = scaling_of(runs, grows);
    std::ostringstream text;
    if (options.format == "csv") {
        write_scaling_csv(scaling, text);
    } else if (options.format == "json") {
        write_scaling_json(scaling, text);
    } else if (options.format == "extra-p") {
        write_extra_p(runs, text);
    } else {
        constexpr size_t kColumns = 80;
        text << scaling_text(scaling, options.all ? 0 : options.top, kColumns);
    }
    if (options.output.empty() && options.format == "text") {
        tell(STDOUT_FILENO, text.str());
    } else {
        write_to(options.output, [&](std::ostream &out) { out << text.str(); });
    }
}

// The name and the factor of "n={t}*1000".
std::pair<std::string, unsigned long> size_of(const std::string &size) {
    static const std::regex kSize("([a-zA-Z_][a-zA-Z0-9_]*)=\\{t\\}(\\*([1-9][0-9]{0,11}))?");
    std::smatch match;
    if (!std::regex_match(size, match, kSize)) {
        refuse_input("--size " + size +
                     " is no size; give NAME={t}*NUMBER, and {NAME} in the program's arguments");
    }
    return {match[1], match[3].matched ? std::stoul(match[3]) : 1};
}

} // namespace

std::vector<unsigned> thread_list(const std::string &text) {
    std::vector<unsigned> list;
    std::istringstream in(text);
    for (std::string word; std::getline(in, word, ',');) {
        const bool is_number = !word.empty() && word.size() <= 6 &&
                               word.find_first_not_of("0123456789") == std::string::npos;
        const unsigned long number = is_number ? std::stoul(word) : 0;
        if (number == 0 || number > kMostThreads || (!list.empty() && number <= list.back())) {
            refuse_input("--threads " + text + ": " + (word.empty() ? "an empty number" : word) +
                         " does not belong there; give numbers from 1 on that grow, as 1,2,4,8");
        }
        list.push_back(static_cast<unsigned>(number));
    }
    if (list.size() < 2) {
        refuse_input("--threads " + text +
                     " says nothing of scaling; give at least two numbers, as 1,2,4,8");
    }
    return list;
}

std::vector<std::string> sized(const std::vector<std::string> &command, const std::string &size,
                               unsigned threads) {
    if (size.empty()) {
        return command;
    }
    const auto [name, factor] = size_of(size);
    const std::string mark = "{" + name + "}";
    const std::string number = std::to_string(factor * threads);
    std::vector<std::string> words = command;
    bool is_there = false;
    for (std::string &word : words) {
        for (size_t at = 0; (at = word.find(mark, at)) != std::string::npos; at += number.size()) {
            word.replace(at, mark.size(), number);
            is_there = true;
        }
    }
    if (!is_there) {
        refuse_input("no argument of the program has " + mark +
                     ", which --size defines; put it where the size of the problem stands");
    }
    return words;
}

std::unique_ptr<CLI::App> scale_parser(ScaleOptions &options) {
    auto app = std::make_unique<CLI::App>("Runs a program with several numbers of threads and "
                                          "shows how it scales, and what stops it. "
                                          "The runs are kept, and --of shows them again.",
                                          "scale");
    app->set_help_flag();
    app->prefix_command();
    app->add_option("-t,--threads", options.threads,
                    "numbers of threads that grow, as 1,2,4,8; each run has one\n"
                    "of them as OMP_NUM_THREADS")
        ->type_name("LIST");
    app->add_option("--each", options.each, "runs with each number, by turns; 3 if not given")
        ->type_name("N")
        ->check(CLI::Range(1U, kMostRuns).description(""));
    app->add_option("--size", options.size,
                    "weak scaling: NAME={t}*NUMBER is the size of the problem with\n"
                    "t threads, and {NAME} stands in the program's arguments")
        ->type_name("SIZE");
    app->add_option("--rate", options.rate, "samples a second of each thread, as of ompcollect")
        ->type_name(kRateRange)
        ->check(CLI::Range(kLowestRate, kHighestRate).description(""));
    app->add_option("--runs", options.folder,
                    "folder for the runs and their outputs, PROGRAM.scale if not\ngiven")
        ->type_name("FOLDER");
    app->add_option("--of", options.kept, "show the runs of this folder, run nothing")
        ->type_name("FOLDER");
    app->add_flag("--any-output", options.any_output,
                  "count runs, too, whose output differs from that of the first");
    app->add_option("-f,--format", options.format,
                    "text if not given\ntext: tables for people\ncsv: thread seconds by region and "
                    "cause\njson: "
                    "all figures\nextra-p: measurements for Extra-P, as JSON Lines")
        ->type_name("text|csv|json|extra-p")
        ->check(CLI::IsMember({"text", "csv", "json", "extra-p"}).description(""));
    app->add_option("-o,--output", options.output, "write to this file")->type_name("FILE");
    app->add_option("--top", options.top, "regions that are shown, 5 if not given")
        ->type_name("N")
        ->check(CLI::Range(1U, 1000000U).description(""));
    app->add_flag("--all", options.all, "show all regions that stop scaling");
    app->add_flag("-h,--help", options.help, "print this");
    return app;
}

int scale_command(const std::vector<std::string> &words, const std::string &launcher,
                  const RawReader &read_raw) {
    ScaleOptions options;
    const auto app = scale_parser(options);
    const auto between = std::find(words.begin(), words.end(), "--");
    parse(*app, {words.begin(), between}, kExitUsage);
    if (options.help) {
        tell(STDOUT_FILENO, app->help());
        return 0;
    }
    options.command = app->remaining();
    if (!options.command.empty() && options.command.front()[0] == '-') {
        refuse_input(
            options.command.front() +
            " is no option; ompcollect scale --help lists them, and -- stands before a program");
    }
    options.command.insert(options.command.end(), between == words.end() ? between : between + 1,
                           words.end());
    if (!options.kept.empty()) {
        const bool grows = fs::exists(fs::path(options.kept) / "weak");
        write_it(options, runs_of(options.kept, options.any_output || grows, read_raw), grows);
        return 0;
    }
    const std::vector<unsigned> list = thread_list(options.threads);
    if (options.command.empty()) {
        refuse_input("no program; ompcollect scale -t 1,2,4 -- ./program arguments");
    }
    sized(options.command, options.size, 1);
    if (options.folder.empty()) {
        options.folder = base_name(options.command.front()) + ".scale";
    }
    make_folder(options.folder);
    const bool grows = !options.size.empty();
    if (grows) {
        std::ofstream(fs::path(options.folder) / "weak") << options.size << "\n";
    }
    run_all(options, list, launcher);
    const std::vector<ScaleRun> runs =
        runs_of(options.folder, options.any_output || grows, read_raw);
    write_it(options, runs, grows);
    complain("the runs are in " + options.folder + "; again: ompcollect scale --of " +
             options.folder);
    const bool none = std::all_of(runs.begin(), runs.end(),
                                  [](const ScaleRun &run) { return !run.fault.empty(); });
    return none ? kExitLauncher : 0;
}

} // namespace ompcollect::report
