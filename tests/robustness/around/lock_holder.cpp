// SPDX-License-Identifier: Apache-2.0
// Holds a thread at the instruction by which it takes a lock, by a watchpoint of the processor.
#include "tracee.h"
#include "tracer.h"

#include "programs/hold_mark.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <set>
#include <sstream>
#include <stdexcept>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

namespace ocb_test {
namespace {

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
