/* SPDX-License-Identifier: Apache-2.0 */
#include "api/drift/drift_log.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/drift/drift_file.h"
#include "base/clock.h"

/* Functions that change within this time are one event. */
#define TOGETHER_NS (2 * 3600 * NS_PER_SECOND)

struct drift_log {
	char *path; /* NULL: none */
	struct key_ring *keys;
	const struct log *log;
	pthread_mutex_t mu;	     /* guards the events */
	struct drift_event **events; /* the oldest first */
	uint32_t n;
	uint64_t last_id;
	struct arena arena; /* of `checked`, which is immutable after the start */
	VEC(struct drift_checked) checked;
};

/* ---- events ---- */

static void drop_first(struct drift_log *l)
{
	free(l->events[0]);
	l->n--;
	memmove(l->events, l->events + 1, l->n * sizeof(*l->events));
}

static bool same_source(const struct drift_event *a, const struct drift_event *b)
{
	return str_eq(a->service, b->service) && str_eq(a->type, b->type) &&
	       str_eq(a->tenant, b->tenant);
}

static bool is_together(const struct drift_event *a, const struct drift_event *b)
{
	return a->kind == b->kind && same_source(a, b) && a->since <= b->since + TOGETHER_NS &&
	       b->since <= a->since + TOGETHER_NS;
}

static bool has_function(const struct drift_event *at, struct str name)
{
	for (uint32_t i = 0; i < at->function_n; i++)
		if (str_eq(at->functions[i].name, str_head(name, DRIFT_EVENT_TEXT)))
			return true;
	return false;
}

static int append_event(struct drift_log *l, const struct drift_event *from)
{
	struct drift_event *copy = drift_event_dup(from);

	if (!copy)
		return -ENOMEM;
	if (l->n == DRIFT_EVENTS_MAX)
		drop_first(l);
	if (!copy->id)
		copy->id = l->last_id + 1;
	l->last_id = copy->id > l->last_id ? copy->id : l->last_id;
	l->events[l->n++] = copy;
	return 1;
}

/* Insert the functions of `from` that `at` does not have, and count those without room. */
static void join_functions(struct drift_event *at, const struct drift_event *from)
{
	for (uint32_t i = 0; i < from->function_n; i++) {
		const struct drift_event_function *f = &from->functions[i];
		uint32_t k = 0;

		if (has_function(at, f->name))
			continue;
		at->extra += f->extra;
		while (k < at->function_n && fabs(at->functions[k].extra) >= fabs(f->extra))
			k++;
		at->more += at->function_n == DRIFT_EVENT_FUNCTIONS;
		at->function_n -= at->function_n == DRIFT_EVENT_FUNCTIONS;
		if (k >= DRIFT_EVENT_FUNCTIONS)
			continue;
		memmove(&at->functions[k + 1], &at->functions[k],
			(at->function_n - k) * sizeof(*f));
		at->functions[k] = *f;
		at->function_n++;
	}
}

/* Replace event `i` by a copy with the functions of `from`. */
static int extend_event(struct drift_log *l, uint32_t i, const struct drift_event *from)
{
	struct drift_event joined = *l->events[i], *copy;

	join_functions(&joined, from);
	copy = drift_event_dup(&joined);
	if (!copy)
		return -ENOMEM;
	free(l->events[i]);
	l->events[i] = copy;
	return 0;
}

/* End the newest event whose first function this is. */
static void end_event(struct drift_log *l, const struct drift_event *by)
{
	for (uint32_t i = l->n; i-- > 0;) {
		struct drift_event *at = l->events[i];

		if (at->kind != DRIFT_ENDED && !at->ended && same_source(at, by) &&
		    str_eq(at->functions[0].name,
			   str_head(by->functions[0].name, DRIFT_EVENT_TEXT))) {
			at->ended = by->since > at->since ? by->since : at->since;
			return;
		}
	}
}

static int add_locked(struct drift_log *l, const struct drift_event *event)
{
	if (event->kind == DRIFT_ENDED)
		end_event(l, event);
	for (uint32_t i = l->n; i-- > 0;)
		if (is_together(l->events[i], event))
			return has_function(l->events[i], event->functions[0].name)
				       ? 0
				       : extend_event(l, i, event);
	return append_event(l, event);
}

int drift_log_add(struct drift_log *l, const struct drift_event *event)
{
	int rc;

	pthread_mutex_lock(&l->mu);
	rc = add_locked(l, event);
	pthread_mutex_unlock(&l->mu);
	return rc;
}

void drift_log_expire(struct drift_log *l, uint64_t before)
{
	uint32_t kept = 0;

	pthread_mutex_lock(&l->mu);
	for (uint32_t i = 0; i < l->n; i++)
		if (l->events[i]->found < before)
			free(l->events[i]);
		else
			l->events[kept++] = l->events[i];
	l->n = kept;
	pthread_mutex_unlock(&l->mu);
}

void drift_log_each(struct drift_log *l, void (*visit)(void *ctx, const struct drift_event *at),
		    void *ctx)
{
	pthread_mutex_lock(&l->mu);
	for (uint32_t i = 0; i < l->n; i++)
		visit(ctx, l->events[i]);
	pthread_mutex_unlock(&l->mu);
}

uint64_t drift_log_checked(struct drift_log *l, const struct drift_checked *at)
{
	for (uint32_t i = 0; i < l->checked.n; i++) {
		const struct drift_checked *c = &l->checked.at[i];

		if (str_eq(c->service, at->service) && str_eq(c->type, at->type) &&
		    str_eq(c->tenant, at->tenant))
			return c->next;
	}
	return 0;
}

/* ---- the file ---- */

static void put_text(struct json_writer *w, const char *key, struct str text)
{
	json_put_key(w, str_from(key));
	json_put_string(w, text);
}

static void put_checked(struct json_writer *w, const struct drift_checked *c)
{
	json_open_object(w);
	put_text(w, "tenant", c->tenant);
	put_text(w, "service", c->service);
	put_text(w, "type", c->type);
	json_put_key(w, STR("next"));
	json_put_u64(w, c->next);
	json_close_object(w);
}

int drift_log_save(struct drift_log *l, const struct drift_checked *checked, uint32_t n,
		   struct err *e)
{
	struct buf text = {0};
	struct json_writer w = json_writer_to(&text, 0);
	int rc;

	if (!l->path)
		return 0;
	json_open_object(&w);
	json_put_key(&w, STR("events"));
	json_open_array(&w);
	pthread_mutex_lock(&l->mu);
	for (uint32_t i = 0; i < l->n; i++)
		drift_event_put(&w, l->events[i], true);
	pthread_mutex_unlock(&l->mu);
	json_close_array(&w);
	json_put_key(&w, STR("checked"));
	json_open_array(&w);
	for (uint32_t i = 0; i < n && i < DRIFT_CHECKED_MAX; i++)
		put_checked(&w, &checked[i]);
	json_close_array(&w);
	json_close_object(&w);
	rc = buf_error(&text);
	if (!rc)
		rc = drift_file_write(l->path, l->keys, buf_str(&text), e);
	buf_fini(&text);
	if (rc)
		err_prefix(e, "%s", l->path);
	return rc;
}

static int read_checked(const struct json_value *object, const struct drift_text_visitor *v,
			struct err *e)
{
	struct drift_checked c = {.tenant = json_str(json_get(object, STR("tenant"))),
				  .service = json_str(json_get(object, STR("service"))),
				  .type = json_str(json_get(object, STR("type")))};

	if (!c.service.n || json_u64(json_get(object, STR("next")), &c.next))
		return err_set(e, -EBADMSG, "a checked service has no name or no valid next");
	return v->checked(v->ctx, &c);
}

int drift_text_read(struct str text, const struct drift_text_visitor *v, struct err *e)
{
	const struct json_value *root;
	struct arena arena;
	struct json doc;
	uint32_t n = 0;
	int rc;

	arena_init(&arena, NULL);
	json_init(&doc, &arena);
	rc = json_parse(&doc, text, e);
	root = rc ? NULL : json_root(&doc);
	json_each(object, json_get(root, STR("events")))
	{
		struct drift_event event;

		rc = rc ? rc : drift_event_read(&event, object, e);
		if (!rc)
			rc = v->event(v->ctx, &event);
	}
	json_each(object, json_get(root, STR("checked"))) if (!rc && n++ < DRIFT_CHECKED_MAX) rc =
		read_checked(object, v, e);
	arena_fini(&arena);
	return rc;
}

static int load_event(void *ctx, const struct drift_event *at)
{
	int rc = append_event(ctx, at);

	return rc < 0 ? rc : 0;
}

static int load_checked(void *ctx, const struct drift_checked *at)
{
	struct drift_log *l = ctx;
	struct drift_checked c = *at;
	int rc = arena_copy_str(&l->arena, at->tenant, &c.tenant);

	rc = rc ? rc : arena_copy_str(&l->arena, at->service, &c.service);
	rc = rc ? rc : arena_copy_str(&l->arena, at->type, &c.type);
	return rc ? rc : vec_push(&l->arena, &l->checked, c);
}

static void set_aside(const struct drift_log *l)
{
	struct buf name = {0};

	buf_printf(&name, "%s.damaged", l->path);
	buf_put_char(&name, 0);
	if (!buf_error(&name))
		(void)!rename(l->path, name.p); /* else the next write replaces it */
	buf_fini(&name);
}

static void load_file(struct drift_log *l)
{
	const struct drift_text_visitor v = {load_event, load_checked, l};
	struct buf text = {0};
	struct err e = {0};
	int rc = drift_file_read(l->path, l->keys, &text, &e);

	if (!rc)
		rc = drift_text_read(buf_str(&text), &v, &e);
	if (rc && rc != -ENOENT) {
		log_warn(l->log, "the events of drift are lost", LOG_STR("file", str_from(l->path)),
			 LOG_ERR(&e));
		drift_log_expire(l, UINT64_MAX);
		l->checked.n = 0;
		set_aside(l);
	}
	buf_fini(&text);
}

int drift_log_new(struct drift_log **out, const char *path, struct key_ring *keys,
		  const struct log *log)
{
	struct drift_log *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	pthread_mutex_init(&l->mu, NULL);
	arena_init(&l->arena, NULL);
	l->keys = keys;
	l->log = log;
	l->events = calloc(DRIFT_EVENTS_MAX, sizeof(*l->events));
	l->path = path ? strdup(path) : NULL;
	if (!l->events || (path && !l->path)) {
		drift_log_free(l);
		return -ENOMEM;
	}
	if (path)
		load_file(l);
	*out = l;
	return 0;
}

void drift_log_free(struct drift_log *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; l->events && i < l->n; i++)
		free(l->events[i]);
	pthread_mutex_destroy(&l->mu);
	arena_fini(&l->arena);
	free(l->events);
	free(l->path);
	free(l);
}
