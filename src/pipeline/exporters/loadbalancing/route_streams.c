/* SPDX-License-Identifier: Apache-2.0 */
/* Splits metrics by data point. The points are copied as they are, in their order. */
#include "pipeline/exporters/loadbalancing/route_streams.h"

#include <errno.h>

#include "base/container/vec.h"
#include "pipeline/exporters/loadbalancing/route_keys.h"
#include "signal/otlp/build.h"

enum { DATA_POINT = 1 };

/* A field of a message, with its tag. */
struct raw_field {
	struct str bytes;
	uint32_t number;   /* 0: a field that is not bytes */
	uint32_t endpoint; /* of a data point */
};

struct stream_split {
	const struct hash_ring *ring;
	struct arena *arena;
	struct buf key;
	VEC(struct raw_field) fields; /* of the data of the current metric */
	VEC(uint32_t) endpoints;      /* of its points, each once */
	VEC(struct otlp_item) items;  /* of the current scope */
};

/* Read the next field into *out. Return false at the end. */
static bool next_raw_field(struct proto_reader *r, struct raw_field *out, struct str *content)
{
	const uint8_t *start = r->at;

	if (!proto_next(r))
		return false;
	out->number = (r->tag & 7) == PROTO_BYTES ? proto_field(r) : 0;
	*content = (struct str){0};
	if (out->number)
		*content = proto_bytes(r);
	else
		proto_skip(r);
	out->bytes = str_of((const char *)start, (size_t)(r->at - start));
	return !r->error;
}

/* Return the kind and the data of a metric; 0 unless it has the data of one kind, once. */
static uint32_t find_only_data(struct str metric, struct str *data)
{
	struct proto_reader r = proto_reader_of(metric);
	struct raw_field field;
	struct str content;
	unsigned found = 0;

	while (next_raw_field(&r, &field, &content))
		found += field.number == OTLP_GAUGE || field.number == OTLP_SUM ||
			 field.number == OTLP_HISTOGRAM || field.number == OTLP_EXPONENTIAL ||
			 field.number == OTLP_SUMMARY;
	return found == 1 && !r.error ? otlp_metric_data(metric, data) : 0;
}

static int note_endpoint(struct stream_split *x, uint32_t endpoint)
{
	for (uint32_t i = 0; i < x->endpoints.n; i++)
		if (x->endpoints.at[i] == endpoint)
			return 0;
	return vec_push(x->arena, &x->endpoints, endpoint);
}

/* Read the fields of the data, and the endpoints of its points. */
static int read_points(struct stream_split *x, const struct route_item *at, uint32_t kind,
		       struct str data)
{
	struct proto_reader r = proto_reader_of(data);
	struct raw_field field = {0};
	struct str content;
	int rc = 0;

	x->fields.n = x->endpoints.n = 0;
	while (!rc && next_raw_field(&r, &field, &content)) {
		if (field.number == DATA_POINT) {
			field.endpoint = hash_ring_find(
				x->ring, route_stream_key(at, kind, content, &x->key));
			rc = note_endpoint(x, field.endpoint);
		}
		if (!rc)
			rc = vec_push(x->arena, &x->fields, field);
	}
	if (!rc && r.error)
		rc = -EBADMSG;
	return rc ? rc : buf_error(&x->key);
}

/* Write the data with the points of one endpoint; *count is their number. */
static void put_stream_points(struct stream_split *x, uint32_t endpoint, struct proto_writer *w,
			      uint32_t *count)
{
	*count = 0;
	for (uint32_t i = x->fields.n; i-- > 0;) {
		const struct raw_field *f = &x->fields.at[i];

		if (f->number == DATA_POINT && f->endpoint != endpoint)
			continue;
		*count += f->number == DATA_POINT;
		proto_put_raw(w, f->bytes.p, f->bytes.n);
	}
}

/* Set the parts of a metric before and after the field of its data. */
static void cut_metric(struct str metric, uint32_t kind, struct str *before, struct str *after)
{
	struct proto_reader r = proto_reader_of(metric);
	struct raw_field field = {0};
	struct str content;
	size_t at = 0;

	while (next_raw_field(&r, &field, &content) && field.number != kind)
		at += field.bytes.n;
	*before = str_head(metric, at);
	*after = str_from_at(metric, at + field.bytes.n);
}

/* Append a metric with the points of one endpoint. */
static int add_split_metric(struct stream_split *x, const struct otlp_item *metric, uint32_t kind,
			    uint32_t endpoint)
{
	struct otlp_item item = *metric;
	struct str before, after;
	struct proto_writer w;
	size_t mark;
	int rc;

	cut_metric(metric->bytes, kind, &before, &after);
	proto_writer_init(&w, NULL);
	proto_put_raw(&w, after.p, after.n);
	mark = proto_mark(&w);
	put_stream_points(x, endpoint, &w, &item.count);
	proto_put_header(&w, kind, mark);
	proto_put_raw(&w, before.p, before.n);
	rc = proto_writer_error(&w);
	if (!rc)
		rc = arena_copy_str(x->arena, proto_writer_str(&w), &item.bytes);
	proto_writer_fini(&w);
	return rc ? rc : vec_push(x->arena, &x->items, item);
}

static int split_metric(struct stream_split *x, const struct route_item *at)
{
	struct str data = {0};
	uint32_t kind = find_only_data(at->item->bytes, &data);
	int rc = kind ? read_points(x, at, kind, data) : 0;

	if (rc)
		return rc;
	if (!kind || x->endpoints.n < 2)
		return vec_push(x->arena, &x->items, *at->item);
	for (uint32_t i = 0; i < x->endpoints.n && !rc; i++)
		rc = add_split_metric(x, at->item, kind, x->endpoints.at[i]);
	return rc;
}

static int split_scope(struct stream_split *x, const struct otlp_resource *resource,
		       struct otlp_scope *scope)
{
	struct route_item at = {SIGNAL_METRICS, resource, scope, NULL};
	uint32_t before = scope->item_count;
	int rc = 0;

	memset(&x->items, 0, sizeof(x->items));
	for (uint32_t i = 0; i < before && !rc; i++) {
		at.item = &scope->items[i];
		rc = split_metric(x, &at);
	}
	if (rc)
		return rc;
	scope->items = x->items.at;
	scope->item_count = x->items.n;
	return 0;
}

int route_split_streams(struct otlp_tree *tree, const struct hash_ring *ring, struct arena *arena)
{
	struct stream_split x = {.ring = ring, .arena = arena};
	int rc = 0;

	for (uint32_t r = 0; r < tree->resource_count && !rc; r++)
		for (uint32_t s = 0; s < tree->resources[r].scope_count && !rc; s++)
			rc = split_scope(&x, &tree->resources[r], &tree->resources[r].scopes[s]);
	buf_fini(&x.key);
	return rc;
}
