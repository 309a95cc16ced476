/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The builder keeps one buffer for each open level. A level that ends is appended to the level
 * above with its tag and length, or dropped if no item was added to it. Single items are written
 * back to front by a proto_writer, because most of their parts are nested.
 */
#include "signal/otlp/build.h"

/* Levels. A log record is appended to the scope. */
enum { REQUEST, RESOURCE, SCOPE, METRIC, DATA };

/* Field numbers that levels have in the level above. `data` has that of its kind. */
static const uint32_t level_fields[OTLP_BUILDER_LEVELS] = {0, 1, 2, 2, 0};

void otlp_builder_init(struct otlp_builder *b, enum signal_kind signal, struct budget *budget)
{
	*b = (struct otlp_builder){.signal = signal};
	for (unsigned i = 0; i < OTLP_BUILDER_LEVELS; i++)
		buf_init(&b->open[i], budget);
	proto_writer_init(&b->writer, budget);
}

void otlp_builder_fini(struct otlp_builder *b)
{
	for (unsigned i = 0; i < OTLP_BUILDER_LEVELS; i++)
		buf_fini(&b->open[i]);
	proto_writer_fini(&b->writer);
	*b = (struct otlp_builder){0};
}

/* ---- appending to a level ---- */

static void put_varint(struct buf *out, uint64_t value)
{
	uint8_t *at = (uint8_t *)buf_reserve(out, 10);

	if (!at)
		return;
	for (; value >= 0x80; value >>= 7, out->n++)
		*at++ = (uint8_t)(value | 0x80);
	*at = (uint8_t)value;
	out->n++;
}

static void put_uint(struct buf *out, uint32_t field, uint64_t value)
{
	if (!value)
		return;
	put_varint(out, PROTO_TAG(field, PROTO_VARINT));
	put_varint(out, value);
}

static void put_message(struct buf *out, uint32_t field, struct str message)
{
	put_varint(out, PROTO_TAG(field, PROTO_BYTES));
	put_varint(out, message.n);
	buf_put_str(out, message);
}

static void put_text(struct buf *out, uint32_t field, struct str text)
{
	if (text.n)
		put_message(out, field, text);
}

/* Errors are kept in the request's buffer. */
static void note_error(struct otlp_builder *b, bool failed)
{
	if (failed)
		b->open[REQUEST].failed = true;
}

/* ---- levels ---- */

static void close_level(struct otlp_builder *b, unsigned level)
{
	struct buf *from = &b->open[level];
	uint32_t field = level_fields[level];

	if (level == DATA) {
		field = (uint32_t)b->kind;
		if (b->kind != OTLP_GAUGE && b->kind != OTLP_SUMMARY)
			put_uint(from, 2, b->temporality);
		if (b->kind == OTLP_SUM)
			put_uint(from, 3, b->monotonic);
	}
	note_error(b, from->failed);
	if (b->items != b->items_before[level])
		put_message(&b->open[level - 1], field, buf_str(from));
	buf_clear(from);
}

/* End the levels below `depth`. */
static void close_to(struct otlp_builder *b, unsigned depth)
{
	for (; b->depth > depth; b->depth--)
		close_level(b, b->depth);
}

/* Begin a level; those above have to be open. */
static struct buf *open_level(struct otlp_builder *b, unsigned level)
{
	close_to(b, level - 1);
	b->depth = level;
	b->items_before[level] = b->items;
	return &b->open[level];
}

/* Write the elements of repeated field `field`, back to front. */
static void write_attributes(struct proto_writer *w, uint32_t field, const struct attributes *a)
{
	for (uint32_t i = a ? a->list.n : 0; i-- > 0;)
		otlp_attribute_write(w, field, a->list.at[i].key, &a->list.at[i].value);
}

/* Append what the writer holds as fields of `out`, and empty the writer. */
static void put_written(struct otlp_builder *b, struct buf *out)
{
	buf_put_str(out, proto_writer_str(&b->writer));
	note_error(b, proto_writer_error(&b->writer));
	proto_writer_clear(&b->writer);
}

void otlp_begin_resource(struct otlp_builder *b, const struct attributes *attributes,
			 struct str schema_url)
{
	struct buf *out = open_level(b, RESOURCE);
	size_t mark;

	proto_put_bytes(&b->writer, 3, schema_url);
	mark = proto_mark(&b->writer);
	write_attributes(&b->writer, OTLP_RESOURCE_ATTRIBUTES, attributes);
	proto_put_header(&b->writer, 1, mark);
	put_written(b, out);
}

void otlp_begin_scope(struct otlp_builder *b, struct str name, struct str version)
{
	struct buf *out;
	size_t mark;

	if (b->depth < RESOURCE)
		otlp_begin_resource(b, NULL, STR(""));
	out = open_level(b, SCOPE);
	mark = proto_mark(&b->writer);
	proto_put_bytes(&b->writer, 2, version);
	proto_put_bytes(&b->writer, 1, name);
	proto_put_header(&b->writer, 1, mark);
	put_written(b, out);
}

void otlp_begin_metric(struct otlp_builder *b, const struct otlp_metric *metric)
{
	struct buf *out;

	if (b->depth < SCOPE)
		otlp_begin_scope(b, STR(""), STR(""));
	out = open_level(b, METRIC);
	put_text(out, 1, metric->name);
	put_text(out, 2, metric->description);
	put_text(out, 3, metric->unit);
	write_attributes(&b->writer, 12, metric->metadata);
	put_written(b, out);
	open_level(b, DATA);
	b->kind = metric->kind;
	b->temporality = metric->temporality;
	b->monotonic = metric->monotonic;
}

/* ---- items ---- */

/* Write a double or sfixed64 even if it is zero: it has presence, or is an element. */
static void write_double(struct proto_writer *w, uint32_t field, double value)
{
	proto_put_raw(w, &value, sizeof(value));
	proto_put_varint(w, PROTO_TAG(field, PROTO_FIXED64));
}

static void write_sfixed64(struct proto_writer *w, uint32_t field, int64_t value)
{
	proto_put_raw(w, &value, sizeof(value));
	proto_put_varint(w, PROTO_TAG(field, PROTO_FIXED64));
}

/* Write a double without presence: positive zero is left out. */
static void write_plain_double(struct proto_writer *w, uint32_t field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	proto_put_fixed64(w, field, bits);
}

static void write_sint(struct proto_writer *w, uint32_t field, int32_t value)
{
	proto_put_uint(w, field, (uint32_t)value << 1 ^ (uint32_t)(value >> 31));
}

static void write_id(struct proto_writer *w, uint32_t field, const uint8_t *id, size_t n)
{
	static const uint8_t none[16];

	if (memcmp(id, none, n) != 0)
		proto_put_bytes(w, field, str_of((const char *)id, n));
}

static void write_fixed64s(struct proto_writer *w, uint32_t field, const void *p, uint32_t n)
{
	proto_put_bytes(w, field, str_of(p, (size_t)n * sizeof(uint64_t)));
}

static void write_exemplars(struct proto_writer *w, uint32_t field, const struct otlp_point *point)
{
	for (uint32_t i = point->exemplar_count; i-- > 0;) {
		const struct otlp_exemplar *x = &point->exemplars[i];
		size_t mark = proto_mark(w);

		write_attributes(w, 7, x->attributes);
		if (x->is_int)
			write_sfixed64(w, 6, x->i);
		write_id(w, 5, x->trace_id, sizeof(x->trace_id));
		write_id(w, 4, x->span_id, sizeof(x->span_id));
		if (!x->is_int)
			write_double(w, 3, x->d);
		proto_put_fixed64(w, 2, x->time);
		proto_put_header(w, field, mark);
	}
}

static void write_times(struct proto_writer *w, const struct otlp_point *point)
{
	proto_put_fixed64(w, 3, point->time);
	proto_put_fixed64(w, 2, point->start);
}

/* Append the written item to a level and count it. */
static void put_item(struct otlp_builder *b, unsigned level, uint32_t field)
{
	struct buf *out = &b->open[level];
	struct str item = proto_writer_str(&b->writer);

	put_varint(out, PROTO_TAG(field, PROTO_BYTES));
	put_varint(out, item.n);
	put_written(b, out);
	b->items++;
}

void otlp_add_number(struct otlp_builder *b, const struct otlp_number *point)
{
	struct proto_writer *w = &b->writer;

	proto_put_uint(w, 8, point->point.flags);
	write_attributes(w, OTLP_NUMBER_POINT_ATTRIBUTES, point->point.attributes);
	if (point->is_int && !(point->point.flags & OTLP_NO_RECORDED_VALUE))
		write_sfixed64(w, 6, point->i);
	write_exemplars(w, 5, &point->point);
	if (!point->is_int && !(point->point.flags & OTLP_NO_RECORDED_VALUE))
		write_double(w, 4, point->d);
	write_times(w, &point->point);
	put_item(b, DATA, 1);
}

void otlp_add_histogram(struct otlp_builder *b, const struct otlp_histogram *point)
{
	struct proto_writer *w = &b->writer;

	if (point->has_min_max) {
		write_double(w, 12, point->max);
		write_double(w, 11, point->min);
	}
	proto_put_uint(w, 10, point->point.flags);
	write_attributes(w, OTLP_HISTOGRAM_POINT_ATTRIBUTES, point->point.attributes);
	write_exemplars(w, 8, &point->point);
	write_fixed64s(w, 7, point->bounds, point->bound_count);
	write_fixed64s(w, 6, point->counts, point->count_count);
	if (point->has_sum)
		write_double(w, 5, point->sum);
	proto_put_fixed64(w, 4, point->count);
	write_times(w, &point->point);
	put_item(b, DATA, 1);
}

static void write_buckets(struct proto_writer *w, uint32_t field, const struct otlp_buckets *p)
{
	size_t mark = proto_mark(w), counts;

	if (!p->count && !p->offset)
		return;
	counts = proto_mark(w);
	for (uint32_t i = p->count; i-- > 0;)
		proto_put_varint(w, p->counts[i]);
	if (p->count)
		proto_put_header(w, 2, counts);
	write_sint(w, 1, p->offset);
	proto_put_header(w, field, mark);
}

void otlp_add_exponential(struct otlp_builder *b, const struct otlp_exponential *point)
{
	struct proto_writer *w = &b->writer;

	write_plain_double(w, 14, point->zero_threshold);
	if (point->has_min_max) {
		write_double(w, 13, point->max);
		write_double(w, 12, point->min);
	}
	write_exemplars(w, 11, &point->point);
	proto_put_uint(w, 10, point->point.flags);
	write_buckets(w, 9, &point->negative);
	write_buckets(w, 8, &point->positive);
	proto_put_fixed64(w, 7, point->zero_count);
	write_sint(w, 6, point->scale);
	if (point->has_sum)
		write_double(w, 5, point->sum);
	proto_put_fixed64(w, 4, point->count);
	write_times(w, &point->point);
	write_attributes(w, OTLP_EXPONENTIAL_POINT_ATTRIBUTES, point->point.attributes);
	put_item(b, DATA, 1);
}

void otlp_add_summary(struct otlp_builder *b, const struct otlp_summary *point)
{
	struct proto_writer *w = &b->writer;

	proto_put_uint(w, 8, point->point.flags);
	write_attributes(w, OTLP_SUMMARY_POINT_ATTRIBUTES, point->point.attributes);
	for (uint32_t i = point->quantile_count; i-- > 0;) {
		size_t mark = proto_mark(w);

		write_plain_double(w, 2, point->quantiles[i].value);
		write_plain_double(w, 1, point->quantiles[i].quantile);
		proto_put_header(w, 6, mark);
	}
	write_plain_double(w, 5, point->sum);
	proto_put_fixed64(w, 4, point->count);
	write_times(w, &point->point);
	put_item(b, DATA, 1);
}

void otlp_add_log(struct otlp_builder *b, const struct otlp_log *log)
{
	struct proto_writer *w = &b->writer;
	uint32_t flags = log->flags;
	size_t mark;

	if (b->depth < SCOPE)
		otlp_begin_scope(b, STR(""), STR(""));
	proto_put_bytes(w, 12, log->event_name);
	proto_put_fixed64(w, 11, log->observed_time);
	write_id(w, 10, log->span_id, sizeof(log->span_id));
	write_id(w, 9, log->trace_id, sizeof(log->trace_id));
	if (flags) {
		proto_put_raw(w, &flags, sizeof(flags));
		proto_put_varint(w, PROTO_TAG(8, PROTO_FIXED32));
	}
	write_attributes(w, OTLP_LOG_ATTRIBUTES, log->attributes);
	if (log->body.kind != VALUE_EMPTY) {
		mark = proto_mark(w);
		otlp_value_write(w, &log->body);
		proto_put_header(w, 5, mark);
	}
	proto_put_bytes(w, 3, log->severity_text);
	proto_put_uint(w, 2, log->severity);
	proto_put_fixed64(w, 1, log->time);
	put_item(b, SCOPE, 2);
}

struct payload *otlp_builder_finish(struct otlp_builder *b)
{
	struct payload *p;

	close_to(b, REQUEST);
	p = payload_take(b->signal, b->items, &b->open[REQUEST]);
	for (unsigned i = 0; i < OTLP_BUILDER_LEVELS; i++)
		buf_clear(&b->open[i]);
	b->items = 0;
	return p;
}
