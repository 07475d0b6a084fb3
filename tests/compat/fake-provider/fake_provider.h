/* SPDX-License-Identifier: Apache-2.0
 *
 * A producer of the Collector API that is not the bridge: it answers as OpenUH's runtime does
 * (error codes of region requests left unwritten, PARENT_PRID with the current id, ATWT events
 * refused, STATE with its state written even where the wait id does not fit). The program that
 * links it says what the calling thread is doing and raises events. C, so that the program can be
 * as well.
 *
 * Environment: FAKE_START_CODE, the answer to START (0); FAKE_NATURAL, if set, STATE wants room for
 * the C struct of 16 bytes; FAKE_NO_FORK, if set, FORK and JOIN are refused.
 */
#ifndef OCB_TEST_FAKE_PROVIDER_H
#define OCB_TEST_FAKE_PROVIDER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the calling thread is, from now on. */
void fake_set_state(int state, uint64_t wait_id);
void fake_set_region(uint64_t id);

/* The calling thread meets the event: the registered callback is called. */
void fake_raise(int event);

/* Called at the calling thread's next request for a region inside of a callback, FORK's: a signal's
 * handler does such things there. A sample that comes before asks for the region, too. */
void fake_at_next_region_request(void (*what)(void));

/* How many STATE requests there were in the process. */
unsigned long fake_state_requests(void);

/* 1 between START and STOP. */
int fake_is_started(void);

#ifdef __cplusplus
}
#endif

#endif
