/* SPDX-License-Identifier: Apache-2.0 */
/* Instances and leases as JSON. */
#include "api/control/control_state.h"
#include "base/clock.h"

static void put_number(struct json_writer *w, const char *key, uint64_t value)
{
	json_put_key(w, str_from(key));
	json_put_u64(w, value);
}

static void put_string(struct json_writer *w, const char *key, const char *value)
{
	json_put_key(w, str_from(key));
	json_put_string(w, str_from(value));
}

static void put_profiles(struct json_writer *w, const char *key, unsigned profiles)
{
	struct buf names = {0};
	struct str rest;

	control_kinds_write(&names, profiles);
	rest = buf_str(&names);
	json_put_key(w, str_from(key));
	json_open_array(w);
	while (rest.n)
		json_put_string(w, str_cut(&rest, ','));
	json_close_array(w);
	buf_fini(&names);
}

/* Append what is set. */
static void put_settings(struct json_writer *w, const struct control_settings *s)
{
	json_put_key(w, STR("settings"));
	json_open_object(w);
	if (s->cpu_hz)
		put_number(w, "cpu_hz", s->cpu_hz);
	if (s->wall_hz)
		put_number(w, "wall_hz", s->wall_hz);
	if (s->heap_interval)
		put_number(w, "heap_interval", s->heap_interval);
	if (s->has_profiles)
		put_profiles(w, "profiles", s->profiles);
	json_close_object(w);
}

/* The instances of a lease by their state. */
struct lease_counts {
	const struct control_lease *lease;
	struct control_time now;
	unsigned states[CONTROL_LEASE_STATES];
};

static void count_state(void *arg, struct control_instance *i)
{
	struct lease_counts *counts = arg;
	const struct control_lease *l = counts->lease;

	if (control_is_connected(i, counts->now) && !strcmp(i->tenant, l->tenant) &&
	    !strcmp(i->service, l->service) && control_id_matches(i->id, l->instance))
		counts->states[i->lease == l->id ? i->lease_state : CONTROL_LEASE_NONE]++;
}

static void put_lease(struct control *c, const struct control_lease *l, struct control_time now,
		      struct json_writer *w)
{
	struct lease_counts counts = {.lease = l, .now = now};

	control_each_instance(c, count_state, &counts);
	json_open_object(w);
	json_put_key(w, STR("id"));
	json_put_u64_string(w, l->id);
	put_string(w, "service", l->service);
	put_string(w, "instance", l->instance);
	put_string(w, "author", l->author);
	put_string(w, "reason", l->reason);
	put_settings(w, &l->settings);
	put_number(w, "issued", l->issued_real_ns / NS_PER_MS);
	put_number(w, "expires", l->expires_real_ns / NS_PER_MS);
	put_number(w, "remaining_ms", (l->expires_ns - now.monotonic) / NS_PER_MS);
	put_number(w, "waiting", counts.states[CONTROL_LEASE_NONE]);
	put_number(w, "applied", counts.states[CONTROL_LEASE_APPLIED]);
	put_number(w, "refused", counts.states[CONTROL_LEASE_REFUSED]);
	put_number(w, "ended", counts.states[CONTROL_LEASE_ENDED]);
	json_close_object(w);
}

void control_put_lease(struct control *c, uint64_t id, struct control_time now,
		       struct json_writer *w)
{
	pthread_mutex_lock(&c->mu);
	for (unsigned i = 0; i < CONTROL_LEASES_MAX; i++)
		if (c->leases[i].id == id && c->leases[i].expires_ns > now.monotonic) {
			json_put_key(w, STR("lease"));
			put_lease(c, &c->leases[i], now, w);
			break;
		}
	pthread_mutex_unlock(&c->mu);
}

static void put_instance(struct json_writer *w, const struct control_instance *i)
{
	json_open_object(w);
	put_string(w, "instance", i->id);
	put_string(w, "service", i->service);
	put_string(w, "host", i->host);
	put_number(w, "pid", i->pid);
	put_string(w, "version", i->version);
	put_number(w, "last", i->seen_real_ns / NS_PER_MS);
	put_settings(w, &i->now);
	put_number(w, "max_cpu_hz", i->max_cpu_hz);
	put_number(w, "max_seconds", i->max_seconds);
	put_profiles(w, "max_profiles", i->max_profiles);
	json_put_key(w, STR("lease"));
	json_put_u64_string(w, i->lease);
	put_string(w, "lease_state", control_lease_states[i->lease_state]);
	put_string(w, "lease_error", i->lease_error);
	json_close_object(w);
}

/* The list of instances, while it is written. */
struct instance_list {
	const struct control_caller *from;
	struct str service;
	struct control_time now;
	struct json_writer *w;
	unsigned n;
};

static void list_instance(void *arg, struct control_instance *i)
{
	struct instance_list *list = arg;

	if (!control_is_connected(i, list->now) ||
	    !control_sees(list->from, i->tenant, i->service) ||
	    (list->service.n && !str_eq(list->service, str_from(i->service))))
		return;
	if (list->n++ < CONTROL_LIST_MAX)
		put_instance(list->w, i);
}

void control_put_state(struct control *c, const struct control_caller *from, struct str service,
		       struct control_time now, struct json_writer *w)
{
	struct instance_list list = {from, service, now, w, 0};

	pthread_mutex_lock(&c->mu);
	control_expire_leases(c, now);
	json_put_key(w, STR("enabled"));
	json_put_bool(w, !c->off);
	put_string(w, "disabled_reason", c->off ? c->off : "");
	json_put_key(w, STR("leases"));
	json_open_array(w);
	for (unsigned i = 0; i < CONTROL_LEASES_MAX; i++) {
		const struct control_lease *l = &c->leases[i];

		if (l->id && control_sees(from, l->tenant, l->service) &&
		    (!service.n || str_eq(service, str_from(l->service))))
			put_lease(c, l, now, w);
	}
	json_close_array(w);
	json_put_key(w, STR("instances"));
	json_open_array(w);
	control_each_instance(c, list_instance, &list);
	json_close_array(w);
	put_number(w, "instance_count", list.n);
	pthread_mutex_unlock(&c->mu);
}
