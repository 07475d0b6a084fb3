/* SPDX-License-Identifier: Apache-2.0
 *
 * What fork_calls_x86_64.S and fork_calls.c share.
 */
#ifndef OCB_FORK_CALLS_H
#define OCB_FORK_CALLS_H

/* One for each fork call, laid out in fork_calls_x86_64.S. */
struct fork_call {
    const char *name;
    void *next; /* the runtime's definition, once it is found */
};

/* Notes the fork and returns the function that the call is to go on to. */
__attribute__((visibility("hidden"))) void *
ocb_fork_call(const void *function, const void *return_address, struct fork_call *call);

#endif
