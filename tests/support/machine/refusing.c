/* SPDX-License-Identifier: Apache-2.0
 *
 * refusing WHAT PROGRAM [ARGUMENT...]: runs the program behind a filter that refuses system calls
 * with EPERM, as the one of a container does. WHAT is "perf_event_open", or "container": what an
 * unprivileged one refuses by Docker's default profile without capabilities. Or it is a call's
 * NUMBER:ERROR, which refuses that call alone with that error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The first is refused alone, or all are. */
static const int kRefused[] = {
    SYS_perf_event_open,
    SYS_bpf,
    SYS_kcmp,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_unshare,
    SYS_setns,
    SYS_mbind,
    SYS_get_mempolicy,
    SYS_set_mempolicy,
    SYS_move_pages,
    SYS_migrate_pages,
    SYS_swapon,
    SYS_swapoff,
    SYS_reboot,
    SYS_syslog,
    SYS_settimeofday,
    SYS_acct,
    SYS_quotactl,
    SYS_userfaultfd,
    SYS_open_by_handle_at,
    SYS_init_module,
    SYS_kexec_load,
};
enum { kCount = sizeof kRefused / sizeof kRefused[0] };

static struct sock_filter filter[3 * kCount + 8];
static unsigned short length;

static void add(struct sock_filter instruction) {
    filter[length++] = instruction;
}

static void refuse(int number, int error) {
    const struct sock_filter is_it = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1);
    const struct sock_filter no =
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((unsigned)error & SECCOMP_RET_DATA));
    add(is_it);
    add(no);
}

int main(int count, char **arguments) {
    const int is_container = count > 2 && strcmp(arguments[1], "container") == 0;
    const char *error = count > 2 ? strchr(arguments[1], ':') : NULL;
    if (!is_container && !error && (count < 3 || strcmp(arguments[1], "perf_event_open") != 0)) {
        fputs("usage: refusing perf_event_open|container|NUMBER:ERROR PROGRAM [ARGUMENT...]\n",
              stderr);
        return 2;
    }
    const struct sock_filter number =
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    add(number);
    for (int i = 0; i < (is_container ? kCount : 1); ++i) {
        refuse(error ? atoi(arguments[1]) : kRefused[i], error ? atoi(error + 1) : EPERM);
    }
    if (is_container) { /* clone() with a new namespace */
        const unsigned spaces = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                                CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWCGROUP;
        const struct sock_filter more[] = {
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
            BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, spaces, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        };
        for (unsigned i = 0; i < sizeof more / sizeof more[0]; ++i) {
            add(more[i]);
        }
    }
    const struct sock_filter permit = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    add(permit);
    const struct sock_fprog program = {length, filter};
    /* Root needs no promise; with it no program changes its user. */
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0 &&
        (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)) {
        perror("filter");
        return 2;
    }
    execvp(arguments[2], arguments + 2);
    perror(arguments[2]);
    return 2;
}
