/* SPDX-License-Identifier: Apache-2.0 */
/* Captures: profiles on demand, which instances upload. */
#include <errno.h>
#include <stdlib.h>

#include "api/control/control_state.h"
#include "base/clock.h"

/* How long after the end of its profile an instance may take to upload it. */
enum { UPLOAD_SECONDS = 60 };

static void free_capture(struct control *c, struct control_captured *captured)
{
	for (unsigned i = 0; i < captured->part_count; i++) {
		c->capture_bytes -= captured->parts[i].profile.n;
		buf_fini(&captured->parts[i].profile);
	}
	free(captured->parts);
	*captured = (struct control_captured){0};
}

/* Mark parts without an answer as failed. */
static void fail_late_parts(struct control_captured *captured, struct control_time now)
{
	uint64_t most = (captured->seconds + UPLOAD_SECONDS) * NS_PER_SECOND;

	for (unsigned i = 0; i < captured->part_count; i++) {
		struct control_capture_part *part = &captured->parts[i];

		if (part->state >= CONTROL_CAPTURE_DONE ||
		    now.monotonic - captured->created_ns < most)
			continue;
		part->state = CONTROL_CAPTURE_FAILED;
		CONTROL_COPY(part->error, STR("the instance sent no profile in time"));
	}
}

void control_expire_captures(struct control *c, struct control_time now)
{
	for (unsigned i = 0; i < CONTROL_CAPTURES_MAX; i++) {
		struct control_captured *captured = &c->captures[i];

		if (!captured->id)
			continue;
		fail_late_parts(captured, now);
		if (now.monotonic - captured->created_ns > CONTROL_KEEP_SECONDS * NS_PER_SECOND)
			free_capture(c, captured);
	}
}

static struct control_capture_part *find_part(const struct control_captured *captured,
					      struct str instance)
{
	for (unsigned i = 0; i < captured->part_count; i++)
		if (str_eq(str_from(captured->parts[i].instance), instance))
			return &captured->parts[i];
	return NULL;
}

static struct control_captured *find_capture(struct control *c, const struct control_caller *from,
					     uint64_t id)
{
	for (unsigned i = 0; i < CONTROL_CAPTURES_MAX; i++)
		if (id && c->captures[i].id == id &&
		    control_sees(from, c->captures[i].tenant, c->captures[i].service))
			return &c->captures[i];
	return NULL;
}

/* ---- orders ---- */

/* Take over what an instance reports about a part. */
static void note_part(struct control_capture_part *part, const struct control_report *r)
{
	if (part->state >= CONTROL_CAPTURE_DONE)
		return;
	if (r->capture_state == CONTROL_CAPTURE_RUNNING)
		part->state = CONTROL_CAPTURE_RUNNING;
	if (r->capture_state == CONTROL_CAPTURE_FAILED) {
		part->state = CONTROL_CAPTURE_FAILED;
		CONTROL_COPY(part->error, r->capture_error);
	}
}

void control_order_capture(struct control *c, const struct control_instance *instance,
			   const struct control_report *r, struct control_time now,
			   struct control_order *order)
{
	for (unsigned i = 0; i < CONTROL_CAPTURES_MAX; i++) {
		struct control_captured *captured = &c->captures[i];
		struct control_capture_part *part;

		if (!captured->id || strcmp(captured->tenant, instance->tenant) != 0)
			continue;
		part = find_part(captured, str_from(instance->id));
		if (!part)
			continue;
		if (r->capture == captured->id)
			note_part(part, r);
		fail_late_parts(captured, now);
		if (part->state >= CONTROL_CAPTURE_DONE ||
		    (order->capture && order->capture < captured->id))
			continue; /* the oldest first */
		order->capture = captured->id;
		order->capture_kind = captured->kind;
		order->capture_seconds = captured->seconds;
	}
}

/* ---- new captures ---- */

/* The instances of a capture, while they are collected. */
struct chosen {
	const struct control_caller *from;
	const struct control_capture_request *r;
	struct control_time now;
	const struct control_instance *at[CONTROL_CAPTURE_INSTANCES_MAX];
	unsigned n, all;
};

static void choose_instance(void *arg, struct control_instance *i)
{
	struct chosen *chosen = arg;

	if (!control_is_connected(i, chosen->now) ||
	    !control_sees(chosen->from, i->tenant, i->service) ||
	    !str_eq(str_from(i->service), chosen->r->service) ||
	    !str_starts(str_from(i->id), chosen->r->instance))
		return;
	chosen->all++;
	if (chosen->r->all && chosen->n < countof(chosen->at))
		chosen->at[chosen->n++] = i;
	if (chosen->r->all)
		return;
	if (!chosen->n || chosen->at[0]->seen_ns < i->seen_ns)
		chosen->at[0] = i;
	chosen->n = 1;
}

static struct control_captured *find_capture_slot(struct control *c)
{
	struct control_captured *oldest = &c->captures[0];

	for (unsigned i = 0; i < CONTROL_CAPTURES_MAX; i++) {
		struct control_captured *captured = &c->captures[i];

		if (!captured->id)
			return captured;
		if (captured->created_ns < oldest->created_ns)
			oldest = captured;
	}
	/* one that still runs is not replaced */
	for (unsigned i = 0; i < oldest->part_count; i++)
		if (oldest->parts[i].state < CONTROL_CAPTURE_DONE)
			return NULL;
	return oldest;
}

static int fill_capture(struct control *c, struct control_captured *slot,
			const struct chosen *chosen, uint64_t id)
{
	struct control_capture_part *parts = calloc(chosen->n, sizeof(*parts));

	if (!parts)
		return -ENOMEM;
	free_capture(c, slot);
	*slot = (struct control_captured){.id = id,
					  .kind = chosen->r->kind,
					  .seconds = chosen->r->seconds,
					  .part_count = chosen->n,
					  .created_ns = chosen->now.monotonic,
					  .created_real_ns = chosen->now.real,
					  .parts = parts};
	CONTROL_COPY(slot->tenant, chosen->from->tenant);
	CONTROL_COPY(slot->service, chosen->r->service);
	for (unsigned i = 0; i < chosen->n; i++) {
		CONTROL_COPY(parts[i].instance, str_from(chosen->at[i]->id));
		CONTROL_COPY(parts[i].host, str_from(chosen->at[i]->host));
		parts[i].pid = chosen->at[i]->pid;
	}
	return 0;
}

static int check_capture(const struct control_capture_request *r, struct err *e)
{
	if (!r->kind || r->kind & (r->kind - 1) || r->kind > CONTROL_KINDS)
		return err_set(e, -EINVAL, "kind: expected one kind, as cpu, wall or heap");
	if (!r->seconds || r->seconds > CONTROL_CAPTURE_SECONDS_MAX)
		return err_set(e, -EINVAL, "seconds: expected 1 to %d",
			       CONTROL_CAPTURE_SECONDS_MAX);
	if (r->instance.n > CONTROL_INSTANCE_MAX)
		return err_set(e, -EINVAL, "instance: expected at most %d bytes",
			       CONTROL_INSTANCE_MAX);
	return 0;
}

static int log_capture(struct control *c, const struct chosen *chosen, struct err *e)
{
	struct control_change change = {.action = "control.capture", .service = chosen->r->service};
	struct buf text = {0};
	int rc;

	control_kinds_write(&text, chosen->r->kind);
	buf_printf(&text, " for %u s of %u instances", chosen->r->seconds, chosen->n);
	rc = buf_error(&text);
	change.detail = buf_str(&text);
	rc = rc ? rc : control_log(c, chosen->from, &change, chosen->now, e);
	buf_fini(&text);
	return rc;
}

int control_capture(struct control *c, const struct control_caller *from,
		    const struct control_capture_request *r, struct control_time now, uint64_t *id,
		    unsigned *instances, struct err *e)
{
	struct chosen chosen = {.from = from, .r = r, .now = now};
	struct control_captured *slot;
	int rc = control_permit(c, from, r->service, e);

	rc = rc ? rc : check_capture(r, e);
	if (rc)
		return rc;
	pthread_mutex_lock(&c->mu);
	control_expire_captures(c, now);
	control_each_instance(c, choose_instance, &chosen);
	slot = find_capture_slot(c);
	if (!chosen.n)
		rc = err_set(e, -ENOENT,
			     "no instance of %.*s reports to this server: see docs/control.md",
			     STR_ARG(r->service));
	else if (chosen.all > countof(chosen.at) && r->all)
		rc = err_set(e, -EINVAL,
			     "%u instances: one capture is of at most %d; give a "
			     "prefix of their ids",
			     chosen.all, CONTROL_CAPTURE_INSTANCES_MAX);
	else if (!slot)
		rc = err_set(e, -EAGAIN, "%d captures are running", CONTROL_CAPTURES_MAX);
	else
		rc = log_capture(c, &chosen, e);
	if (!rc) {
		*id = control_new_id(c, now);
		*instances = chosen.n;
		rc = fill_capture(c, slot, &chosen, *id);
	}
	pthread_mutex_unlock(&c->mu);
	return rc;
}

/* ---- profiles ---- */

static int check_upload(const struct control *c, const struct control_capture_part *part,
			struct str profile, struct err *e)
{
	if (!part || part->state >= CONTROL_CAPTURE_DONE)
		return err_set(e, -ENOENT, "no profile of this instance is expected");
	if (!profile.n || profile.n > CONTROL_PROFILE_MAX)
		return err_set(e, -EFBIG, "a profile has at most %d bytes", CONTROL_PROFILE_MAX);
	if (c->capture_bytes + profile.n > CONTROL_BYTES_MAX)
		return err_set(e, -ENOBUFS, "captured profiles use more than %d bytes",
			       CONTROL_BYTES_MAX);
	return 0;
}

int control_upload(struct control *c, const struct control_caller *from, uint64_t capture,
		   struct str instance, struct str profile, struct control_time now, struct err *e)
{
	struct control_captured *captured;
	struct control_capture_part *part;
	int rc;

	pthread_mutex_lock(&c->mu);
	control_expire_captures(c, now);
	captured = find_capture(c, from, capture);
	part = captured ? find_part(captured, instance) : NULL;
	rc = check_upload(c, part, profile, e);
	if (!rc) {
		buf_put_str(&part->profile, profile);
		rc = buf_error(&part->profile);
	}
	if (!rc) {
		part->state = CONTROL_CAPTURE_DONE;
		c->capture_bytes += part->profile.n;
	} else if (part && rc != -ENOENT) {
		buf_fini(&part->profile);
		part->state = CONTROL_CAPTURE_FAILED;
		CONTROL_COPY(part->error, str_from(e->text));
	}
	pthread_mutex_unlock(&c->mu);
	return rc;
}

/* Find the part with a profile. */
static int find_done_part(const struct control_captured *captured, struct str instance,
			  struct control_capture_part **out, struct err *e)
{
	*out = NULL;
	for (unsigned i = 0; captured && i < captured->part_count; i++) {
		struct control_capture_part *part = &captured->parts[i];

		if (part->state != CONTROL_CAPTURE_DONE ||
		    (instance.n && !str_eq(str_from(part->instance), instance)))
			continue;
		if (*out)
			return err_set(e, -EINVAL,
				       "several instances have a profile: name one by instance=");
		*out = part;
	}
	return *out ? 0 : err_set(e, -ENOENT, "there is no such profile (yet)");
}

int control_profile(struct control *c, const struct control_caller *from, uint64_t capture,
		    struct str instance, struct buf *out, struct err *e)
{
	struct control_capture_part *part;
	int rc;

	pthread_mutex_lock(&c->mu);
	rc = find_done_part(find_capture(c, from, capture), instance, &part, e);
	if (!rc)
		buf_put_str(out, buf_str(&part->profile));
	pthread_mutex_unlock(&c->mu);
	return rc ? rc : buf_error(out);
}

/* ---- lists ---- */

static void put_part(struct json_writer *w, const struct control_capture_part *part)
{
	json_open_object(w);
	json_put_key(w, STR("instance"));
	json_put_string(w, str_from(part->instance));
	json_put_key(w, STR("host"));
	json_put_string(w, str_from(part->host));
	json_put_key(w, STR("pid"));
	json_put_u64(w, part->pid);
	json_put_key(w, STR("state"));
	json_put_string(w, str_from(control_capture_states[part->state]));
	json_put_key(w, STR("error"));
	json_put_string(w, str_from(part->error));
	json_put_key(w, STR("bytes"));
	json_put_u64(w, part->profile.n);
	json_close_object(w);
}

int control_put_capture(struct control *c, const struct control_caller *from, uint64_t id,
			struct control_time now, struct json_writer *w, struct err *e)
{
	const struct control_captured *captured;
	struct buf kind = {0};
	bool done = true;

	pthread_mutex_lock(&c->mu);
	control_expire_captures(c, now);
	captured = find_capture(c, from, id);
	if (captured) {
		control_kinds_write(&kind, captured->kind);
		json_put_key(w, STR("id"));
		json_put_u64_string(w, captured->id);
		json_put_key(w, STR("service"));
		json_put_string(w, str_from(captured->service));
		json_put_key(w, STR("kind"));
		json_put_string(w, buf_str(&kind));
		json_put_key(w, STR("seconds"));
		json_put_u64(w, captured->seconds);
		json_put_key(w, STR("started"));
		json_put_u64(w, captured->created_real_ns / NS_PER_MS);
		json_put_key(w, STR("instances"));
		json_open_array(w);
		for (unsigned i = 0; i < captured->part_count; i++) {
			put_part(w, &captured->parts[i]);
			done &= captured->parts[i].state >= CONTROL_CAPTURE_DONE;
		}
		json_close_array(w);
		json_put_key(w, STR("done"));
		json_put_bool(w, done);
	}
	pthread_mutex_unlock(&c->mu);
	buf_fini(&kind);
	return captured ? 0 : err_set(e, -ENOENT, "no such capture; they are kept for ten minutes");
}
