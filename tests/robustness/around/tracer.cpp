// SPDX-License-Identifier: Apache-2.0
#include "tracer.h"

#include "programs/hold_mark.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace ocb_test {
namespace {

std::string text_of(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string text_at(pid_t thread, uint64_t address) {
    std::string text;
    char piece[64];
    for (bool goes_on = address != 0; goes_on && text.size() < PATH_MAX;) {
        const iovec to = {piece, sizeof piece - (address + text.size()) % sizeof piece};
        const iovec from = {reinterpret_cast<void *>(address + text.size()), to.iov_len};
        const ssize_t got = process_vm_readv(thread, &to, 1, &from, 1, 0);
        const size_t length = got > 0 ? strnlen(piece, static_cast<size_t>(got)) : 0;
        text.append(piece, length);
        goes_on = got > 0 && length == static_cast<size_t>(got);
    }
    return text;
}

std::string link_of(const std::string &path) {
    char target[PATH_MAX];
    const ssize_t length = readlink(path.c_str(), target, sizeof target);
    return length > 0 ? std::string(target, static_cast<size_t>(length)) : std::string();
}

pid_t process_of(pid_t thread) {
    std::istringstream status(text_of("/proc/" + std::to_string(thread) + "/status"));
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("Tgid:")) {
            return std::stoi(line.substr(5));
        }
    }
    return thread;
}

// A symbol's value in the table of an ELF file.
struct SymbolPlace {
    bool is_found = false;
    uint64_t value = 0;
};

SymbolPlace find_symbol(const std::string &path, const LockWord &word) {
    const std::string bytes = text_of(path);
    Elf64_Ehdr head;
    if (bytes.size() < sizeof head) {
        return {};
    }
    memcpy(&head, bytes.data(), sizeof head);
    for (unsigned i = 0; i < head.e_shnum; ++i) {
        Elf64_Shdr table;
        memcpy(&table, bytes.data() + head.e_shoff + i * sizeof table, sizeof table);
        if (table.sh_type != SHT_SYMTAB) {
            continue;
        }
        Elf64_Shdr names;
        memcpy(&names, bytes.data() + head.e_shoff + table.sh_link * sizeof names, sizeof names);
        std::string source;
        for (uint64_t at = 0; at < table.sh_size; at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            memcpy(&symbol, bytes.data() + table.sh_offset + at, sizeof symbol);
            const char *name = bytes.data() + names.sh_offset + symbol.st_name;
            if (ELF64_ST_TYPE(symbol.st_info) == STT_FILE) {
                source = name;
            } else if (symbol.st_shndx != SHN_UNDEF && word.symbol == name &&
                       (word.source.empty() || word.source == source)) {
                return {true, symbol.st_value};
            }
        }
    }
    return {};
}

// 0: the process has no such library, or that no such symbol.
uint64_t address_of(pid_t process, const LockWord &word) {
    std::istringstream maps(text_of("/proc/" + std::to_string(process) + "/maps"));
    for (std::string line; std::getline(maps, line);) {
        const size_t slash = line.find('/');
        if (slash == std::string::npos || line.find(word.file, slash) == std::string::npos) {
            continue;
        }
        // The first mapping of a library begins where its addresses begin.
        const SymbolPlace place = find_symbol(line.substr(slash), word);
        if (!place.is_found) {
            return 0;
        }
        uint64_t address = std::stoull(line, nullptr, 16) + place.value;
        if (word.is_behind_pointer) {
            address = static_cast<uint64_t>(ptrace(PTRACE_PEEKDATA, process, address, nullptr));
        }
        return address + word.offset;
    }
    return 0;
}

// The program, stopped before it begins; its output goes to files.
class Tracee {
  public:
    Tracee(const Command &command, long options);
    ~Tracee();
    Tracee(const Tracee &) = delete;
    Tracee &operator=(const Tracee &) = delete;

    [[nodiscard]] pid_t first() const { return first_; }
    // The next stop or end of a thread; false: there is none left.
    bool next(pid_t &thread, int &status);
    // Lets a stopped thread go on, to its next system call.
    void go_on(pid_t thread, int signal = 0) const {
        ptrace(PTRACE_SYSCALL, thread, nullptr, reinterpret_cast<void *>(signal));
    }
    Outcome outcome();

  private:
    TemporaryFolder folder_;
    pid_t first_ = -1;
    int status_ = 0;
    bool timed_out_ = false;
};

volatile sig_atomic_t time_is_over = 0;
void on_alarm(int) {
    time_is_over = 1;
}

[[noreturn]] void become(const Command &command, const std::string &out, const std::string &err,
                         int go) {
    char byte = 0;
    while (read(go, &byte, 1) < 0 && errno == EINTR) {
    }
    dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), STDOUT_FILENO);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), STDERR_FILENO);
    std::vector<char *> arguments;
    std::vector<std::string> settings;
    std::vector<char *> environment;
    for (const std::string &word : command.arguments) {
        arguments.push_back(const_cast<char *>(word.c_str()));
    }
    settings.push_back(std::string("PATH=") + getenv("PATH"));
    for (const auto &[name, value] : command.environment) {
        settings.push_back(name + "=" + value);
    }
    for (std::string &setting : settings) {
        environment.push_back(setting.data());
    }
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
    execve(arguments[0], arguments.data(), environment.data());
    _exit(127);
}

Tracee::Tracee(const Command &command, long options) {
    int go[2];
    if (pipe2(go, O_CLOEXEC) != 0) {
        throw std::runtime_error("no pipe");
    }
    const std::string out = folder_.file("out");
    const std::string err = folder_.file("err");
    first_ = fork();
    if (first_ == 0) {
        close(go[1]);
        setpgid(0, 0);
        become(command, out, err, go[0]);
    }
    close(go[0]);
    const long seized =
        ptrace(PTRACE_SEIZE, first_, nullptr,
               reinterpret_cast<void *>(options | PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD |
                                        PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE));
    if (seized != 0) {
        kill(first_, SIGKILL);
        throw std::runtime_error(std::string("ptrace is not permitted: ") + strerror(errno));
    }
    struct sigaction action = {};
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, nullptr);
    time_is_over = 0;
    alarm(static_cast<unsigned>(command.time_limit_s));
    ptrace(PTRACE_INTERRUPT, first_, nullptr, nullptr);
    close(go[1]);
}

Tracee::~Tracee() {
    alarm(0);
    kill(-first_, SIGKILL);
    while (waitpid(-first_, nullptr, __WALL) > 0) {
    }
}

bool Tracee::next(pid_t &thread, int &status) {
    for (;;) {
        thread = waitpid(-1, &status, __WALL);
        if (thread < 0 && errno == EINTR) {
            if (time_is_over != 0) {
                timed_out_ = true;
                kill(-first_, SIGKILL);
            }
            continue;
        }
        if (thread == first_ && (WIFEXITED(status) || WIFSIGNALED(status))) {
            status_ = status;
        }
        return thread > 0;
    }
}

Outcome Tracee::outcome() {
    Outcome outcome;
    outcome.timed_out = timed_out_;
    outcome.exit_code = WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
    outcome.signal = WIFSIGNALED(status_) ? WTERMSIG(status_) : 0;
    outcome.out = text_of(folder_.file("out"));
    outcome.err = text_of(folder_.file("err"));
    return outcome;
}

bool is_at_call(int status) {
    return WIFSTOPPED(status) && WSTOPSIG(status) == (SIGTRAP | 0x80);
}

// The signal to hand on where the stop is for one, and for nothing of ptrace's own.
int signal_of(int status) {
    const bool is_event = status >> 16 != 0;
    return is_event || WSTOPSIG(status) == (SIGTRAP | 0x80) ? 0 : WSTOPSIG(status);
}

user_regs_struct registers_of(pid_t thread) {
    user_regs_struct registers = {};
    ptrace(PTRACE_GETREGS, thread, nullptr, &registers);
    return registers;
}

// -1: the thread leaves a call.
long number_of_entry(pid_t thread) {
    __ptrace_syscall_info info = {};
    ptrace(static_cast<__ptrace_request>(PTRACE_GET_SYSCALL_INFO), thread, sizeof info, &info);
    return info.op == PTRACE_SYSCALL_INFO_ENTRY ? static_cast<long>(info.entry.nr) : -1;
}

class Campaign {
  public:
    Campaign(Tracee &tracee, const std::function<Fate(const Call &)> &fate_of)
        : tracee_(tracee), fate_of_(fate_of) {}

    void at_call(pid_t thread) {
        const long number = number_of_entry(thread);
        if (number < 0) {
            finish(thread);
            return;
        }
        const user_regs_struct registers = registers_of(thread);
        const pid_t process = process_of_.try_emplace(thread, process_of(thread)).first->second;
        const Fate fate = fate_of_({process,
                                    thread,
                                    process == tracee_.first(),
                                    number,
                                    {registers.rdi, registers.rsi, registers.rdx, registers.r10,
                                     registers.r8, registers.r9}});
        carry_out(fate, process, thread);
    }

  private:
    void carry_out(const Fate &fate, pid_t process, pid_t thread) {
        if (fate.kind == Fate::Kind::kFails) {
            user_regs_struct registers = registers_of(thread);
            registers.orig_rax = static_cast<unsigned long long>(-1);
            ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
            failing_[thread] = fate.error;
        }
        if (fate.kind == Fate::Kind::kDies) {
            if (fate.after_us != 0) {
                tracee_.go_on(thread);
                usleep(fate.after_us);
            }
            kill(process, SIGKILL);
        }
    }
    void finish(pid_t thread) {
        const auto failing = failing_.find(thread);
        if (failing != failing_.end()) {
            user_regs_struct registers = registers_of(thread);
            registers.rax = static_cast<unsigned long long>(-failing->second);
            ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
            failing_.erase(failing);
        }
    }

    Tracee &tracee_;
    const std::function<Fate(const Call &)> &fate_of_;
    std::map<pid_t, pid_t> process_of_;
    std::map<pid_t, int> failing_;
};

constexpr size_t kWatchAddress = offsetof(user, u_debugreg[0]);
constexpr size_t kWatchControl = offsetof(user, u_debugreg[7]);

// Holds a thread where it has taken a lock.
class Holder {
  public:
    Holder(Tracee &tracee, const LockWord &word) : tracee_(tracee), word_(word) {}

    // False: the thread stays stopped.
    bool at_stop(pid_t thread, int status) {
        if (WSTOPSIG(status) == SIGTRAP && status >> 16 == 0) {
            return !takes_lock(thread);
        }
        if (is_at_call(status)) {
            at_call(thread);
        }
        if (thread != forker_ && address_ != 0 && watched_.insert(thread).second) {
            watch(thread);
            if (unwatched_.erase(thread) != 0 && unwatched_.empty()) {
                tracee_.go_on(forker_);
            }
        }
        return thread != forker_ || unwatched_.empty();
    }

  private:
    void at_call(pid_t thread) {
        const long number = number_of_entry(thread);
        if (thread == forker_ && number == SYS_write) {
            knows_ = is_over_;
        } else if (thread == forker_ && knows_ && is_wait(number)) {
            release();
        }
        if (number != SYS_prctl) {
            return;
        }
        const user_regs_struct registers = registers_of(thread);
        if (registers.rdi == kHoldFirst) {
            begin(thread, registers.rsi);
        }
    }
    static bool is_wait(long number) {
        return number == SYS_sched_yield || number == SYS_clock_nanosleep || number == SYS_futex;
    }
    void release() {
        if (held_ != 0) {
            tracee_.go_on(held_);
            held_ = 0;
        }
    }
    void begin(pid_t thread, uint64_t caught) {
        forker_ = thread;
        caught_ = caught;
        const pid_t process = process_of(thread);
        address_ = address_of(process, word_);
        if (address_ == 0) {
            throw std::runtime_error("no variable " + word_.symbol + " in " + word_.file);
        }
        // Its call succeeds: the program knows that somebody traces.
        user_regs_struct registers = registers_of(thread);
        registers.orig_rax = SYS_getuid;
        ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
        for (const pid_t other : threads_of(process)) {
            if (other != thread) {
                unwatched_.insert(other);
                ptrace(PTRACE_INTERRUPT, other, nullptr, nullptr);
            }
        }
    }
    static std::set<pid_t> threads_of(pid_t process);
    void watch(pid_t thread) const {
        const unsigned long length = word_.size == 8 ? 2UL : word_.size - 1UL;
        const unsigned long control = 1UL | 1UL << 16 | length << 18; // on writing
        ptrace(PTRACE_POKEUSER, thread, kWatchAddress, address_);
        if (ptrace(PTRACE_POKEUSER, thread, kWatchControl, control) != 0) {
            throw std::runtime_error(std::string("no watchpoints here: ") + strerror(errno));
        }
    }
    bool takes_lock(pid_t thread) {
        const long word = ptrace(PTRACE_PEEKDATA, thread, address_ & ~7UL, nullptr);
        const unsigned long mask = word_.size == 8 ? ~0UL : (1UL << word_.size * CHAR_BIT) - 1;
        if (held_ != 0 || forker_ == 0 || is_over_ ||
            (static_cast<unsigned long>(word) >> address_ % 8 * CHAR_BIT & mask) == 0) {
            return false;
        }
        held_ = thread;
        is_over_ = true;
        const long before = ptrace(PTRACE_PEEKDATA, thread, caught_ & ~7UL, nullptr);
        const unsigned shift = caught_ % 8 * CHAR_BIT;
        const auto after =
            (static_cast<unsigned long>(before) & ~(0xffffffffUL << shift)) | 1UL << shift;
        ptrace(PTRACE_POKEDATA, thread, caught_ & ~7UL, after);
        return true;
    }

    Tracee &tracee_;
    const LockWord &word_;
    pid_t forker_ = 0; // waits until the others are watched
    std::set<pid_t> unwatched_;
    std::set<pid_t> watched_;
    pid_t held_ = 0;
    bool is_over_ = false; // one has been held
    bool knows_ = false;   // and the forking thread has said so
    uint64_t caught_ = 0;
    uint64_t address_ = 0;
};

std::set<pid_t> Holder::threads_of(pid_t process) {
    std::set<pid_t> threads;
    const std::string folder = "/proc/" + std::to_string(process) + "/task";
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
        threads.insert(std::stoi(entry.path().filename()));
    }
    return threads;
}

} // namespace

std::string Call::path() const {
    const std::string descriptors = "/proc/" + std::to_string(thread) + "/fd/";
    switch (number) {
    case SYS_openat:
    case SYS_unlinkat:
    case SYS_mkdirat:
        return text_at(thread, arguments[1]);
    case SYS_symlinkat:
        return text_at(thread, arguments[2]);
    case SYS_open:
    case SYS_creat:
    case SYS_mkdir:
    case SYS_rename:
    case SYS_unlink:
    case SYS_rmdir:
        return text_at(thread, arguments[0]);
    case SYS_symlink:
    case SYS_link:
        return text_at(thread, arguments[1]);
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
    case SYS_ftruncate:
    case SYS_fallocate:
    case SYS_fsync:
        return link_of(descriptors + std::to_string(arguments[0]));
    default:
        return {};
    }
}

Outcome trace(const Command &command, const std::function<Fate(const Call &)> &fate_of) {
    Tracee tracee(command, PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK);
    Campaign campaign(tracee, fate_of);
    pid_t thread = 0;
    for (int status = 0; tracee.next(thread, status);) {
        if (is_at_call(status)) {
            campaign.at_call(thread);
        }
        if (WIFSTOPPED(status)) {
            tracee.go_on(thread, signal_of(status));
        }
    }
    return tracee.outcome();
}

Outcome trace_and_hold(const Command &command, const LockWord &word) {
    Tracee tracee(command, 0);
    Holder holder(tracee, word);
    pid_t thread = 0;
    for (int status = 0; tracee.next(thread, status);) {
        if (WIFSTOPPED(status) && holder.at_stop(thread, status)) {
            const bool is_trap = WSTOPSIG(status) == SIGTRAP;
            tracee.go_on(thread, is_trap ? 0 : signal_of(status));
        }
    }
    return tracee.outcome();
}

} // namespace ocb_test
