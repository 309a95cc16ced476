/* SPDX-License-Identifier: Apache-2.0 */
/* Applies rates and kinds to the collector, and puts leases over them. */
#include "sdk/settings.h"

#include "sdk/sdk.h"

/* Set the collector to these rates. Requires the mutex. */
static void apply_rates(struct sdk *s, const struct sdk_rates *r)
{
	s->settings.rates = *r;
	watch_set_cpu_hz(s->watch, r->cpu_hz);
	collect_set_cpu_hz(s->collector, r->cpu_hz);
	collect_set_rates(s->collector, r->wall_hz, r->heap_interval, r->block_interval_ns);
	s->profiles = r->profiles;
	collect_set_profiles(s->collector, r->profiles & ~schedule_part_kinds(&s->schedule));
}

void sdk_settings_init(struct sdk *s)
{
	const struct varve_options *o = &s->options.o;

	pthread_mutex_init(&s->settings.mu, NULL);
	s->settings.own = (struct sdk_rates){.profiles = o->profiles,
					     .cpu_hz = o->cpu_hz,
					     .wall_hz = o->wall_hz,
					     .heap_interval = o->heap_interval,
					     .block_interval_ns = o->block_interval_ns};
	s->settings.rates = s->settings.own;
}

void sdk_settings_forked(struct sdk *s)
{
	pthread_mutex_init(&s->settings.mu, NULL);
}

void sdk_settings_change(struct sdk *s, const struct sdk_rates *own)
{
	pthread_mutex_lock(&s->settings.mu);
	lease_override(&s->settings.lease);
	s->settings.own = *own;
	apply_rates(s, own);
	pthread_mutex_unlock(&s->settings.mu);
}

struct sdk_rates sdk_settings_own(struct sdk *s)
{
	struct sdk_rates own;

	pthread_mutex_lock(&s->settings.mu);
	own = s->settings.own;
	pthread_mutex_unlock(&s->settings.mu);
	return own;
}

struct sdk_rates sdk_settings_in_effect(struct sdk *s)
{
	struct sdk_rates rates;

	pthread_mutex_lock(&s->settings.mu);
	rates = s->settings.rates;
	pthread_mutex_unlock(&s->settings.mu);
	return rates;
}

/* Put the settings of a lease over the program's own. */
static struct sdk_rates rates_of_lease(const struct sdk_rates *own,
				       const struct control_settings *l)
{
	struct sdk_rates r = *own;

	r.profiles = l->has_profiles ? l->profiles : r.profiles;
	r.cpu_hz = l->cpu_hz ? l->cpu_hz : r.cpu_hz;
	r.wall_hz = l->wall_hz ? l->wall_hz : r.wall_hz;
	r.heap_interval = l->heap_interval ? l->heap_interval : r.heap_interval;
	return r;
}

/* Do a step of the lease. Requires the mutex. */
static void do_step(struct sdk *s, enum lease_step step)
{
	struct sdk_rates r = s->settings.own;

	if (step == LEASE_KEEP)
		return;
	if (step == LEASE_APPLY)
		r = rates_of_lease(&r, &s->settings.lease.settings);
	apply_rates(s, &r);
}

bool sdk_settings_order(struct sdk *s, const struct control_order *order,
			const struct lease_limits *limits, uint64_t now_ns)
{
	struct lease *l = &s->settings.lease;
	unsigned before;
	uint64_t id;
	bool changed;

	pthread_mutex_lock(&s->settings.mu);
	before = l->state;
	id = l->id;
	do_step(s, lease_take_order(l, order, limits, now_ns));
	changed = l->state != before || l->id != id;
	pthread_mutex_unlock(&s->settings.mu);
	return changed;
}

bool sdk_settings_check_time(struct sdk *s, uint64_t now_ns)
{
	enum lease_step step;

	pthread_mutex_lock(&s->settings.mu);
	step = lease_check_time(&s->settings.lease, now_ns);
	do_step(s, step);
	pthread_mutex_unlock(&s->settings.mu);
	return step != LEASE_KEEP;
}

void sdk_settings_report(struct sdk *s, struct control_report *r, struct lease *copy)
{
	struct sdk_rates rates;

	pthread_mutex_lock(&s->settings.mu);
	*copy = s->settings.lease;
	rates = s->settings.rates;
	pthread_mutex_unlock(&s->settings.mu);
	r->now = (struct control_settings){.has_profiles = true,
					   .profiles = rates.profiles,
					   .cpu_hz = rates.cpu_hz,
					   .wall_hz = rates.wall_hz,
					   .heap_interval = rates.heap_interval};
	r->lease = copy->id;
	r->lease_state = copy->state;
	r->lease_error = str_from(copy->error);
}
