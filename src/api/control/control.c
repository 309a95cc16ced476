/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of instances that report: a hash table by tenant and id. */
#include "api/control/control.h"

#include <errno.h>
#include <stdlib.h>

#include "api/control/control_state.h"
#include "base/clock.h"
#include "base/container/hash.h"

enum {
	POLL_MS = 4000,	     /* with the jitter of the instance at most 4.8 s */
	POLL_MS_MOST = 8000, /* so that a lease is applied within 10 s */
	POLLS_PER_SECOND = 1000,
	SWEEP_SECONDS = 10,
	FORGET_SECONDS = 300,
};

struct control_time control_now(void)
{
	return (struct control_time){clock_monotonic_ns(), clock_realtime_ns()};
}

void control_copy(char *to, size_t size, struct str from)
{
	from = str_head(from, size - 1);
	from = str_head(from, str_utf8_valid(from)); /* do not cut a character */
	if (from.n)
		memcpy(to, from.p, from.n);
	to[from.n] = 0;
}

int control_new(struct control **out, struct audit *audit, const char *off)
{
	struct control *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->audit = audit;
	c->off = off;
	c->events = calloc(CONTROL_EVENTS_MAX, sizeof(*c->events));
	if (!c->events) {
		free(c);
		return -ENOMEM;
	}
	pthread_mutex_init(&c->mu, NULL);
	*out = c;
	return 0;
}

static void free_parts(struct control_captured *captured)
{
	for (unsigned i = 0; i < captured->part_count; i++)
		buf_fini(&captured->parts[i].profile);
	free(captured->parts);
}

void control_free(struct control *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < CONTROL_BUCKETS; i++)
		for (struct control_instance *at = c->buckets[i], *next; at; at = next) {
			next = at->next;
			free(at);
		}
	for (unsigned i = 0; i < CONTROL_CAPTURES_MAX; i++)
		free_parts(&c->captures[i]);
	free(c->events);
	pthread_mutex_destroy(&c->mu);
	free(c);
}

uint64_t control_new_id(struct control *c, struct control_time now)
{
	c->last_id = now.real > c->last_id ? now.real : c->last_id + 1;
	return c->last_id;
}

bool control_sees(const struct control_caller *from, const char *tenant, const char *service)
{
	return str_eq(from->tenant, str_from(tenant)) &&
	       token_serves(from->services, str_from(service));
}

bool control_id_matches(const char *id, const char *prefix)
{
	return !strncmp(id, prefix, strlen(prefix));
}

bool control_is_connected(const struct control_instance *i, struct control_time now)
{
	return now.monotonic - i->seen_ns < CONTROL_CONNECTED_SECONDS * NS_PER_SECOND;
}

void control_each_instance(struct control *c, void (*each)(void *arg, struct control_instance *i),
			   void *arg)
{
	for (unsigned i = 0; i < CONTROL_BUCKETS; i++)
		for (struct control_instance *at = c->buckets[i]; at; at = at->next)
			each(arg, at);
}

int control_permit(const struct control *c, const struct control_caller *from, struct str service,
		   struct err *e)
{
	if (c->off)
		return err_set(e, -EPERM, "%s", c->off);
	if (!service.n || service.n > CONTROL_NAME_MAX)
		return err_set(e, -EINVAL, "service: expected 1 to %d bytes", CONTROL_NAME_MAX);
	if (!token_serves(from->services, service))
		return err_set(e, -EPERM, "the token does not permit to control this service");
	return 0;
}

void control_settings_text(struct buf *out, const struct control_settings *s)
{
	const char *space = "";

	if (s->cpu_hz)
		buf_printf(out, "cpu_hz=%u", s->cpu_hz);
	space = out->n ? " " : "";
	if (s->wall_hz)
		buf_printf(out, "%swall_hz=%u", space, s->wall_hz);
	space = out->n ? " " : "";
	if (s->heap_interval)
		buf_printf(out, "%sheap_interval=%llu", space,
			   (unsigned long long)s->heap_interval);
	space = out->n ? " " : "";
	if (s->has_profiles) {
		buf_printf(out, "%sprofiles=", space);
		control_kinds_write(out, s->profiles);
	}
}

/* ---- instances ---- */

static struct control_instance **find_bucket(struct control *c, struct str tenant, struct str id)
{
	uint64_t hash = hash_bytes(tenant.p, tenant.n) * 31 + hash_bytes(id.p, id.n);

	return &c->buckets[hash % CONTROL_BUCKETS];
}

/* Forget instances that have not reported for long. */
static void sweep(struct control *c, struct control_time now)
{
	if (c->swept_ns && now.monotonic - c->swept_ns < SWEEP_SECONDS * NS_PER_SECOND)
		return;
	c->swept_ns = now.monotonic;
	for (unsigned i = 0; i < CONTROL_BUCKETS; i++)
		for (struct control_instance **at = &c->buckets[i]; *at;) {
			struct control_instance *old = *at;

			if (now.monotonic - old->seen_ns < FORGET_SECONDS * NS_PER_SECOND) {
				at = &old->next;
				continue;
			}
			*at = old->next;
			free(old);
			c->instance_count--;
		}
	control_expire_leases(c, now);
	control_expire_captures(c, now);
}

/* Return the instance, added if it is new, or NULL if there is no room for it. */
static struct control_instance *find_instance(struct control *c, struct str tenant, struct str id)
{
	struct control_instance **bucket = find_bucket(c, tenant, id), *at = *bucket;

	while (at && !(str_eq(str_from(at->id), id) && str_eq(str_from(at->tenant), tenant)))
		at = at->next;
	if (at)
		return at;
	if (c->instance_count == CONTROL_INSTANCES_MAX || !(at = calloc(1, sizeof(*at))))
		return NULL;
	CONTROL_COPY(at->tenant, tenant);
	CONTROL_COPY(at->id, id);
	at->next = *bucket;
	*bucket = at;
	c->instance_count++;
	return at;
}

static void update_instance(struct control_instance *i, const struct control_report *r,
			    struct control_time now)
{
	CONTROL_COPY(i->service, r->service);
	CONTROL_COPY(i->host, r->host);
	CONTROL_COPY(i->version, r->version);
	CONTROL_COPY(i->lease_error, r->lease_error);
	i->pid = r->pid;
	i->seen_ns = now.monotonic;
	i->seen_real_ns = now.real;
	i->now = r->now;
	i->max_cpu_hz = r->max_cpu_hz;
	i->max_profiles = r->max_profiles;
	i->max_seconds = r->max_seconds;
	i->lease = r->lease;
	i->lease_state = r->lease_state;
}

/* Fill the lease of an order; the strings are copied. Return 0 or -ENOMEM. */
static int order_lease(const struct control_lease *l, struct control_time now, struct arena *arena,
		       struct control_order *order)
{
	int rc;

	if (!l)
		return 0;
	order->lease = l->id;
	order->remaining_ms = (l->expires_ns - now.monotonic) / NS_PER_MS;
	order->settings = l->settings;
	rc = arena_copy_str(arena, str_from(l->author), &order->author);
	return rc ? rc : arena_copy_str(arena, str_from(l->reason), &order->reason);
}

/* Fewer reports of each instance when there are many. */
static uint32_t poll_interval(const struct control *c)
{
	uint64_t ms = (uint64_t)c->instance_count * 1000 / POLLS_PER_SECOND;

	return ms < POLL_MS ? POLL_MS : ms > POLL_MS_MOST ? POLL_MS_MOST : (uint32_t)ms;
}

int control_report(struct control *c, const struct control_caller *from,
		   const struct control_report *r, struct control_time now, struct arena *arena,
		   struct control_order *order, struct err *e)
{
	struct control_instance *i;
	int rc = 0;

	*order = (struct control_order){0};
	if (!token_serves(from->services, r->service))
		return err_set(e, -EPERM, "the token does not permit to write this service");
	pthread_mutex_lock(&c->mu);
	sweep(c, now);
	i = find_instance(c, from->tenant, r->instance);
	if (!i) {
		rc = err_set(e, -EAGAIN, "more than %d instances report", CONTROL_INSTANCES_MAX);
	} else {
		update_instance(i, r, now);
		order->poll_ms = poll_interval(c);
		if (!c->off) {
			rc = order_lease(control_lease_of(c, i, now), now, arena, order);
			control_order_capture(c, i, r, now, order);
		}
	}
	pthread_mutex_unlock(&c->mu);
	return rc;
}

void control_metrics(struct control *c, struct control_time now, struct buf *out)
{
	unsigned leases = 0, instances;

	pthread_mutex_lock(&c->mu);
	for (unsigned i = 0; i < CONTROL_LEASES_MAX; i++)
		leases += c->leases[i].id && c->leases[i].expires_ns > now.monotonic;
	instances = c->instance_count;
	pthread_mutex_unlock(&c->mu);
	buf_printf(out,
		   "# HELP varve_control_instances Instances that reported within five minutes.\n"
		   "# TYPE varve_control_instances gauge\n"
		   "varve_control_instances %u\n"
		   "# HELP varve_control_leases Leases in effect.\n"
		   "# TYPE varve_control_leases gauge\n"
		   "varve_control_leases %u\n",
		   instances, leases);
}
