/* SPDX-License-Identifier: Apache-2.0 */
/* Leases: settings of instances for a limited time. */
#include <errno.h>

#include "api/control/control_state.h"
#include "base/clock.h"

/* The instances that a lease or a capture concerns. */
struct concerned {
	const struct control_caller *from;
	struct str service, instance;
	struct control_time now;
	unsigned n;
};

static void count_concerned(void *arg, struct control_instance *i)
{
	struct concerned *of = arg;

	of->n += control_is_connected(i, of->now) &&
		 control_sees(of->from, i->tenant, i->service) &&
		 str_eq(str_from(i->service), of->service) &&
		 str_starts(str_from(i->id), of->instance);
}

static bool lease_is_for(const struct control_lease *l, const struct control_instance *i)
{
	return !strcmp(l->tenant, i->tenant) && !strcmp(l->service, i->service) &&
	       control_id_matches(i->id, l->instance);
}

const struct control_lease *
control_lease_of(const struct control *c, const struct control_instance *i, struct control_time now)
{
	const struct control_lease *best = NULL;

	for (unsigned k = 0; k < CONTROL_LEASES_MAX; k++) {
		const struct control_lease *l = &c->leases[k];

		if (l->id && l->expires_ns > now.monotonic && lease_is_for(l, i) &&
		    (!best || l->id > best->id))
			best = l;
	}
	return best;
}

static void log_end(struct control *c, const struct control_lease *l, struct control_time now)
{
	struct control_caller nobody = {.tenant = str_from(l->tenant), .name = STR("server")};
	struct control_change change = {
		.action = "control.expired", .service = str_from(l->service), .lease = l};
	struct buf text = {0};

	buf_printf(&text, "the lease of %s has expired", l->author);
	change.detail = buf_str(&text);
	(void)!control_log(c, &nobody, &change, now, NULL);
	buf_fini(&text);
}

void control_expire_leases(struct control *c, struct control_time now)
{
	for (unsigned i = 0; i < CONTROL_LEASES_MAX; i++) {
		struct control_lease *l = &c->leases[i];

		if (!l->id || l->expires_ns > now.monotonic)
			continue;
		log_end(c, l, now);
		*l = (struct control_lease){0};
	}
}

static int check_settings(const struct control_request *r, struct err *e)
{
	const struct control_settings *s = &r->settings;

	if (s->cpu_hz > CONTROL_HZ_MAX || s->wall_hz > CONTROL_HZ_MAX)
		return err_set(e, -EINVAL, "cpu_hz and wall_hz: expected 1 to %d", CONTROL_HZ_MAX);
	if (!s->cpu_hz && !s->wall_hz && !s->heap_interval && !s->has_profiles)
		return err_set(e, -EINVAL,
			       "nothing to change: give cpu_hz, wall_hz, heap_interval or "
			       "profiles");
	if (!r->seconds || r->seconds > CONTROL_LEASE_SECONDS_MAX)
		return err_set(e, -EINVAL, "seconds: expected 1 to %d", CONTROL_LEASE_SECONDS_MAX);
	if (r->reason.n > CONTROL_TEXT_MAX || r->instance.n > CONTROL_INSTANCE_MAX)
		return err_set(e, -EINVAL, "reason: expected at most %d bytes, instance %d",
			       CONTROL_TEXT_MAX, CONTROL_INSTANCE_MAX);
	return 0;
}

struct control_lease *control_lease_slot(struct control *c, struct str tenant, struct str service,
					 struct str instance)
{
	struct control_lease *found = NULL;

	for (unsigned i = 0; i < CONTROL_LEASES_MAX; i++) {
		struct control_lease *l = &c->leases[i];

		if (!l->id)
			found = found ? found : l;
		else if (str_eq(str_from(l->tenant), tenant) &&
			 str_eq(str_from(l->service), service) &&
			 str_eq(str_from(l->instance), instance))
			return l;
	}
	return found;
}

static void fill_lease(struct control_lease *l, const struct control_caller *from,
		       const struct control_request *r, struct control_time now, uint64_t id)
{
	*l = (struct control_lease){.id = id,
				    .settings = r->settings,
				    .issued_real_ns = now.real,
				    .expires_ns = now.monotonic + r->seconds * NS_PER_SECOND,
				    .expires_real_ns = now.real + r->seconds * NS_PER_SECOND};
	CONTROL_COPY(l->tenant, from->tenant);
	CONTROL_COPY(l->service, r->service);
	CONTROL_COPY(l->instance, r->instance);
	CONTROL_COPY(l->author, from->name);
	CONTROL_COPY(l->reason, r->reason);
}

/* Log a lease before it is set. */
static int log_set(struct control *c, const struct control_caller *from,
		   const struct control_request *r, unsigned instances,
		   const struct control_lease *lease, struct control_time now, struct err *e)
{
	struct control_change change = {
		.action = "control.set", .service = r->service, .lease = lease};
	struct buf text = {0};
	int rc;

	control_settings_text(&text, &r->settings);
	buf_printf(&text, " for %u s on %u instances", r->seconds, instances);
	if (r->instance.n)
		buf_printf(&text, " (%.*s)", STR_ARG(r->instance));
	if (r->reason.n)
		buf_printf(&text, ": %.*s", STR_ARG(r->reason));
	rc = buf_error(&text);
	change.detail = buf_str(&text);
	rc = rc ? rc : control_log(c, from, &change, now, e);
	buf_fini(&text);
	return rc;
}

int control_set(struct control *c, const struct control_caller *from,
		const struct control_request *r, struct control_time now, uint64_t *id,
		unsigned *instances, struct err *e)
{
	struct concerned of = {from, r->service, r->instance, now, 0};
	struct control_lease *slot, lease;
	int rc = control_permit(c, from, r->service, e);

	rc = rc ? rc : check_settings(r, e);
	if (rc)
		return rc;
	pthread_mutex_lock(&c->mu);
	control_expire_leases(c, now);
	control_each_instance(c, count_concerned, &of);
	slot = control_lease_slot(c, from->tenant, r->service, r->instance);
	fill_lease(&lease, from, r, now, control_new_id(c, now));
	if (!of.n)
		rc = err_set(e, -ENOENT,
			     "no instance of %.*s reports to this server: see docs/control.md",
			     STR_ARG(r->service));
	else if (!slot)
		rc = err_set(e, -EAGAIN, "more than %d leases are in effect", CONTROL_LEASES_MAX);
	else
		rc = log_set(c, from, r, of.n, &lease, now, e);
	if (!rc) {
		*id = lease.id;
		*instances = of.n;
		*slot = lease;
	}
	pthread_mutex_unlock(&c->mu);
	return rc;
}

int control_end(struct control *c, const struct control_caller *from, struct str service,
		struct control_time now, struct err *e)
{
	struct control_change change = {.action = "control.end",
					.service = service,
					.detail = STR("ended before its time")};
	int rc = control_permit(c, from, service, e);
	bool found = false;

	if (rc)
		return rc;
	pthread_mutex_lock(&c->mu);
	control_expire_leases(c, now);
	for (unsigned i = 0; i < CONTROL_LEASES_MAX && !rc; i++) {
		struct control_lease *l = &c->leases[i];

		if (!l->id || !control_sees(from, l->tenant, l->service) ||
		    !str_eq(str_from(l->service), service))
			continue;
		found = true;
		change.lease = l;
		rc = control_log(c, from, &change, now, e);
		if (!rc)
			*l = (struct control_lease){0};
	}
	pthread_mutex_unlock(&c->mu);
	if (!rc && !found)
		rc = err_set(e, -ENOENT, "no lease of %.*s is in effect", STR_ARG(service));
	return rc;
}
