/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moving through a tree. Each move first writes what was changed at the places that are left: a
 * part into the list of parts, the parts into their item, records into the tree.
 */
#include "pipeline/ottl/ottl_eval.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "pipeline/ottl/functions/metric_points.h"
#include "pipeline/ottl/ottl_field.h"
#include "signal/otlp/build.h"

enum {
	SPAN_EVENTS = 11,
	ADDED_ITEMS_MAX = 20000, /* in one scope: a statement may copy its own copies */
};

int ottl_fail(struct ottl_eval *ev, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return err_set(ev->e, -EINVAL, "%s", text);
}

struct arena *ottl_level_arena(struct ottl_eval *ev, unsigned level)
{
	return level <= LEVEL_SCOPE ? &ev->kept : &ev->scratch;
}

/* ---- writing records into the tree ---- */

/* Write a record to *to if it was changed. */
static void store_record(struct ottl_eval *ev, enum ottl_level level, struct str *to)
{
	struct ottl_record *r = &ev->at[level];
	struct str bytes;
	int rc;

	if (!ottl_record_changed(r))
		return;
	rc = ottl_record_write(r, &ev->writer, &ev->kept, &bytes);
	if (!rc) {
		*to = bytes;
		ev->changed = true;
	}
	if (rc && !ev->rc)
		ev->rc = rc;
}

static void store_part(struct ottl_eval *ev)
{
	if (!ottl_record_changed(&ev->at[LEVEL_PART]))
		return;
	store_record(ev, LEVEL_PART, &ev->parts.list.at[ev->parts.current].bytes);
	ev->parts.changed = true;
	ev->at[LEVEL_PART] = (struct ottl_record){0};
}

/* Encode all parts that are left, with their tags. Return their number. */
static uint32_t write_parts(struct ottl_eval *ev)
{
	uint32_t kept = 0;

	proto_writer_clear(&ev->writer);
	for (uint32_t i = ev->parts.list.n; i-- > 0;) {
		if (ev->parts.list.at[i].dropped)
			continue;
		proto_put_entry(&ev->writer, ev->parts.field, ev->parts.list.at[i].bytes);
		kept++;
	}
	return kept;
}

/* Put the parts into the record of their item. */
static int store_parts(struct ottl_eval *ev)
{
	struct ottl_parts *parts = &ev->parts;
	struct ottl_record *item = &ev->at[LEVEL_ITEM];
	struct ottl_change change = {.field = parts->field};
	uint32_t kept = write_parts(ev);
	struct str data;
	int rc = ottl_take_written(&ev->writer, &ev->scratch, &change.bytes);

	if (rc)
		return rc;
	if (!parts->container)
		return ottl_record_put(item, &ev->scratch, change.field, change.bytes);
	ev->item->count = kept;
	ev->item->dropped |= !kept;
	data = ottl_find_bytes(ottl_record_field(item, parts->container), parts->container);
	rc = ottl_message_replace(data, &change, 1, &ev->scratch, &data);
	if (rc)
		return rc;
	proto_put_entry(&ev->writer, parts->container, data);
	rc = ottl_take_written(&ev->writer, &ev->scratch, &change.bytes);
	return rc ? rc : ottl_record_put(item, &ev->scratch, parts->container, change.bytes);
}

static void store_item(struct ottl_eval *ev)
{
	int rc = 0;

	if (!ev->item)
		return;
	store_part(ev);
	if (ev->parts.changed)
		rc = store_parts(ev);
	if (rc && !ev->rc)
		ev->rc = rc;
	store_record(ev, LEVEL_ITEM, &ev->item->bytes);
	ev->item = NULL;
	ev->at[LEVEL_ITEM] = ev->at[LEVEL_PART] = (struct ottl_record){0};
	ev->parts = (struct ottl_parts){0};
	ev->cache = (struct ottl_slot){0};
	arena_reset(&ev->scratch);
}

static void store_scope(struct ottl_eval *ev)
{
	store_item(ev);
	if (ev->scope)
		store_record(ev, LEVEL_SCOPE, &ev->scope->scope);
	ev->scope = NULL;
	ev->at[LEVEL_SCOPE] = (struct ottl_record){0};
}

static void store_resource(struct ottl_eval *ev)
{
	store_scope(ev);
	if (ev->resource)
		store_record(ev, LEVEL_RESOURCE, &ev->resource->resource);
	ev->resource = NULL;
	ev->at[LEVEL_RESOURCE] = (struct ottl_record){0};
	ev->cache = (struct ottl_slot){0};
	arena_reset(&ev->scratch);
}

/* ---- moving ---- */

void ottl_at_resource(struct ottl_eval *ev, struct otlp_resource *resource)
{
	store_resource(ev);
	ev->resource = resource;
	ev->at[LEVEL_RESOURCE].message = resource->resource;
}

void ottl_at_scope(struct ottl_eval *ev, struct otlp_scope *scope)
{
	store_scope(ev);
	ev->scope = scope;
	ev->item_room = 0;
	ev->at[LEVEL_SCOPE].message = scope->scope;
}

void ottl_at_item(struct ottl_eval *ev, uint32_t index)
{
	store_item(ev);
	ev->item = &ev->scope->items[index];
	ev->item_index = index;
	ev->at[LEVEL_ITEM].message = ev->item->bytes;
}

static int load_parts(struct ottl_eval *ev)
{
	struct ottl_parts *parts = &ev->parts;
	struct str message = ottl_record_field(&ev->at[LEVEL_ITEM], SPAN_EVENTS);
	struct proto_reader r;
	int rc = 0;

	parts->field = SPAN_EVENTS;
	if (ev->tree->signal == SIGNAL_METRICS) {
		parts->field = DATA_POINTS;
		parts->container = ottl_metric_data(ev, &message);
	}
	r = proto_reader_of(message);
	while (!rc && proto_next(&r)) {
		struct ottl_part part = {0};

		if (r.tag != PROTO_TAG(parts->field, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		part.bytes = proto_bytes(&r);
		rc = vec_push(&ev->scratch, &parts->list, part) ? -ENOMEM : 0;
	}
	parts->loaded = true;
	return rc;
}

uint32_t ottl_part_count(struct ottl_eval *ev)
{
	if (!ev->parts.loaded) {
		int rc = load_parts(ev);

		if (rc && !ev->rc)
			ev->rc = rc;
		ev->point_kind = point_kind_of_data(ev->parts.container);
	}
	return ev->parts.list.n;
}

void ottl_at_part(struct ottl_eval *ev, uint32_t index)
{
	store_part(ev);
	ev->parts.current = index;
	ev->at[LEVEL_PART] = (struct ottl_record){.message = ev->parts.list.at[index].bytes};
}

void ottl_drop_part(struct ottl_eval *ev)
{
	ev->parts.list.at[ev->parts.current].dropped = true;
	ev->parts.changed = true;
}

/* Metric fields are a oneof: the last one counts, and a change removes the others. */
uint32_t ottl_metric_data(struct ottl_eval *ev, struct str *data)
{
	static const uint8_t kinds[] = {OTLP_GAUGE, OTLP_SUM, OTLP_HISTOGRAM, OTLP_EXPONENTIAL,
					OTLP_SUMMARY};
	const struct ottl_record *r = &ev->at[LEVEL_ITEM];

	for (size_t i = 0; r->changes.n && i < countof(kinds); i++) {
		struct str changed = ottl_record_field(r, kinds[i]);

		if (changed.p == r->message.p || !changed.n)
			continue;
		*data = ottl_find_bytes(changed, kinds[i]);
		return kinds[i];
	}
	return otlp_metric_data(r->message, data);
}

/* Move the items of the scope to a larger array. */
static int grow_items(struct ottl_eval *ev, struct otlp_scope *s)
{
	uint32_t room = 2 * s->item_count + 8;
	struct otlp_item *items = arena_alloc(&ev->kept, room, sizeof(*items));

	if (!items)
		return -ENOMEM;
	memcpy(items, s->items, s->item_count * sizeof(*items));
	s->items = items;
	ev->item = &items[ev->item_index];
	ev->item_room = room;
	return 0;
}

int ottl_add_item(struct ottl_eval *ev, struct str bytes, uint32_t count)
{
	struct otlp_scope *s = ev->scope;
	int rc = ev->item_room > s->item_count ? 0 : grow_items(ev, s);

	if (rc)
		return rc;
	if (ev->added++ >= ADDED_ITEMS_MAX)
		return ottl_fail(ev,
				 "more than %d metrics were added: the condition of the "
				 "statement has to exclude the metrics that it adds",
				 ADDED_ITEMS_MAX);
	s->items[s->item_count] = (struct otlp_item){.count = count};
	rc = arena_copy_str(&ev->kept, bytes, &s->items[s->item_count].bytes);
	if (rc)
		return rc;
	s->item_count++;
	ev->changed = true;
	return 0;
}

int ottl_finish(struct ottl_eval *ev, struct err *e)
{
	store_resource(ev);
	if (ev->rc == -ENOMEM)
		return err_errno(e, -ENOMEM, "transform");
	if (ev->rc)
		return err_set(e, ev->rc, "a message is damaged");
	ev->tree->changed |= ev->changed;
	return 0;
}

/* ---- regular expressions ---- */

int ottl_regex_of(struct ottl_eval *ev, uint32_t site, struct str pattern, struct regex **out)
{
	struct ottl_regex *x = &ev->regexes[site];

	if (!x->regex || !str_eq(buf_str(&x->pattern), pattern)) {
		int rc;

		regex_free(x->regex);
		x->regex = NULL;
		buf_clear(&x->pattern);
		buf_put_str(&x->pattern, pattern);
		rc = buf_error(&x->pattern);
		if (!rc)
			rc = regex_new(&x->regex, pattern, REGEX_CAPTURE, ev->e);
		if (rc)
			return rc;
	}
	*out = x->regex;
	return 0;
}

void ottl_eval_fini(struct ottl_eval *ev)
{
	for (uint32_t i = 0; i < ev->regex_count; i++) {
		regex_free(ev->regexes[i].regex);
		buf_fini(&ev->regexes[i].pattern);
	}
	free(ev->regexes);
	proto_writer_fini(&ev->writer);
	arena_fini(&ev->scratch);
	arena_fini(&ev->kept);
}
