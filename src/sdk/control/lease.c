/* SPDX-License-Identifier: Apache-2.0 */
/* The states of a lease. */
#include "sdk/control/lease.h"

#include <stdio.h>

#include "base/clock.h"

static void set_state(struct lease *l, unsigned state, const char *error)
{
	l->state = state;
	snprintf(l->error, sizeof(l->error), "%s", error);
}

/* End the lease. Return whether its settings were in effect. */
static enum lease_step end_lease(struct lease *l, const char *why)
{
	if (l->state != CONTROL_LEASE_APPLIED)
		return LEASE_KEEP;
	set_state(l, CONTROL_LEASE_ENDED, why);
	return LEASE_REVERT;
}

/* Write why the settings are beyond the limits. Return false if they are not. */
static bool is_beyond(const struct control_order *o, const struct lease_limits *limits,
		      char out[CONTROL_TEXT_MAX + 1])
{
	unsigned more = o->settings.profiles & ~limits->profiles;

	if (o->settings.cpu_hz > limits->max_cpu_hz || o->settings.wall_hz > limits->max_cpu_hz)
		snprintf(out, CONTROL_TEXT_MAX + 1,
			 "a rate of %u Hz is above control.max_cpu_hz (%u) of the process",
			 o->settings.cpu_hz > o->settings.wall_hz ? o->settings.cpu_hz
								  : o->settings.wall_hz,
			 limits->max_cpu_hz);
	else if (o->settings.has_profiles && more)
		snprintf(out, CONTROL_TEXT_MAX + 1,
			 "control.profiles of the process does not permit all of these kinds");
	else if (o->remaining_ms > (uint64_t)limits->max_seconds * 1000)
		snprintf(out, CONTROL_TEXT_MAX + 1,
			 "a lease of %llu s is longer than control.max_seconds (%u) of the process",
			 (unsigned long long)(o->remaining_ms / 1000), limits->max_seconds);
	else
		return false;
	return true;
}

enum lease_step lease_take_order(struct lease *l, const struct control_order *order,
				 const struct lease_limits *limits, uint64_t now_ns)
{
	char why[CONTROL_TEXT_MAX + 1];
	enum lease_step before;

	l->heard_ns = now_ns;
	if (!order->lease)
		return end_lease(l, "ended by the server");
	if (order->lease == l->id || !order->remaining_ms)
		return lease_check_time(l, now_ns);
	before = end_lease(l, "replaced");
	l->id = order->lease;
	if (is_beyond(order, limits, why)) {
		set_state(l, CONTROL_LEASE_REFUSED, why);
		return before;
	}
	l->settings = order->settings;
	l->ends_ns = now_ns + order->remaining_ms * NS_PER_MS;
	set_state(l, CONTROL_LEASE_APPLIED, "");
	return LEASE_APPLY;
}

enum lease_step lease_check_time(struct lease *l, uint64_t now_ns)
{
	if (now_ns >= l->ends_ns)
		return end_lease(l, "its time is over");
	if (now_ns - l->heard_ns > LEASE_SILENCE_SECONDS * NS_PER_SECOND)
		return end_lease(l, "the server does not answer");
	return LEASE_KEEP;
}

void lease_override(struct lease *l)
{
	(void)end_lease(l, "the program changed its settings");
}
