/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the details of the records of a page. */
#include "store/sqlite/logs/log_details.h"
#include "store/sqlite/logs/log_numbers.h"

struct details_decoder {
	struct log_details *d;
	struct column_cursor c;
	struct arena *a;
	uint32_t n;
	int rc;
};

static uint64_t *get_numbers(struct details_decoder *x)
{
	return log_numbers_get(&x->c, x->a, x->n, &x->rc);
}

static uint32_t *get_numbers_u32(struct details_decoder *x)
{
	return log_numbers_get_u32(&x->c, x->a, x->n, &x->rc);
}

static int get_strings(struct details_decoder *x, struct log_strings *out, uint32_t n)
{
	struct column_cursor head = column_cursor(column_str(&x->c));
	struct column_cursor rest = column_cursor(column_str(&x->c));
	int rc = x->c.bad ? -EUCLEAN : log_strings_get(out, &head, n, x->a);

	if (!rc)
		rc = log_strings_get_rest(out, &rest, x->a);
	return rc ? rc : column_left(&head) || column_left(&rest) ? -EUCLEAN : 0;
}

static int get_ids(struct details_decoder *x, uint32_t **numbers, const uint8_t **ids,
		   uint32_t *count, size_t size)
{
	*count = column_count(&x->c);
	if (x->c.bad || *count > x->n)
		return -EUCLEAN;
	*ids = column_bytes(&x->c, *count * size);
	*numbers = get_numbers_u32(x);
	if (!*numbers)
		return x->rc ? x->rc : -EUCLEAN;
	for (uint32_t i = 0; i < x->n; i++)
		if ((*numbers)[i] > *count)
			return -EUCLEAN;
	return 0;
}

static int get_shapes(struct details_decoder *x)
{
	struct log_details *d = x->d;
	VEC(uint32_t) columns = {0};
	int rc = 0;

	d->shape_n = column_count(&x->c);
	if (x->c.bad || d->shape_n > x->n + 1)
		return -EUCLEAN;
	d->shape_at = arena_alloc(x->a, d->shape_n + (size_t)1, sizeof(*d->shape_at));
	if (!d->shape_at)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < d->shape_n; i++) {
		uint32_t n = column_count(&x->c);

		if (x->c.bad || n > LOG_ATTRIBUTES_MAX)
			return -EUCLEAN;
		d->shape_at[i] = columns.n;
		rc = vec_reserve(x->a, &columns, n);
		for (uint32_t k = 0; !rc && k < n; k++) {
			uint64_t column = column_varint(&x->c);

			columns.at[columns.n++] = (uint32_t)min_size(column, UINT32_MAX);
		}
	}
	d->shape_at[d->shape_n] = columns.n;
	d->shape_columns = columns.at;
	if (rc)
		return rc;
	d->shapes = get_numbers_u32(x);
	if (!d->shapes)
		return x->rc ? x->rc : -EUCLEAN;
	return 0;
}

static int get_texts(struct details_decoder *x, struct log_attribute_column *c)
{
	uint64_t *lengths = log_numbers_get(&x->c, x->a, c->n, &x->rc), sum = 0;
	uint32_t *at = arena_alloc(x->a, c->n + (size_t)1, sizeof(*at));

	if (!lengths || !at)
		return x->rc || !at ? -ENOMEM : -EUCLEAN;
	for (uint32_t i = 0; i < c->n; i++) {
		at[i] = (uint32_t)sum;
		sum += min_size(lengths[i], UINT32_MAX);
		if (sum > column_left(&x->c))
			return -EUCLEAN;
	}
	at[c->n] = (uint32_t)sum;
	c->at = at;
	c->bytes = (const char *)column_bytes(&x->c, sum);
	return x->c.bad ? -EUCLEAN : 0;
}

/* `most` is the number of values that the records have in the column. */
static int get_column(struct details_decoder *x, struct log_attribute_column *c, uint32_t most)
{
	uint64_t n;

	c->key = column_str(&x->c);
	c->kind = (uint32_t)min_size(column_varint(&x->c), UINT32_MAX);
	n = column_varint(&x->c);
	if (x->c.bad || c->kind > LOG_ATTRIBUTE_PACKED ||
	    n != (c->kind == VALUE_EMPTY ? 0 : most) || n > LOG_STRINGS_MAX * LOG_ATTRIBUTES_MAX)
		return -EUCLEAN;
	c->n = (uint32_t)n;
	if (c->kind == VALUE_STRING && c->n > LOG_STRINGS_MAX)
		return -EUCLEAN;
	if (c->kind == VALUE_STRING)
		return get_strings(x, &c->strings, c->n);
	if (c->kind == VALUE_BOOL || c->kind == VALUE_INT || c->kind == VALUE_DOUBLE) {
		c->numbers = log_numbers_get(&x->c, x->a, c->n, &x->rc);
		return c->numbers ? 0 : x->rc ? x->rc : -EUCLEAN;
	}
	return c->kind == VALUE_EMPTY ? 0 : get_texts(x, c);
}

/* Count the values of each column. */
static int count_values(struct details_decoder *x, uint32_t *counts)
{
	struct log_details *d = x->d;

	for (uint32_t i = 0; i < x->n; i++) {
		if (d->shapes[i] >= d->shape_n)
			return -EUCLEAN;
		for (uint32_t k = d->shape_at[d->shapes[i]]; k < d->shape_at[d->shapes[i] + 1];
		     k++) {
			if (d->shape_columns[k] >= d->column_n)
				return -EUCLEAN;
			counts[d->shape_columns[k]]++;
		}
	}
	return 0;
}

static int get_attributes(struct details_decoder *x)
{
	struct log_details *d = x->d;
	uint32_t *counts;
	int rc = get_shapes(x);

	if (rc)
		return rc;
	d->column_n = column_count(&x->c);
	if (x->c.bad || d->column_n > LOG_ATTRIBUTE_COLUMNS_MAX + 1)
		return -EUCLEAN;
	d->columns = arena_zalloc(x->a, d->column_n + (size_t)1, sizeof(*d->columns));
	counts = arena_zalloc(x->a, d->column_n + (size_t)1, sizeof(*counts));
	if (!d->columns || !counts)
		return -ENOMEM;
	rc = count_values(x, counts);
	for (uint32_t i = 0; !rc && i < d->column_n; i++)
		rc = get_column(x, &d->columns[i], counts[i]);
	return rc;
}

static int get_details(struct details_decoder *x)
{
	struct log_details *d = x->d;
	int rc;

	d->source = get_numbers(x);
	d->has_observed = get_numbers(x);
	d->observed = get_numbers(x);
	d->derived = get_numbers(x);
	if (!d->source || !d->has_observed || !d->observed || !d->derived)
		return x->rc ? x->rc : -EUCLEAN;
	rc = get_strings(x, &d->severity_texts, x->n);
	if (!rc)
		rc = get_strings(x, &d->event_names, x->n);
	d->dropped = get_numbers(x);
	d->flags = get_numbers(x);
	if (!rc && (!d->dropped || !d->flags))
		rc = x->rc ? x->rc : -EUCLEAN;
	if (!rc)
		rc = get_ids(x, &d->traces, &d->trace_ids, &d->trace_n, TRACE_ID_SIZE);
	if (!rc)
		rc = get_ids(x, &d->spans, &d->span_ids, &d->span_n, SPAN_ID_SIZE);
	if (!rc)
		rc = get_attributes(x);
	return rc ? rc : x->c.bad || column_left(&x->c) ? -EUCLEAN : 0;
}

int log_details_init(struct log_details *d, struct log_page *page, struct err *e)
{
	struct details_decoder x = {.d = d, .a = page->arena, .n = page->n};
	int rc;

	*d = (struct log_details){.page = page};
	proto_writer_init(&d->writer, page->arena->budget);
	buf_init(&d->text, page->arena->budget);
	buf_init(&d->severity_text, page->arena->budget);
	buf_init(&d->event_name, page->arena->budget);
	rc = log_page_read(page, LOG_PIECE_CORE, e);
	if (!rc)
		rc = log_page_read(page, LOG_PIECE_DETAILS, e);
	if (rc)
		return rc;
	x.c = column_cursor(page->packed[LOG_PIECE_DETAILS]);
	rc = get_details(&x);
	if (rc == -ENOMEM)
		return err_errno(e, rc, "read log records");
	return rc ? err_set(e, -EUCLEAN, "the details of a page of log records are damaged") : 0;
}

void log_details_fini(struct log_details *d)
{
	proto_writer_fini(&d->writer);
	buf_fini(&d->text);
	buf_fini(&d->severity_text);
	buf_fini(&d->event_name);
}

/* ---- records ---- */

const uint8_t *log_details_trace(const struct log_details *d, uint32_t i)
{
	return d->traces[i] ? d->trace_ids + (d->traces[i] - 1) * (size_t)TRACE_ID_SIZE : NULL;
}

const uint8_t *log_details_span(const struct log_details *d, uint32_t i)
{
	return d->spans[i] ? d->span_ids + (d->spans[i] - 1) * (size_t)SPAN_ID_SIZE : NULL;
}

static void advance(struct log_details *d, uint32_t row)
{
	uint32_t shape = d->shapes[row];

	for (uint32_t k = d->shape_at[shape]; k < d->shape_at[shape + 1]; k++)
		d->columns[d->shape_columns[k]].next++;
}

/* Write the value of a column at a place. Its place is checked when the page is read. */
static void write_value(struct log_details *d, const struct log_attribute_column *c, uint32_t place)
{
	struct value v = {.kind = (enum value_kind)c->kind};
	uint64_t bits;

	switch (c->kind) {
	case VALUE_STRING:
		v.s = log_strings_text(&c->strings, place, &d->text);
		break;
	case VALUE_BOOL:
		v.i = c->numbers[place] != 0;
		break;
	case VALUE_INT:
		v.i = unzigzag(c->numbers[place]);
		break;
	case VALUE_DOUBLE:
		bits = c->numbers[place];
		memcpy(&v.d, &bits, sizeof(v.d));
		break;
	case VALUE_EMPTY:
		break;
	default:
		v.s = str_of(c->bytes + c->at[place], c->at[place + 1] - c->at[place]);
	}
	if (c->kind == LOG_ATTRIBUTE_PACKED)
		proto_put_raw(&d->writer, v.s.p, v.s.n);
	else
		otlp_attribute_write(&d->writer, OTLP_LOG_ATTRIBUTES, c->key, &v);
}

/* Write the attributes of the next record, the last one first, as the writer needs. */
static int write_attributes(struct log_details *d)
{
	uint32_t shape = d->shapes[d->row], first = d->shape_at[shape];

	proto_writer_clear(&d->writer);
	advance(d, d->row);
	for (uint32_t k = d->shape_at[shape + 1]; k > first; k--) {
		struct log_attribute_column *c = &d->columns[d->shape_columns[k - 1]];

		write_value(d, c, --c->next);
	}
	advance(d, d->row);
	d->attributes = proto_mark(&d->writer) ? proto_writer_str(&d->writer) : (struct str){0};
	return proto_writer_error(&d->writer);
}

int log_details_record(struct log_details *d, uint32_t i, struct log_record *out)
{
	uint64_t time = d->page->times[i];
	int rc;

	for (; d->row < i; d->row++)
		advance(d, d->row);
	rc = write_attributes(d);
	d->row++;
	*out = (struct log_record){
		.time = d->source[i] ? 0 : time,
		.observed = d->has_observed[i] ? time + (uint64_t)unzigzag(d->observed[i]) : 0,
		.severity = d->derived[i] ? 0 : d->page->severities[i],
		.flags = (uint32_t)d->flags[i],
		.dropped_attributes = (uint32_t)d->dropped[i],
		.severity_text = log_strings_text(&d->severity_texts, i, &d->severity_text),
		.event_name = log_strings_text(&d->event_names, i, &d->event_name),
		.attributes = d->attributes,
	};
	if (log_details_trace(d, i))
		memcpy(out->trace_id, log_details_trace(d, i), TRACE_ID_SIZE);
	if (log_details_span(d, i))
		memcpy(out->span_id, log_details_span(d, i), SPAN_ID_SIZE);
	return rc ? rc : buf_error(&d->text);
}
