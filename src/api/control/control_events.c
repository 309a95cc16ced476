/* SPDX-License-Identifier: Apache-2.0 */
/* Events: what was changed, when and by whom; in a ring, and in the audit log. */
#include <errno.h>

#include "api/control/control_state.h"
#include "base/clock.h"
#include "base/time_text.h"
#include "wire/json.h"

/* The part of an audit log that is read back. */
enum { READ_BACK = 4 << 20 };

static void add_event(struct control *c, uint64_t time, const struct audit_entry *entry)
{
	struct control_event *at = &c->events[c->event_count++ % CONTROL_EVENTS_MAX];

	at->time = time;
	CONTROL_COPY(at->tenant, entry->tenant);
	CONTROL_COPY(at->service, entry->object);
	CONTROL_COPY(at->action, entry->action);
	CONTROL_COPY(at->actor, entry->actor);
	CONTROL_COPY(at->detail, entry->detail);
}

int control_log(struct control *c, const struct control_caller *from,
		const struct control_change *change, struct control_time now, struct err *e)
{
	const struct control_lease *lease = change->lease;
	struct buf record = {0};
	struct audit_entry entry = {.actor = from->name.n ? from->name : STR("anonymous"),
				    .address = from->address,
				    .action = str_from(change->action),
				    .object = change->service,
				    .tenant = from->tenant,
				    .result = STR("done"),
				    .detail = change->detail};
	int rc;

	if (lease)
		control_lease_write(&record, lease, str_eq(entry.action, STR("control.set")));
	rc = buf_error(&record) && e ? err_set(e, -EAGAIN, "out of memory") : 0;
	entry.record = rc ? (struct str){0} : buf_str(&record);
	if (!e)
		audit_note(c->audit, &entry);
	else if (!rc && audit_write(c->audit, &entry, e))
		rc = -EAGAIN;
	if (!rc)
		add_event(c, now.real, &entry);
	buf_fini(&record);
	return rc;
}

static struct str field_of(const struct json_value *line, const char *key)
{
	return json_str(json_get(line, str_from(key)));
}

struct loading {
	struct control *control;
	struct control_time now;
};

/* Add the event of a line of the audit log, if it is one of control, and restore its lease. */
static void load_line(void *arg, struct str line)
{
	const struct loading *loading = arg;
	struct control *c = loading->control;
	const struct json_value *root;
	struct arena arena;
	struct json doc;
	uint64_t time;

	if (line.n > AUDIT_LINE_MAX)
		return;
	arena_init(&arena, NULL);
	json_init(&doc, &arena);
	if (!json_parse(&doc, line, NULL)) {
		struct audit_entry entry;

		root = json_root(&doc);
		entry = (struct audit_entry){.actor = field_of(root, "actor"),
					     .action = field_of(root, "action"),
					     .object = field_of(root, "object"),
					     .tenant = field_of(root, "tenant"),
					     .detail = field_of(root, "detail")};
		if (str_starts(entry.action, STR("control.")) &&
		    !time_parse(field_of(root, "time"), clock_realtime_ns(), &time, NULL)) {
			add_event(c, time, &entry);
			control_lease_restore(c, &entry, json_get(root, STR("record")),
					      loading->now);
		}
	}
	arena_fini(&arena);
}

void control_load_events(struct control *c, struct control_time now)
{
	struct loading loading = {c, now};

	if (!c->audit)
		return;
	pthread_mutex_lock(&c->mu);
	(void)!audit_read_tail(c->audit, READ_BACK, load_line,
			       &loading); /* without: an empty list */
	control_expire_leases(c, now);
	pthread_mutex_unlock(&c->mu);
}

static void put_event(struct json_writer *w, const struct control_event *at)
{
	json_open_object(w);
	json_put_key(w, STR("time"));
	json_put_u64(w, at->time / NS_PER_MS);
	json_put_key(w, STR("service"));
	json_put_string(w, str_from(at->service));
	json_put_key(w, STR("action"));
	json_put_string(w, str_from(at->action));
	json_put_key(w, STR("actor"));
	json_put_string(w, str_from(at->actor));
	json_put_key(w, STR("detail"));
	json_put_string(w, str_from(at->detail));
	json_close_object(w);
}

void control_put_events(struct control *c, const struct control_caller *from, struct str service,
			uint64_t start, uint64_t end, struct json_writer *w)
{
	uint64_t i;

	pthread_mutex_lock(&c->mu);
	i = c->event_count > CONTROL_EVENTS_MAX ? c->event_count - CONTROL_EVENTS_MAX : 0;
	for (; i < c->event_count; i++) {
		const struct control_event *at = &c->events[i % CONTROL_EVENTS_MAX];

		if (at->time >= start && at->time < end &&
		    control_sees(from, at->tenant, at->service) &&
		    (!service.n || str_eq(service, str_from(at->service))))
			put_event(w, at);
	}
	pthread_mutex_unlock(&c->mu);
}
