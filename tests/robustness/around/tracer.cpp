// SPDX-License-Identifier: Apache-2.0
#include "tracer.h"

#include "tracee.h"

#include <climits>
#include <csignal>
#include <cstring>
#include <map>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ocb_test {
namespace {

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

} // namespace ocb_test
