/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_CONTROL_LEASE_H
#define VARVE_SDK_CONTROL_LEASE_H

#include "wire/control_message.h"

/*
 * The lease of this process: settings of a server that apply for a limited time. Pure functions of
 * orders and times; the control thread (control_thread.h) applies what they return.
 *
 * A lease ends when its time is over by this process's clock, when the server does not send it any
 * more, when the server has not answered for LEASE_SILENCE_SECONDS, or when the program changes its
 * settings itself. A lease beyond the limits of this process is refused as a whole. One that has
 * ended or was refused is not applied again.
 */
enum { LEASE_SILENCE_SECONDS = 600 };

struct lease_limits {
	unsigned max_cpu_hz, profiles, max_seconds;
};

struct lease {
	uint64_t id;	/* of the last one that was received; 0: none */
	unsigned state; /* enum control_lease_state */
	char error[CONTROL_TEXT_MAX + 1];
	struct control_settings settings;
	uint64_t ends_ns, heard_ns; /* monotonic; heard: the last answer of the server */
};

/* What to do after a step. */
enum lease_step { LEASE_KEEP, LEASE_APPLY, LEASE_REVERT };

/* Take the order of the server. LEASE_APPLY: apply l->settings. */
enum lease_step lease_take_order(struct lease *l, const struct control_order *order,
				 const struct lease_limits *limits, uint64_t now_ns);

/* Check the time. */
enum lease_step lease_check_time(struct lease *l, uint64_t now_ns);

/* The program changed its settings: they count, not those of the lease. */
void lease_override(struct lease *l);

#endif
