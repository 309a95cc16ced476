/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoder of a profile batch as pprof protobuf, with or without gzip.
 *
 * First everything is planned: the sample types of the file (columns), its samples (rows), and the
 * ids of the strings, labels, locations, functions and mappings that the rows use. Then the file is
 * written in one pass from its end to its beginning. Equal batches give equal bytes.
 */
#include <errno.h>

#include "format/pprof/encode/encode_header.h"
#include "format/pprof/encode/encode_labels.h"
#include "format/pprof/encode/encode_rows.h"
#include "format/pprof/encode/encode_tables.h"
#include "format/pprof/encode/encoder.h"
#include "format/pprof/pprof.h"
#include "format/pprof/schema.h"
#include "wire/compress/deflate.h"

static int init_encoder(struct pprof_encoder *x)
{
	const struct profile_batch *b = x->b;
	struct arena *a = &x->arena;
	uint32_t empty;
	int rc;

	x->string_ids = arena_zalloc(a, b->strings.n, sizeof(*x->string_ids));
	x->attribute_labels = arena_zalloc(a, b->attributes.n, sizeof(*x->attribute_labels));
	x->link_labels = arena_zalloc(a, b->links.n, sizeof(*x->link_labels));
	x->resource_labels = arena_zalloc(a, b->resources.n + 1, sizeof(*x->resource_labels));
	x->resource_class = arena_zalloc(a, b->resources.n + 1, sizeof(*x->resource_class));
	x->profile_column = arena_zalloc(a, b->profiles.n + 1, sizeof(*x->profile_column));
	x->locations.ids = arena_zalloc(a, b->locations.n, sizeof(*x->locations.ids));
	x->functions.ids = arena_zalloc(a, b->functions.n, sizeof(*x->functions.ids));
	x->mappings.ids = arena_zalloc(a, b->mappings.n, sizeof(*x->mappings.ids));
	if (!x->string_ids || !x->attribute_labels || !x->link_labels || !x->resource_labels ||
	    !x->resource_class || !x->profile_column || !x->locations.ids || !x->functions.ids ||
	    !x->mappings.ids)
		return -ENOMEM;
	rc = idset_init(&x->string_index, a, 0);
	return rc ? rc : pprof_out_string(x, STR(""), &empty);
}

static int plan_file(struct pprof_encoder *x)
{
	int rc = pprof_plan_columns(x);

	if (!rc)
		rc = pprof_make_resource_labels(x);
	if (!rc)
		rc = pprof_plan_rows(x);
	if (!rc)
		rc = pprof_plan_tables(x);
	return rc ? rc : pprof_plan_header(x);
}

static void write_value_type(struct proto_writer *w, uint32_t field, uint32_t type, uint32_t unit)
{
	size_t end = proto_mark(w);

	proto_put_uint(w, PPROF_TYPE_UNIT, unit);
	proto_put_uint(w, PPROF_TYPE_TYPE, type);
	proto_put_header(w, field, end);
}

static void write_label(struct proto_writer *w, const struct out_label *label)
{
	size_t end = proto_mark(w);

	proto_put_uint(w, PPROF_LABEL_UNIT, label->unit);
	proto_put_int(w, PPROF_LABEL_NUM, label->num);
	proto_put_uint(w, PPROF_LABEL_STR, label->str);
	proto_put_uint(w, PPROF_LABEL_KEY, label->key);
	proto_put_header(w, PPROF_SAMPLE_LABEL, end);
}

static void write_labels(const struct pprof_encoder *x, struct proto_writer *w, struct list l)
{
	for (uint32_t i = l.n; i-- > 0;)
		write_label(w, &x->labels.at[l.at - 1 + i]);
}

/* Return whether the sample itself has an attribute with that key. */
static bool has_own_label(const struct pprof_encoder *x, uint32_t sample, uint32_t key)
{
	const struct profile_batch *b = x->b;

	for (uint32_t i = b->sample_attributes_at[sample]; i < b->sample_attributes_at[sample + 1];
	     i++) {
		struct list l = x->attribute_labels[b->sample_attributes.at[i]];

		if (l.n && x->labels.at[l.at - 1].key == key)
			return true;
	}
	return false;
}

static void write_resource_labels(const struct pprof_encoder *x, struct proto_writer *w,
				  const struct out_row *row)
{
	struct list l = x->resource_labels[row->resource];

	for (uint32_t i = l.n; i-- > 0;)
		if (!has_own_label(x, row->sample, x->labels.at[l.at - 1 + i].key))
			write_label(w, &x->labels.at[l.at - 1 + i]);
}

static void write_sample(const struct pprof_encoder *x, struct proto_writer *w, uint32_t row)
{
	const struct profile_batch *b = x->b;
	uint32_t s = x->rows.at[row].sample, n;
	const uint32_t *locations = stack_of(b, b->sample_stack[s], &n);
	const int64_t *values = x->values.at + (size_t)row * x->columns.n;
	size_t end = proto_mark(w), list;

	write_resource_labels(x, w, &x->rows.at[row]);
	write_labels(x, w, x->link_labels[b->sample_link[s]]);
	for (uint32_t i = b->sample_attributes_at[s + 1]; i-- > b->sample_attributes_at[s];)
		write_labels(x, w, x->attribute_labels[b->sample_attributes.at[i]]);
	list = proto_mark(w);
	for (uint32_t i = x->columns.n; i-- > 0;)
		proto_put_varint(w, (uint64_t)values[i]);
	proto_put_header(w, PPROF_SAMPLE_VALUE, list);
	if (n) {
		list = proto_mark(w);
		for (uint32_t i = n; i-- > 0;)
			proto_put_varint(w, x->locations.ids[locations[i]]);
		proto_put_header(w, PPROF_SAMPLE_LOCATION, list);
	}
	proto_put_header(w, PPROF_SAMPLE, end);
}

static void write_header(const struct pprof_encoder *x, struct proto_writer *w)
{
	proto_put_uint(w, PPROF_DOC_URL, x->doc_url);
	proto_put_uint(w, PPROF_DEFAULT_SAMPLE_TYPE, x->default_type);
	if (x->comments.n) {
		size_t list = proto_mark(w);

		for (uint32_t i = x->comments.n; i-- > 0;)
			proto_put_varint(w, x->comments.at[i]);
		proto_put_header(w, PPROF_COMMENT, list);
	}
	proto_put_int(w, PPROF_PERIOD, x->period);
	if (x->period_type || x->period_unit)
		write_value_type(w, PPROF_PERIOD_TYPE, x->period_type, x->period_unit);
	proto_put_uint(w, PPROF_DURATION_NANOS, x->duration);
	proto_put_uint(w, PPROF_TIME_NANOS, x->time);
	proto_put_uint(w, PPROF_KEEP_FRAMES, x->keep_frames);
	proto_put_uint(w, PPROF_DROP_FRAMES, x->drop_frames);
}

static void write_profile(struct pprof_encoder *x, struct proto_writer *w)
{
	write_header(x, w);
	for (uint32_t i = x->strings.n; i-- > 0;)
		proto_put_entry(w, PPROF_STRING_TABLE, x->strings.at[i]);
	pprof_write_functions(x, w);
	pprof_write_locations(x, w);
	pprof_write_mappings(x, w);
	for (uint32_t i = x->rows.n; i-- > 0;)
		write_sample(x, w, i);
	for (uint32_t i = x->columns.n; i-- > 0;)
		write_value_type(w, PPROF_SAMPLE_TYPE, x->columns.at[i].type,
				 x->columns.at[i].unit);
}

static int encode_batch(struct buf *out, const struct profile_batch *b, bool gzip, struct err *e)
{
	struct pprof_encoder x = {.b = b, .e = e};
	struct proto_writer w;
	int rc;

	arena_init(&x.arena, out->budget);
	proto_writer_init(&w, out->budget);
	rc = init_encoder(&x);
	if (!rc)
		rc = plan_file(&x);
	if (!rc) {
		write_profile(&x, &w);
		rc = proto_writer_error(&w);
	}
	arena_fini(&x.arena);
	if (!rc && gzip)
		rc = deflate_bytes(out, COMPRESS_GZIP, 0, proto_writer_str(&w));
	else if (!rc)
		buf_put_str(out, proto_writer_str(&w));
	proto_writer_fini(&w);
	if (!rc)
		rc = buf_error(out);
	return rc ? err_errno(e, rc, "encoding pprof") : 0;
}

int pprof_encode(struct buf *out, const struct profile_batch *b, const struct encode_options *o,
		 struct err *e)
{
	(void)o;
	return encode_batch(out, b, true, e);
}

int pprof_encode_raw(struct buf *out, const struct profile_batch *b, const struct encode_options *o,
		     struct err *e)
{
	(void)o;
	return encode_batch(out, b, false, e);
}
