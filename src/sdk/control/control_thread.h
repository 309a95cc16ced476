/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_CONTROL_CONTROL_THREAD_H
#define VARVE_SDK_CONTROL_CONTROL_THREAD_H

#include "sdk/sdk.h"

/*
 * Control by the server (docs/control.md): a thread that reports to the server of the endpoint
 * every few seconds, applies the lease that it answers with, and takes the profiles that it asks
 * for. Another thread, for as long as a profile takes, takes and uploads it.
 *
 * On for servers on loopback, else only if the option control.enabled says so; off without an
 * endpoint. The limits of leases are options of the process, which the server cannot change.
 */
struct control_thread;

/* Return whether the options permit control of this process by the server. */
bool control_thread_wanted(const struct varve_options *o);

/* Start. Return 0 or -errno; without it the rest of the library works. */
MUST_USE int control_thread_start(struct control_thread **out, struct sdk *s, struct err *e);

/* Stop and free; waits for a profile that is being taken, which ends early. Takes NULL. */
void control_thread_stop(struct control_thread *t);

/* In a forked child: drop the parent's connection and free; the threads do not exist. */
void control_thread_forked(struct control_thread *t);

#endif
