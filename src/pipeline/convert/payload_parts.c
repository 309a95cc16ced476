/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging and splitting of payloads.
 *
 * A split walks the resources of the message. Resources that fit into the current part are added as
 * slices of the original bytes; neighbours become one slice. A resource that does not fit is read
 * into a tree and cut: each piece is a copy with the resource's and the scopes' headers. The sizes
 * of pieces are estimated with the largest possible tags and lengths, so that a part never exceeds
 * the limit because of them.
 */
#include "pipeline/convert/payload_parts.h"

#include <errno.h>
#include <stdlib.h>

#include "base/container/vec.h"
#include "pipeline/convert/profile_payload.h"
#include "signal/otlp/tree.h"

/* ---- lists ---- */

int payload_list_add(struct payload_list *l, struct payload *p)
{
	if (l->n == l->room) {
		uint32_t room = l->room ? 2 * l->room : 8;
		struct payload **at = realloc(l->at, room * sizeof(struct payload *));

		if (!at)
			return -ENOMEM;
		l->at = at;
		l->room = room;
	}
	l->at[l->n++] = p;
	return 0;
}

void payload_list_free(struct payload_list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		payload_release(l->at[i]);
	free(l->at);
	*l = (struct payload_list){0};
}

int payload_parts_merge(struct payload **out, struct payload *const *parts, uint32_t count,
			struct budget *budget, struct err *e)
{
	struct payload *p;

	if (!count)
		return err_set(e, -EINVAL, "no payloads to merge");
	if (count > 1 && parts[0]->signal == SIGNAL_PROFILES)
		return profile_payload_merge(out, parts, count, budget, e);
	p = count == 1 ? payload_keep(parts[0], budget) : payload_concat(parts, count);
	if (!p)
		return err_errno(e, -ENOMEM, "merge payloads");
	*out = p;
	return 0;
}

/* ---- splitting ---- */

/* Field numbers; see tree.h. */
enum { REQUEST_RESOURCES = 1, RESOURCE_SCOPES = 2, SCOPE_ITEMS = 2, DATA_POINTS = 1 };

enum { HEADER_MAX = 1 + 5 }; /* the tag and length of a field in a message below 4 GiB */

struct splitter {
	struct payload_list *out;
	enum signal_kind signal;
	uint64_t max_items;
	size_t max_bytes;
	struct budget *budget;
	struct err *e;

	/* The part that is being filled. */
	struct arena part_arena;
	VEC(struct payload_slice) slices;
	VEC(struct payload *) copies; /* that some slices belong to */
	uint32_t items;
	size_t bytes;

	/* The resource that is being cut. */
	struct arena tree_arena;
	/* Of its current piece: data that is gone once the piece is written. */
	struct arena piece_arena;
};

static void part_reset(struct splitter *s)
{
	for (uint32_t i = 0; i < s->copies.n; i++)
		payload_release(s->copies.at[i]);
	s->slices.n = s->copies.n = s->items = 0;
	s->bytes = 0;
}

/* End the current part. A part without items is dropped. */
static int part_finish(struct splitter *s)
{
	struct payload *p = NULL;
	int rc = 0;

	if (s->items) {
		p = payload_of_slices(s->signal, s->items, s->slices.at, s->slices.n);
		rc = p ? payload_list_add(s->out, p) : -ENOMEM;
		if (rc)
			payload_release(p);
	}
	part_reset(s);
	return rc;
}

static int part_add(struct splitter *s, struct payload_slice slice, uint32_t items)
{
	struct payload_slice *last = s->slices.n ? &s->slices.at[s->slices.n - 1] : NULL;

	s->items += items;
	s->bytes += slice.bytes.n;
	if (last && last->block == slice.block && last->bytes.p + last->bytes.n == slice.bytes.p) {
		last->bytes.n += slice.bytes.n;
		return 0;
	}
	return vec_push(&s->part_arena, &s->slices, slice);
}

static bool part_fits(const struct splitter *s, uint64_t items, size_t bytes)
{
	return s->items + items <= s->max_items && bytes <= s->max_bytes &&
	       s->bytes <= s->max_bytes - bytes;
}

/* ---- cutting a metric ---- */

/* A metric taken apart: its data points, and the other fields. */
struct cut_metric {
	struct str head; /* fields of the metric without the data */
	struct str rest; /* fields of the data without the points */
	uint32_t kind;
	VEC(struct str) points;
};

/* Return the fields of a message but the last one with number `field`, copied to the arena. */
static int other_fields(struct arena *arena, struct str message, uint32_t field, struct str *out)
{
	struct proto_reader r = proto_reader_of(message);
	const uint8_t *from = r.at;
	char *at = arena_alloc(arena, max_size(message.n, 1), 1);

	if (!at)
		return -ENOMEM;
	*out = str_of(at, 0);
	for (; proto_next(&r); from = r.at) {
		bool other = r.tag != PROTO_TAG(field, PROTO_BYTES);

		proto_skip(&r);
		if (!other || r.error)
			continue;
		memcpy(at + out->n, from, (size_t)(r.at - from));
		out->n += (size_t)(r.at - from);
	}
	return r.error ? -EBADMSG : 0;
}

static int cut_metric_init(struct cut_metric *m, struct str metric, struct arena *arena)
{
	struct proto_reader r;
	struct str data;
	int rc;

	*m = (struct cut_metric){.kind = otlp_metric_data(metric, &data)};
	rc = other_fields(arena, metric, m->kind, &m->head);
	if (!rc)
		rc = other_fields(arena, data, DATA_POINTS, &m->rest);
	r = proto_reader_of(data);
	while (!rc && proto_next(&r)) {
		if (r.tag == PROTO_TAG(DATA_POINTS, PROTO_BYTES))
			rc = vec_push(arena, &m->points, proto_bytes(&r));
		else
			proto_skip(&r);
	}
	return rc;
}

static char *put_header(char *at, uint32_t field, size_t n)
{
	*at++ = (char)PROTO_TAG(field, PROTO_BYTES);
	for (; n >= 0x80; n >>= 7)
		*at++ = (char)(n | 0x80);
	*at++ = (char)n;
	return at;
}

static char *put_str(char *at, struct str s)
{
	if (s.n)
		memcpy(at, s.p, s.n);
	return at + s.n;
}

/* Return in *out the metric with `n` of its data points from `first` on. */
static int cut_metric_write(const struct cut_metric *m, uint32_t first, uint32_t n,
			    struct arena *arena, struct otlp_item *out)
{
	size_t data = m->rest.n, size;
	char *start, *at;

	for (uint32_t i = first; i < first + n; i++)
		data += 1 + proto_varint_size(m->points.at[i].n) + m->points.at[i].n;
	size = m->head.n + 1 + proto_varint_size(data) + data;
	at = start = arena_alloc(arena, size, 1);
	if (!start)
		return -ENOMEM;
	at = put_str(at, m->head);
	at = put_header(at, m->kind, data);
	at = put_str(at, m->rest);
	for (uint32_t i = first; i < first + n; i++)
		at = put_str(put_header(at, DATA_POINTS, m->points.at[i].n), m->points.at[i]);
	*out = (struct otlp_item){.bytes = str_of(start, (size_t)(at - start)), .count = n};
	return 0;
}

/* ---- cutting a resource ---- */

/* A resource that is cut into pieces: what is left of it, and the current piece. */
struct cut {
	struct splitter *s;
	const struct otlp_resource *resource;
	uint32_t scope, item, point; /* the first that is left */
	struct cut_metric metric;    /* of `item`, if `metric_read` */
	bool metric_read;

	VEC(struct otlp_scope) scopes; /* of the piece; `items` is set when it is complete */
	VEC(struct otlp_item) items;   /* of all scopes of the piece */
	uint32_t scope_begun;	       /* the original index + 1 of the last scope */
	uint32_t count;
	size_t bytes; /* the estimated size of the piece; 0: it is empty */
};

static size_t resource_header(const struct otlp_resource *r)
{
	return r->resource.n + r->schema_url.n + r->unknown.n + 4 * HEADER_MAX;
}

/* Return the bytes that are needed before an item of the current scope can be added. */
static size_t headers_needed(const struct cut *c)
{
	const struct otlp_scope *scope = &c->resource->scopes[c->scope];
	size_t n = c->bytes ? 0 : resource_header(c->resource);

	if (c->scope_begun != c->scope + 1)
		n += scope->scope.n + scope->schema_url.n + scope->unknown.n + 4 * HEADER_MAX;
	return n;
}

/* Return whether the piece and the part are empty: then anything has to be taken. */
static bool nothing_yet(const struct cut *c)
{
	return !c->count && !c->s->items;
}

/* Add an item to the piece. `needed` is what headers_needed() was. */
static int piece_add(struct cut *c, const struct otlp_item *item, size_t needed)
{
	struct otlp_scope scope = c->resource->scopes[c->scope];
	int rc = 0;

	if (c->scope_begun != c->scope + 1) {
		scope.items = NULL;
		scope.item_count = 0;
		rc = vec_push(&c->s->tree_arena, &c->scopes, scope);
		c->scope_begun = c->scope + 1;
	}
	if (!rc)
		rc = vec_push(&c->s->tree_arena, &c->items, *item);
	if (rc)
		return rc;
	c->scopes.at[c->scopes.n - 1].item_count++;
	c->count += item->count;
	c->bytes += needed + item->bytes.n + HEADER_MAX;
	return 0;
}

/* Write the piece as a payload of its own and add that to the part. */
static int piece_finish(struct cut *c)
{
	struct splitter *s = c->s;
	struct otlp_resource resource = *c->resource;
	struct otlp_tree tree = {.signal = s->signal, .resources = &resource, .resource_count = 1};
	struct otlp_item *items = c->items.at;
	struct payload *p;
	int rc;

	if (!c->items.n)
		return 0;
	resource.scopes = c->scopes.at;
	resource.scope_count = c->scopes.n;
	for (uint32_t i = 0; i < c->scopes.n; i++) {
		c->scopes.at[i].items = items;
		items += c->scopes.at[i].item_count;
	}
	p = otlp_tree_write(&tree, s->budget);
	rc = p ? vec_push(&s->part_arena, &s->copies, p) : -ENOMEM;
	if (rc) {
		payload_release(p);
		return rc;
	}
	rc = part_add(s, p->slices[0], p->items);
	c->scopes.n = c->items.n = c->scope_begun = c->count = 0;
	c->bytes = 0;
	arena_reset(&s->piece_arena);
	return rc;
}

/* The part is full: end the piece and the part. */
static int cut_next_part(struct cut *c)
{
	int rc = piece_finish(c);

	return rc ? rc : part_finish(c->s);
}

/* Take as many data points of the current metric as fit; *took is 0 if none does. */
static int cut_points(struct cut *c, uint32_t *took)
{
	struct splitter *s = c->s;
	const struct otlp_item *item = &c->resource->scopes[c->scope].items[c->item];
	size_t needed = headers_needed(c), bytes;
	struct otlp_item taken;
	uint32_t n = 0;
	int rc = c->metric_read ? 0 : cut_metric_init(&c->metric, item->bytes, &s->tree_arena);

	if (rc)
		return rc;
	c->metric_read = true;
	bytes = c->bytes + needed + c->metric.head.n + c->metric.rest.n + 3 * HEADER_MAX;
	for (uint32_t i = c->point; i < c->metric.points.n; i++, n++) {
		bytes += c->metric.points.at[i].n + HEADER_MAX;
		if (!part_fits(s, (uint64_t)c->count + n + 1, bytes) && !(nothing_yet(c) && !n))
			break;
	}
	*took = n;
	if (!n)
		return 0;
	rc = cut_metric_write(&c->metric, c->point, n, &s->piece_arena, &taken);
	if (!rc)
		rc = piece_add(c, &taken, needed);
	c->point += n;
	if (c->point == c->metric.points.n) {
		c->item++;
		c->point = 0;
		c->metric_read = false;
	}
	return rc;
}

/* Take the current item, or a part of its data points, or end the part because it does not fit. */
static int cut_step(struct cut *c)
{
	struct splitter *s = c->s;
	const struct otlp_item *item = &c->resource->scopes[c->scope].items[c->item];
	size_t needed = headers_needed(c), bytes = c->bytes + needed + item->bytes.n + HEADER_MAX;
	uint32_t took = 0;
	int rc;

	if (!c->point && (part_fits(s, (uint64_t)c->count + item->count, bytes) ||
			  (item->count <= 1 && nothing_yet(c)))) {
		c->item++;
		c->metric_read = false;
		return piece_add(c, item, needed);
	}
	if (item->count > 1) {
		rc = cut_points(c, &took);
		if (rc || took)
			return rc;
	}
	return cut_next_part(c);
}

static int cut_resource(struct splitter *s, struct str field)
{
	struct cut c = {.s = s};
	struct payload_slice slice;
	struct payload message;
	struct otlp_tree tree;
	int rc;

	payload_borrow(&message, &slice, s->signal, 0, field);
	rc = otlp_tree_read(&tree, &message, &s->tree_arena, s->e);
	if (!rc)
		c.resource = tree.resources;
	while (!rc && c.scope < c.resource->scope_count) {
		if (c.item < c.resource->scopes[c.scope].item_count) {
			rc = cut_step(&c);
			continue;
		}
		c.scope++;
		c.item = 0;
	}
	if (!rc)
		rc = piece_finish(&c);
	arena_reset(&s->piece_arena);
	arena_reset(&s->tree_arena);
	return rc;
}

/* ---- walking the message ---- */

/* Return the number of items of a message of a resource and its scopes. */
static uint32_t count_items(enum signal_kind signal, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	uint32_t n = 0;

	while (proto_next(&r)) {
		struct proto_reader scope;

		if (r.tag != PROTO_TAG(RESOURCE_SCOPES, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		scope = proto_message(&r);
		while (proto_next(&scope)) {
			if (scope.tag != PROTO_TAG(SCOPE_ITEMS, PROTO_BYTES))
				proto_skip(&scope);
			else if (signal == SIGNAL_METRICS)
				n += otlp_metric_points(proto_bytes(&scope));
			else
				n += 1 + (proto_bytes(&scope), proto_skip_run(&scope));
		}
	}
	return n;
}

/* Add the fields of the request in one slice. */
static int split_slice(struct splitter *s, const struct payload_slice *slice)
{
	struct proto_reader r = proto_reader_of(slice->bytes);
	const uint8_t *from = r.at;
	int rc = 0;

	for (; !rc && proto_next(&r); from = r.at) {
		bool resource = r.tag == PROTO_TAG(REQUEST_RESOURCES, PROTO_BYTES);
		struct payload_slice field = {.block = slice->block};
		uint32_t items = 0;

		if (resource)
			items = count_items(s->signal, proto_bytes(&r));
		else
			proto_skip(&r);
		if (r.error)
			break;
		field.bytes = str_of((const char *)from, (size_t)(r.at - from));
		if (items && s->items >= s->max_items)
			rc = part_finish(s);
		if (rc)
			break;
		if (part_fits(s, items, field.bytes.n) || !resource)
			rc = part_add(s, field, items);
		else
			rc = cut_resource(s, field.bytes);
	}
	return !rc && r.error ? proto_fail(&r, slice->bytes, s->e) : rc;
}

static int split(struct payload_list *out, const struct payload *p, uint64_t max_items,
		 size_t max_bytes, struct budget *budget, struct err *e)
{
	struct splitter s = {.out = out,
			     .signal = p->signal,
			     .max_items = max_items,
			     .max_bytes = max_bytes,
			     .budget = budget,
			     .e = e};
	int rc = 0;

	arena_init(&s.part_arena, budget);
	arena_init(&s.tree_arena, budget);
	arena_init(&s.piece_arena, budget);
	for (uint32_t i = 0; !rc && i < p->slice_count; i++)
		rc = split_slice(&s, &p->slices[i]);
	if (!rc)
		rc = part_finish(&s);
	part_reset(&s);
	arena_fini(&s.part_arena);
	arena_fini(&s.tree_arena);
	arena_fini(&s.piece_arena);
	if (rc == -EBADMSG)
		return err_set(e, rc, "split a batch: damaged data");
	return rc ? err_errno(e, -ENOMEM, "split a batch") : 0;
}

int payload_parts_split(struct payload_list *out, const struct payload *p, uint64_t max_items,
			size_t max_bytes, struct budget *budget, struct err *e)
{
	struct payload *kept = payload_keep(p, budget);
	int rc;

	max_items = max_items ? max_items : UINT64_MAX;
	max_bytes = max_bytes ? max_bytes : SIZE_MAX;
	if (!kept)
		return err_errno(e, -ENOMEM, "split a batch");
	if (p->items <= max_items && p->bytes <= max_bytes) {
		rc = payload_list_add(out, kept);
		if (!rc)
			return 0;
		err_errno(e, rc, "split a batch");
	} else if (p->signal == SIGNAL_PROFILES) {
		rc = profile_payload_split(out, kept, max_items, max_bytes, budget, e);
	} else {
		rc = split(out, kept, max_items, max_bytes, budget, e);
	}
	payload_release(kept);
	return rc;
}
