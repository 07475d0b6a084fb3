/* SPDX-License-Identifier: Apache-2.0
 * The one function of libgomp-ompt's own. */
#ifndef LIBGOMP_OMPT_H
#define LIBGOMP_OMPT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the OMPT tool of the process now, as a call of the runtime would, if a libgomp without
 * OMPT is loaded. Returns 1 if a tool is (or was) started, else 0. Returns -1 if another thread is
 * starting it and has not finished within two seconds: it may wait for the caller, if that is in a
 * library's constructor. Thread-safe; not for signal handlers. Look it up with dlsym:
 * int (*)(void). */
__attribute__((visibility("default"))) int libgomp_ompt_initialize(void);

#ifdef __cplusplus
}
#endif
#endif
