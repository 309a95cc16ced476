/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of a payload. Protobuf allows a singular message in several pieces, in any order; they
 * are joined here, so that users of the tree see one Resource and one InstrumentationScope.
 *
 * A changed tree is written back to front into memory of the right size.
 */
#include "signal/otlp/tree.h"

#include "base/container/vec.h"
#include "wire/proto.h"

/* Field numbers; see tree.h. */
enum {
	REQUEST_RESOURCES = 1,
	RESOURCE_RESOURCE = 1,
	RESOURCE_SCOPES = 2,
	SCOPE_SCOPE = 1,
	SCOPE_ITEMS = 2,
	SCHEMA_URL = 3, /* of resources and scopes */
	DATA_POINTS = 1,
	PROFILE_SAMPLES = 2,
};

/* ---- reading ---- */

struct tree_reader {
	struct otlp_tree *tree;
	struct arena *arena;
	struct str slice; /* for places in errors */
	struct err *e;
};

/* Bytes joined of pieces of the input: borrowed while they are adjacent, else copied. */
struct joined {
	struct str s;
	VEC(char) copy;
};

static int join(struct tree_reader *t, struct joined *j, struct str piece)
{
	bool copied = j->copy.at && j->s.p == j->copy.at;
	struct str old = copied ? (struct str){0} : j->s;
	int rc;

	if (!j->s.n || (!copied && j->s.p + j->s.n == piece.p)) {
		j->s = str_of(j->s.n ? j->s.p : piece.p, j->s.n + piece.n);
		return 0;
	}
	rc = vec_reserve(t->arena, &j->copy, old.n + piece.n);
	if (rc)
		return -ENOMEM;
	memcpy(VEC_ARRAY(&j->copy) + j->copy.n, old.p ? old.p : "", old.n);
	memcpy(VEC_ARRAY(&j->copy) + j->copy.n + old.n, piece.p ? piece.p : "", piece.n);
	j->copy.n += (uint32_t)(old.n + piece.n);
	j->s = str_of(j->copy.at, j->copy.n);
	return 0;
}

/* Skip the value of an unknown field that began at `field`, and keep the field. */
static int join_unknown(struct tree_reader *t, struct joined *j, struct proto_reader *r,
			const uint8_t *field)
{
	proto_skip(r);
	if (r->error)
		return 0; /* the caller reports it */
	return join(t, j, str_of((const char *)field, (size_t)(r->at - field)));
}

static int reader_error(const struct tree_reader *t, const struct proto_reader *r)
{
	return r->error ? proto_fail(r, t->slice, t->e) : 0;
}

/* Return the number of fields with that tag; damage is left to a later reader. */
static uint32_t count_fields(struct str message, uint32_t tag)
{
	struct proto_reader r = proto_reader_of(message);
	uint32_t n = 0;

	while (proto_next(&r)) {
		if (r.tag == tag)
			n += 1 + (proto_bytes(&r), proto_skip_run(&r));
		else
			proto_skip(&r);
	}
	return n;
}

static uint32_t item_count(enum signal_kind signal, struct str item)
{
	if (signal == SIGNAL_METRICS)
		return otlp_metric_points(item);
	if (signal == SIGNAL_PROFILES)
		return count_fields(item, PROTO_TAG(PROFILE_SAMPLES, PROTO_BYTES));
	return 1;
}

static int read_scope(struct tree_reader *t, struct str message, struct otlp_scope *out)
{
	struct proto_reader r = proto_reader_of(message);
	VEC(struct otlp_item) items = {0};
	struct joined scope = {0}, unknown = {0};
	const uint8_t *field = r.at;
	int rc = 0;

	for (; !rc && proto_next(&r); field = r.at) {
		struct otlp_item item;

		switch (r.tag) {
		case PROTO_TAG(SCOPE_SCOPE, PROTO_BYTES):
			rc = join(t, &scope, proto_bytes(&r));
			break;
		case PROTO_TAG(SCOPE_ITEMS, PROTO_BYTES):
			item = (struct otlp_item){.bytes = proto_bytes(&r)};
			item.count = item_count(t->tree->signal, item.bytes);
			t->tree->items += item.count;
			rc = vec_push(t->arena, &items, item);
			break;
		case PROTO_TAG(SCHEMA_URL, PROTO_BYTES):
			out->schema_url = proto_bytes(&r);
			break;
		default:
			rc = join_unknown(t, &unknown, &r, field);
		}
	}
	out->scope = scope.s;
	out->unknown = unknown.s;
	out->items = items.at;
	out->item_count = items.n;
	return rc ? rc : reader_error(t, &r);
}

static int read_resource(struct tree_reader *t, struct str message, struct otlp_resource *out)
{
	struct proto_reader r = proto_reader_of(message);
	VEC(struct otlp_scope) scopes = {0};
	struct joined resource = {0}, unknown = {0};
	const uint8_t *field = r.at;
	int rc = 0;

	for (; !rc && proto_next(&r); field = r.at) {
		struct otlp_scope scope = {0};

		switch (r.tag) {
		case PROTO_TAG(RESOURCE_RESOURCE, PROTO_BYTES):
			rc = join(t, &resource, proto_bytes(&r));
			break;
		case PROTO_TAG(RESOURCE_SCOPES, PROTO_BYTES):
			rc = read_scope(t, proto_bytes(&r), &scope);
			if (!rc)
				rc = vec_push(t->arena, &scopes, scope);
			break;
		case PROTO_TAG(SCHEMA_URL, PROTO_BYTES):
			out->schema_url = proto_bytes(&r);
			break;
		default:
			rc = join_unknown(t, &unknown, &r, field);
		}
	}
	out->resource = resource.s;
	out->unknown = unknown.s;
	out->scopes = scopes.at;
	out->scope_count = scopes.n;
	return rc ? rc : reader_error(t, &r);
}

int otlp_tree_read(struct otlp_tree *tree, const struct payload *p, struct arena *arena,
		   struct err *e)
{
	struct tree_reader t = {.tree = tree, .arena = arena, .e = e};
	VEC(struct otlp_resource) resources = {0};
	struct joined unknown = {0};
	int rc = 0;

	*tree = (struct otlp_tree){.signal = p->signal};
	for (uint32_t i = 0; !rc && i < p->slice_count; i++) {
		struct proto_reader r = proto_reader_of(p->slices[i].bytes);
		const uint8_t *field = r.at;

		t.slice = p->slices[i].bytes;
		for (; !rc && proto_next(&r); field = r.at) {
			struct otlp_resource resource = {0};

			if (r.tag != PROTO_TAG(REQUEST_RESOURCES, PROTO_BYTES)) {
				rc = join_unknown(&t, &unknown, &r, field);
				continue;
			}
			rc = read_resource(&t, proto_bytes(&r), &resource);
			if (!rc)
				rc = vec_push(arena, &resources, resource);
		}
		if (!rc)
			rc = reader_error(&t, &r);
	}
	tree->resources = resources.at;
	tree->resource_count = resources.n;
	tree->unknown = unknown.s;
	if (rc && rc != -EBADMSG)
		err_errno(e, -ENOMEM, "read the index of a batch");
	return rc && rc != -EBADMSG ? -ENOMEM : rc;
}

/* ---- writing ---- */

enum { HEADER_MAX = 1 + 10 }; /* tag and length */

/* Return an upper bound of the size of the written tree. */
static size_t size_bound(const struct otlp_tree *tree)
{
	size_t size = tree->unknown.n;

	for (uint32_t i = 0; i < tree->resource_count; i++) {
		const struct otlp_resource *r = &tree->resources[i];

		size += r->resource.n + r->schema_url.n + r->unknown.n + 3 * HEADER_MAX;
		for (uint32_t k = 0; k < r->scope_count; k++) {
			const struct otlp_scope *s = &r->scopes[k];

			size += s->scope.n + s->schema_url.n + s->unknown.n + 3 * HEADER_MAX;
			for (uint32_t n = 0; n < s->item_count; n++)
				if (!s->items[n].dropped)
					size += s->items[n].bytes.n + HEADER_MAX;
		}
	}
	return size;
}

/* Write a scope, unless all of its items are dropped. Return the number of items. */
static uint32_t write_scope(struct proto_writer *w, const struct otlp_scope *s)
{
	size_t end = proto_mark(w);
	uint32_t items = 0, kept = 0;

	for (uint32_t i = s->item_count; i-- > 0;)
		kept += !s->items[i].dropped;
	if (!kept)
		return 0;
	proto_put_raw(w, s->unknown.p, s->unknown.n);
	proto_put_bytes(w, SCHEMA_URL, s->schema_url);
	for (uint32_t i = s->item_count; i-- > 0;) {
		if (s->items[i].dropped)
			continue;
		proto_put_entry(w, SCOPE_ITEMS, s->items[i].bytes);
		items += s->items[i].count;
	}
	proto_put_bytes(w, SCOPE_SCOPE, s->scope);
	proto_put_header(w, RESOURCE_SCOPES, end);
	return items;
}

static uint32_t write_resource(struct proto_writer *w, const struct otlp_resource *r)
{
	size_t end = proto_mark(w), scopes;
	uint32_t items = 0;

	proto_put_raw(w, r->unknown.p, r->unknown.n);
	proto_put_bytes(w, SCHEMA_URL, r->schema_url);
	scopes = proto_mark(w);
	for (uint32_t i = r->scope_count; i-- > 0;)
		items += write_scope(w, &r->scopes[i]);
	if (proto_mark(w) == scopes) {
		w->start = w->cap - end; /* nothing is left of it */
		return 0;
	}
	proto_put_bytes(w, RESOURCE_RESOURCE, r->resource);
	proto_put_header(w, REQUEST_RESOURCES, end);
	return items;
}

struct payload *otlp_tree_write(const struct otlp_tree *tree, struct budget *budget)
{
	struct proto_writer w;
	struct payload *p;
	uint32_t items = 0;
	size_t end;

	proto_writer_init(&w, budget);
	proto_writer_room(&w, size_bound(tree));
	proto_put_raw(&w, tree->unknown.p, tree->unknown.n);
	end = proto_mark(&w);
	for (uint32_t i = tree->resource_count; i-- > 0;)
		items += write_resource(&w, &tree->resources[i]);
	if (proto_mark(&w) == end)
		w.start = w.cap;
	p = payload_take_written(tree->signal, items, &w);
	proto_writer_fini(&w);
	return p;
}

/* ---- metrics ---- */

uint32_t otlp_metric_data(struct str metric, struct str *data)
{
	struct proto_reader r = proto_reader_of(metric);
	uint32_t kind = 0;

	*data = (struct str){0};
	while (proto_next(&r)) {
		switch (r.tag) {
		case PROTO_TAG(5, PROTO_BYTES):
		case PROTO_TAG(7, PROTO_BYTES):
		case PROTO_TAG(9, PROTO_BYTES):
		case PROTO_TAG(10, PROTO_BYTES):
		case PROTO_TAG(11, PROTO_BYTES):
			kind = proto_field(&r);
			*data = proto_bytes(&r);
			break;
		default:
			proto_skip(&r);
		}
	}
	return kind;
}

uint32_t otlp_metric_points(struct str metric)
{
	struct str data;

	return otlp_metric_data(metric, &data)
		       ? count_fields(data, PROTO_TAG(DATA_POINTS, PROTO_BYTES))
		       : 0;
}
