/* SPDX-License-Identifier: Apache-2.0 */
/* Spans in memory: their strings, copies, and the order that a block has them in. */
#include "store/sqlite/spans/span_rows.h"

#include <stdlib.h>

#include "base/container/hash.h"
#include "store/sqlite/block/columns.h"

/* ---- rows ---- */

int span_rows_string(struct span_rows *r, struct arena *a, struct str s, uint32_t *number)
{
	uint32_t hash = hash32(s);
	struct str copy;
	int rc = r->index.slots ? 0 : idset_init(&r->index, a, 64);

	if (rc)
		return rc;
	for (struct idset_cursor c = idset_seek(&r->index, hash);
	     idset_next(&r->index, &c, number);)
		if (str_eq(r->strings.at[*number], s))
			return 0;
	*number = r->strings.n;
	rc = arena_copy_str(a, s, &copy);
	if (!rc)
		rc = vec_push(a, &r->strings, copy);
	return rc ? rc : idset_add(&r->index, hash, *number);
}

/* Map a string of `from` to one of `to`. *number of an origin is 0 where there is none. */
static int map_string(struct span_rows *to, struct arena *a, const struct span_rows *from,
		      uint32_t *map, uint32_t *number)
{
	uint32_t *known = &map[*number];
	int rc = 0;

	if (!*known) {
		rc = span_rows_string(to, a, from->strings.at[*number], known);
		++*known;
	}
	*number = *known - 1;
	return rc;
}

static int map_origin(struct span_rows *to, struct arena *a, const struct span_rows *from,
		      uint32_t *map, uint32_t *origin)
{
	uint32_t number = *origin - 1;
	int rc = *origin ? map_string(to, a, from, map, &number) : 0;

	*origin = *origin ? number + 1 : 0;
	return rc;
}

/* Copy the details of the new rows, the last n, into the arena. */
static int copy_details(struct span_rows *to, struct arena *a, uint32_t n)
{
	struct kept_span *at = to->spans.at + to->spans.n - n;
	size_t bytes = 0;
	char *p;

	for (uint32_t i = 0; i < n; i++)
		bytes += at[i].details.n;
	p = bytes ? arena_alloc(a, bytes, 1) : NULL;
	if (bytes && !p)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		if (!at[i].details.n)
			continue;
		memcpy(p, at[i].details.p, at[i].details.n);
		at[i].details.p = p;
		p += at[i].details.n;
	}
	to->bytes += bytes;
	return 0;
}

int span_rows_append(struct span_rows *to, struct arena *a, const struct span_rows *from,
		     uint32_t first, uint32_t n)
{
	uint32_t *map = arena_zalloc(a, from->strings.n + 1, sizeof(*map)); /* number + 1 */
	int rc = map ? vec_reserve(a, &to->spans, n) : -ENOMEM;

	for (uint32_t i = 0; !rc && i < n; i++) {
		struct kept_span s = from->spans.at[first + i];

		rc = map_string(to, a, from, map, &s.tenant);
		if (!rc)
			rc = map_string(to, a, from, map, &s.service);
		if (!rc)
			rc = map_string(to, a, from, map, &s.name);
		if (!rc)
			rc = map_origin(to, a, from, map, &s.resource);
		if (!rc)
			rc = map_origin(to, a, from, map, &s.scope);
		if (!rc)
			to->spans.at[to->spans.n++] = s;
	}
	return rc ? rc : copy_details(to, a, n);
}

uint32_t span_rows_cut(const struct span_rows *r, uint32_t first)
{
	uint32_t end = r->spans.n - first < SPANS_IN_BLOCK ? r->spans.n : first + SPANS_IN_BLOCK;
	size_t bytes = 0;

	if (r->bytes <= SPAN_BLOCK_BYTES)
		return end - first;
	for (uint32_t i = first; i < end; i++) {
		bytes += r->spans.at[i].details.n;
		if (i > first && bytes > SPAN_BLOCK_BYTES)
			return i - first;
	}
	return end - first;
}

/* ---- origins ---- */

enum { ORIGIN_EMPTY, ORIGIN_WITH_MESSAGE };

void span_origin_put(struct buf *out, const struct span_origin *o)
{
	buf_put_char(out, o->message.p ? ORIGIN_WITH_MESSAGE : ORIGIN_EMPTY);
	column_put_str(out, o->message);
	buf_put_str(out, o->schema_url);
}

bool span_origin_get(struct str encoded, struct span_origin *out)
{
	struct column_cursor c = column_cursor(encoded);
	const uint8_t *flag = column_bytes(&c, 1);
	struct str message = column_str(&c);

	*out = (struct span_origin){0};
	if (c.bad)
		return false;
	if (*flag == ORIGIN_WITH_MESSAGE)
		out->message = message.p ? message : STR("");
	out->schema_url = str_of((const char *)c.p, column_left(&c));
	return true;
}

/* ---- sorting ---- */

static bool same_trace(const struct kept_span *a, const struct kept_span *b)
{
	return memcmp(a->trace_id, b->trace_id, sizeof(a->trace_id)) == 0 && a->tenant == b->tenant;
}

/* Number the traces in the order of their first span, and count their spans. */
static int number_traces(struct span_order *o, const struct kept_span *at, uint32_t n,
			 uint32_t *trace_of, uint32_t *first_of)
{
	struct idset index;
	int rc = idset_init(&index, &o->arena, n);

	for (uint32_t i = 0; !rc && i < n; i++) {
		uint32_t hash = (uint32_t)hash_bytes(at[i].trace_id, sizeof(at[i].trace_id)), id;
		bool known = i && same_trace(&at[i - 1], &at[i]);

		if (known)
			id = trace_of[i - 1];
		for (struct idset_cursor c = idset_seek(&index, hash);
		     !known && idset_next(&index, &c, &id);)
			known = same_trace(&at[first_of[id]], &at[i]);
		if (!known) {
			id = o->traces_n++;
			first_of[id] = i;
			o->traces[id] = (struct trace_group){0};
			rc = idset_add(&index, hash, id);
		}
		trace_of[i] = id;
		o->traces[id].n++;
	}
	return rc;
}

static int compare_starts(const void *a, const void *b)
{
	const struct kept_span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return memcmp(x->span_id, y->span_id, sizeof(x->span_id));
}

static int compare_begins(const void *a, const void *b)
{
	const struct trace_group *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Sort the spans of a trace and drop duplicates. Most have few spans, ordered by their end. */
static void order_trace(struct span_order *o, struct trace_group *t)
{
	struct kept_span *at = o->spans + t->first;
	uint32_t n = 0;

	if (t->n > 1)
		qsort(at, t->n, sizeof(*at), compare_starts);
	for (uint32_t i = 0; i < t->n; i++) {
		if (!n || compare_starts(&at[n - 1], &at[i]) != 0)
			at[n++] = at[i];
		else if (at[i].details.n > at[n - 1].details.n)
			at[n - 1] = at[i]; /* the other may be from before details were kept */
	}
	t->n = n;
	t->begin = at[0].start;
	o->n += n;
}

int span_order_init(struct span_order *o, const struct kept_span *at, uint32_t n)
{
	uint32_t *trace_of, *next;
	int rc;

	*o = (struct span_order){0};
	arena_init(&o->arena, NULL);
	trace_of = arena_alloc(&o->arena, n + 1, sizeof(*trace_of));
	next = arena_alloc(&o->arena, n + 1, sizeof(*next));
	o->traces = arena_alloc(&o->arena, n + 1, sizeof(*o->traces));
	o->spans = arena_alloc(&o->arena, n + 1, sizeof(*o->spans));
	if (!trace_of || !next || !o->traces || !o->spans)
		return -ENOMEM;
	rc = number_traces(o, at, n, trace_of, next);
	if (rc)
		return rc;
	for (uint32_t t = 0, sum = 0; t < o->traces_n; sum += o->traces[t++].n)
		o->traces[t].first = next[t] = sum;
	for (uint32_t i = 0; i < n; i++)
		o->spans[next[trace_of[i]]++] = at[i];
	for (uint32_t t = 0; t < o->traces_n; t++)
		order_trace(o, &o->traces[t]);
	qsort(o->traces, o->traces_n, sizeof(*o->traces), compare_begins);
	return 0;
}

void span_order_fini(struct span_order *o)
{
	arena_fini(&o->arena);
}
