// SPDX-License-Identifier: Apache-2.0
//
// process.cpp - see process.h. The child leads a process group, so that a time limit ends what it
// started as well.
#include "process.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ocb_test {

namespace {

class Pipe {
  public:
    Pipe() {
        if (pipe2(ends_.data(), O_CLOEXEC) != 0) {
            throw std::runtime_error("no pipe");
        }
    }
    ~Pipe() {
        close_read();
        close_write();
    }
    Pipe(const Pipe &) = delete;
    Pipe &operator=(const Pipe &) = delete;

    [[nodiscard]] int read_end() const { return ends_[0]; }
    [[nodiscard]] int write_end() const { return ends_[1]; }
    void close_read() { close_end(ends_[0]); }
    void close_write() { close_end(ends_[1]); }

  private:
    static void close_end(int &end) {
        if (end >= 0) {
            close(end);
        }
        end = -1;
    }
    std::array<int, 2> ends_{-1, -1};
};

// Reads what is there; false at the end of the stream.
bool drain(int file, std::string &text) {
    std::array<char, 65536> buffer{};
    const ssize_t length = read(file, buffer.data(), buffer.size());
    if (length > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(length));
    }
    return length > 0 || (length < 0 && errno == EINTR);
}

std::vector<char *> pointers_to(std::vector<std::string> &texts) {
    std::vector<char *> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string &text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

// Both streams until their ends, or until the time is over. False if it is.
bool read_output(Pipe &out, Pipe &err, Outcome &outcome, int time_limit_s) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(time_limit_s);
    while (out.read_end() >= 0 || err.read_end() >= 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            return false;
        }
        std::array<pollfd, 2> files{{{out.read_end(), POLLIN, 0}, {err.read_end(), POLLIN, 0}}};
        poll(files.data(), files.size(), static_cast<int>(left.count()));
        if (files[0].revents != 0 && !drain(out.read_end(), outcome.out)) {
            out.close_read();
        }
        if (files[1].revents != 0 && !drain(err.read_end(), outcome.err)) {
            err.close_read();
        }
    }
    return true;
}

// libomp keeps a file per process in shared memory. Where a process was killed while making it, it
// is empty, and the next process of that number dies of SIGBUS, bridge or not.
void remove_files_of_the_dead() {
    constexpr std::string_view kName = "__KMP_REGISTERED_LIB_";
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator("/dev/shm", error)) {
        const std::string name = entry.path().filename().string();
        if (name.rfind(kName, 0) != 0) {
            continue;
        }
        const pid_t owner = std::atoi(name.c_str() + kName.size());
        if (owner > 0 && kill(owner, 0) != 0 && errno == ESRCH) {
            std::filesystem::remove(entry.path(), error);
        }
    }
}

} // namespace

Outcome run(const Command &command) {
    std::vector<std::string> arguments = command.arguments;
    std::vector<std::string> environment;
    for (const auto &[name, value] : command.environment) {
        environment.emplace_back(name).append("=").append(value);
    }
    if (const char *path = std::getenv("PATH"); path != nullptr) {
        environment.push_back(std::string("PATH=") + path);
    }
    if (command.environment.count("HOME") == 0) {
        environment.emplace_back("HOME=/"); // Open MPI 5 does not begin without
    }
    const std::vector<char *> argv = pointers_to(arguments);
    const std::vector<char *> envp = pointers_to(environment);

    Outcome outcome;
    Pipe out;
    Pipe err;
    const pid_t child = fork();
    if (child < 0) {
        throw std::runtime_error("no child process");
    }
    if (child == 0) {
        setpgid(0, 0);
        dup2(out.write_end(), STDOUT_FILENO);
        dup2(err.write_end(), STDERR_FILENO);
        execve(argv[0], argv.data(), envp.data());
        _exit(127);
    }
    setpgid(child, child);
    out.close_write();
    err.close_write();
    outcome.timed_out = !read_output(out, err, outcome, command.time_limit_s);
    if (outcome.timed_out) {
        kill(-child, SIGKILL);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) {
        outcome.exit_code = WEXITSTATUS(status);
    } else if (WIFSIGNALED(status)) {
        outcome.signal = WTERMSIG(status);
    }
    remove_files_of_the_dead();
    return outcome;
}

std::string Outcome::describe() const {
    std::ostringstream text;
    text << (timed_out ? "timed out, " : "") << "exit code " << exit_code << ", signal " << signal
         << "\n--- stdout\n"
         << out << "--- stderr\n"
         << err;
    return text.str();
}

TemporaryFolder::TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ocb-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error("no temporary folder");
    }
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> lines_with_prefix(const std::string &text, const std::string &prefix) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        if (line.rfind(prefix, 0) == 0) {
            lines.push_back(line);
        }
    }
    return lines;
}

} // namespace ocb_test
