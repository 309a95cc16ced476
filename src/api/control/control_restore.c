/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leases over a restart: the audit log has each lease when it begins, and its id when it ends. What
 * has begun and not ended is in effect again, for the rest of its time by the clock of the day.
 */
#include "api/control/control_state.h"
#include "base/clock.h"

static void put_u64_field(struct json_writer *w, const char *key, uint64_t value)
{
	json_put_key(w, str_from(key));
	json_put_u64_string(w, value);
}

void control_lease_write(struct buf *out, const struct control_lease *l, bool begins)
{
	struct json_writer w = json_writer_to(out, 0);

	json_open_object(&w);
	put_u64_field(&w, "lease", l->id);
	if (begins) {
		put_u64_field(&w, "issued_ns", l->issued_real_ns);
		put_u64_field(&w, "expires_ns", l->expires_real_ns);
		json_put_key(&w, STR("instance"));
		json_put_string(&w, str_from(l->instance));
		json_put_key(&w, STR("reason"));
		json_put_string(&w, str_from(l->reason));
		put_u64_field(&w, "cpu_hz", l->settings.cpu_hz);
		put_u64_field(&w, "wall_hz", l->settings.wall_hz);
		put_u64_field(&w, "heap_interval", l->settings.heap_interval);
		if (l->settings.has_profiles)
			put_u64_field(&w, "profiles", l->settings.profiles);
	}
	json_close_object(&w);
}

/* Read a number that put_u64_field() wrote. Return false if there is none up to `most`. */
static bool get_u64_field(const struct json_value *record, const char *key, uint64_t most,
			  uint64_t *out)
{
	return !str_to_u64(json_str(json_get(record, str_from(key))), 10, out) && *out <= most;
}

static bool read_lease(struct control_lease *l, const struct audit_entry *entry,
		       const struct json_value *record)
{
	uint64_t cpu_hz, wall_hz, profiles;

	if (!get_u64_field(record, "issued_ns", UINT64_MAX, &l->issued_real_ns) ||
	    !get_u64_field(record, "expires_ns", UINT64_MAX, &l->expires_real_ns) ||
	    !get_u64_field(record, "cpu_hz", CONTROL_HZ_MAX, &cpu_hz) ||
	    !get_u64_field(record, "wall_hz", CONTROL_HZ_MAX, &wall_hz) ||
	    !get_u64_field(record, "heap_interval", UINT64_MAX, &l->settings.heap_interval))
		return false;
	l->settings.cpu_hz = (unsigned)cpu_hz;
	l->settings.wall_hz = (unsigned)wall_hz;
	l->settings.has_profiles = get_u64_field(record, "profiles", UINT32_MAX, &profiles);
	if (l->settings.has_profiles)
		l->settings.profiles = (unsigned)profiles;
	CONTROL_COPY(l->tenant, entry->tenant);
	CONTROL_COPY(l->service, entry->object);
	CONTROL_COPY(l->author, entry->actor);
	CONTROL_COPY(l->instance, json_str(json_get(record, STR("instance"))));
	CONTROL_COPY(l->reason, json_str(json_get(record, STR("reason"))));
	return l->expires_real_ns > l->issued_real_ns &&
	       l->expires_real_ns - l->issued_real_ns <= CONTROL_LEASE_SECONDS_MAX * NS_PER_SECOND;
}

static void remove_lease(struct control *c, uint64_t id)
{
	for (unsigned i = 0; i < CONTROL_LEASES_MAX; i++)
		if (c->leases[i].id == id)
			c->leases[i] = (struct control_lease){0};
}

void control_lease_restore(struct control *c, const struct audit_entry *entry,
			   const struct json_value *record, struct control_time now)
{
	struct control_lease l = {0}, *slot;
	uint64_t most = CONTROL_LEASE_SECONDS_MAX * NS_PER_SECOND, left = 0;

	if (c->off || !get_u64_field(record, "lease", UINT64_MAX, &l.id) || !l.id)
		return;
	if (!str_eq(entry->action, STR("control.set"))) {
		remove_lease(c, l.id);
		return;
	}
	if (!read_lease(&l, entry, record))
		return;
	/* a clock that was set back does not make it longer; what has ended expires at once */
	if (l.expires_real_ns > now.real)
		left = min_size(l.expires_real_ns - now.real, most);
	l.expires_ns = now.monotonic + left;
	if (l.id > c->last_id)
		c->last_id = l.id;
	slot = control_lease_slot(c, entry->tenant, entry->object, str_from(l.instance));
	if (slot)
		*slot = l;
}
