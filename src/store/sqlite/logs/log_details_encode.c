/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes the details of the records of a page. */
#include <string.h>

#include "base/container/hash.h"
#include "base/container/idset.h"
#include "store/sqlite/logs/log_details.h"
#include "store/sqlite/logs/log_numbers.h"
#include "store/sqlite/logs/log_text.h"

/* The values of one pair of key and kind. */
struct new_column {
	struct str key;
	uint32_t kind;
	uint64_t key_hash;
	VEC(struct str) texts;
	VEC(uint64_t) numbers;
	uint64_t last; /* hash of the last value */
};

struct new_shape {
	uint32_t first, n; /* of `shape_columns` */
};

struct details_encoder {
	struct log_page_packer *p;
	struct arena *a;
	struct buf *out;
	const struct kept_log *logs;
	uint32_t n;
	struct log_hashes *hashes;
	uint64_t *numbers;
	struct str *texts;
	VEC(struct new_column) columns;
	struct idset column_index;
	VEC(struct new_shape) shapes;
	VEC(uint32_t) shape_columns;
	struct idset shape_index;
	struct buf text;
};

/* ---- plain fields ---- */

static void put_times(struct details_encoder *x)
{
	const struct log_record *r = x->p->records;

	for (uint32_t i = 0; i < x->n; i++)
		x->numbers[i] = r[i].time ? 0 : r[i].observed ? 1 : 2;
	log_numbers_put(x->out, x->numbers, x->n);
	for (uint32_t i = 0; i < x->n; i++)
		x->numbers[i] = r[i].observed != 0;
	log_numbers_put(x->out, x->numbers, x->n);
	for (uint32_t i = 0; i < x->n; i++)
		x->numbers[i] =
			r[i].observed ? zigzag((int64_t)(r[i].observed - x->logs[i].time)) : 0;
	log_numbers_put(x->out, x->numbers, x->n);
	for (uint32_t i = 0; i < x->n; i++)
		x->numbers[i] = r[i].severity != x->p->severities[i];
	log_numbers_put(x->out, x->numbers, x->n);
}

/* Append a column of texts with the lengths of its parts. */
static int put_strings(struct details_encoder *x, const struct str *texts, uint32_t n)
{
	struct buf head = {0};
	int rc;

	buf_clear(&x->p->rest);
	rc = log_strings_put(&x->p->strings, &head, &x->p->rest, texts, n, NULL);
	column_put_str(x->out, buf_str(&head));
	column_put_str(x->out, buf_str(&x->p->rest));
	buf_fini(&head);
	return rc;
}

static int put_texts(struct details_encoder *x)
{
	int rc;

	for (uint32_t i = 0; i < x->n; i++)
		x->texts[i] = x->p->records[i].severity_text;
	rc = put_strings(x, x->texts, x->n);
	for (uint32_t i = 0; i < x->n; i++)
		x->texts[i] = x->p->records[i].event_name;
	if (!rc)
		rc = put_strings(x, x->texts, x->n);
	for (uint32_t i = 0; i < x->n; i++)
		x->numbers[i] = x->p->records[i].dropped_attributes;
	log_numbers_put(x->out, x->numbers, x->n);
	for (uint32_t i = 0; i < x->n; i++)
		x->numbers[i] = x->p->records[i].flags;
	log_numbers_put(x->out, x->numbers, x->n);
	return rc;
}

/* ---- ids ---- */

static int find_id(struct idset *index, const uint8_t *ids, uint32_t *n, const uint8_t *id,
		   size_t size, uint64_t *number)
{
	uint32_t hash = (uint32_t)hash_bytes(id, size), i;
	struct idset_cursor c = idset_seek(index, hash);

	while (idset_next(index, &c, &i))
		if (memcmp(ids + i * size, id, size) == 0) {
			*number = i + 1;
			return 0;
		}
	*number = ++*n;
	return idset_add(index, hash, *n - 1);
}

/* Append the distinct ids, at `offset` of each record, and the number of the id of each record. */
static int put_ids(struct details_encoder *x, size_t offset, size_t size)
{
	uint8_t *ids = arena_alloc(x->a, x->n + (size_t)1, size);
	struct idset index;
	uint32_t n = 0;
	int rc = ids ? idset_init(&index, x->a, 16) : -ENOMEM;

	for (uint32_t i = 0; !rc && i < x->n; i++) {
		const uint8_t *id = (const uint8_t *)&x->p->records[i] + offset;
		uint32_t before = n;

		x->numbers[i] = 0;
		if (!span_id_is_set(id, size))
			continue;
		memcpy(ids + n * size, id, size);
		rc = find_id(&index, ids, &n, id, size, &x->numbers[i]);
		if (!rc && n > before)
			rc = log_hashes_add(x->hashes, log_id_hash(id, size));
	}
	if (rc)
		return rc;
	column_put_varint(x->out, n);
	buf_put(x->out, ids, n * size);
	log_numbers_put(x->out, x->numbers, x->n);
	return 0;
}

/* ---- attributes ---- */

static int find_column(struct details_encoder *x, struct str key, uint32_t kind, uint32_t guess,
		       uint32_t *out)
{
	uint32_t hash = hash32(key) + kind;
	struct idset_cursor c;
	struct new_column new = {.key = key, .kind = kind, .key_hash = kind};
	int rc;

	if (guess < x->columns.n && x->columns.at[guess].kind == kind &&
	    str_eq(x->columns.at[guess].key, key)) {
		*out = guess;
		return 0;
	}
	c = idset_seek(&x->column_index, hash);
	while (idset_next(&x->column_index, &c, out))
		if (x->columns.at[*out].kind == kind && str_eq(x->columns.at[*out].key, key))
			return 0;
	*out = x->columns.n;
	if (x->columns.n == LOG_ATTRIBUTE_COLUMNS_MAX && kind != LOG_ATTRIBUTE_PACKED)
		return -E2BIG;
	rc = idset_add(&x->column_index, hash, x->columns.n);
	return rc ? rc : vec_push(x->a, &x->columns, new);
}

/* Add the value as text to the filter, unless it is the last one of its column again. */
static int hash_value(struct details_encoder *x, struct new_column *c, const struct value *v)
{
	char number[24];
	struct str text = v->s;
	uint64_t hash;

	if (v->kind == VALUE_INT && v->i >= 0) {
		text = str_of(number, log_number_write(number, (uint64_t)v->i, 1));
	} else if (v->kind == VALUE_BOOL) {
		text = v->i ? STR("true") : STR("false");
	} else if (v->kind != VALUE_STRING) {
		buf_clear(&x->text);
		if (v->kind == VALUE_EMPTY || otlp_value_text(&x->text, v))
			return 0;
		text = buf_str(&x->text);
	}
	if (!text.n || text.n > LOG_FILTER_VALUE_MAX)
		return 0;
	hash = log_attribute_hash(c->key, text);
	if (hash == c->last)
		return 0;
	c->last = hash;
	return log_hashes_add(x->hashes, hash);
}

static int add_value(struct details_encoder *x, struct new_column *c, const struct value *v)
{
	uint64_t bits = 0;
	int rc;

	switch (v->kind) {
	case VALUE_BOOL:
	case VALUE_INT:
		rc = vec_push(x->a, &c->numbers,
			      v->kind == VALUE_INT ? zigzag(v->i) : (uint64_t)v->i);
		break;
	case VALUE_DOUBLE:
		memcpy(&bits, &v->d, sizeof(bits));
		rc = vec_push(x->a, &c->numbers, bits);
		break;
	case VALUE_EMPTY:
		rc = 0;
		break;
	default:
		rc = vec_push(x->a, &c->texts, v->s);
	}
	return rc ? rc : hash_value(x, c, v);
}

static int find_shape(struct details_encoder *x, const uint32_t *columns, uint32_t n,
		      uint32_t guess, uint64_t *out)
{
	uint32_t hash = (uint32_t)hash_bytes(columns, n * sizeof(*columns)), i = guess;
	struct idset_cursor c = idset_seek(&x->shape_index, hash);
	struct new_shape new = {x->shape_columns.n, n};
	int rc;

	while (idset_next(&x->shape_index, &c, &i))
		if (x->shapes.at[i].n == n &&
		    (!n || memcmp(x->shape_columns.at + x->shapes.at[i].first, columns,
				  n * sizeof(*columns)) == 0)) {
			*out = i;
			return 0;
		}
	*out = x->shapes.n;
	rc = vec_reserve(x->a, &x->shape_columns, n);
	if (!rc)
		rc = idset_add(&x->shape_index, hash, x->shapes.n);
	if (rc)
		return rc;
	if (n)
		memcpy(x->shape_columns.at + x->shape_columns.n, columns, n * sizeof(*columns));
	x->shape_columns.n += n;
	return vec_push(x->a, &x->shapes, new);
}

/* Find the columns of the attributes. Return -E2BIG if they are too many. */
static int list_attributes(struct details_encoder *x, struct str fields, const uint32_t *last,
			   uint32_t last_n, struct value *values, uint32_t *columns, uint32_t *n)
{
	struct proto_reader r = proto_reader_of(fields.n ? fields : STR(""));
	int rc = 0;

	*n = 0;
	while (!rc && proto_next(&r)) {
		struct str key = {0}, any = STR("");
		struct proto_reader kv;

		if (r.tag != PROTO_TAG(OTLP_LOG_ATTRIBUTES, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		if (*n == LOG_ATTRIBUTES_MAX)
			return -E2BIG;
		kv = proto_message(&r);
		while (proto_next(&kv))
			if (kv.tag == PROTO_TAG(1, PROTO_BYTES))
				key = proto_bytes(&kv);
			else if (kv.tag == PROTO_TAG(2, PROTO_BYTES))
				any = proto_bytes(&kv);
			else
				proto_skip(&kv);
		if (kv.error || !otlp_value_read(any, &values[*n]))
			return -E2BIG; /* kept as it is */
		rc = find_column(x, key, values[*n].kind, *n < last_n ? last[*n] : UINT32_MAX,
				 &columns[*n]);
		if (!rc &&
		    x->columns.at[columns[*n]].texts.n + LOG_ATTRIBUTES_MAX > LOG_STRINGS_MAX)
			rc = -E2BIG;
		++*n;
	}
	return rc;
}

static int hash_packed(struct details_encoder *x, struct str fields)
{
	struct attributes all = {0};
	int rc = otlp_attributes_read(&all, fields, OTLP_LOG_ATTRIBUTES, x->a);

	for (uint32_t i = 0; !rc && i < all.list.n; i++) {
		struct new_column c = {.key = all.list.at[i].key};

		rc = hash_value(x, &c, &all.list.at[i].value);
	}
	return rc == -ENOMEM ? rc : 0;
}

static int list_all_attributes(struct details_encoder *x)
{
	uint32_t columns[2][LOG_ATTRIBUTES_MAX], n[2] = {0};
	struct value values[LOG_ATTRIBUTES_MAX];
	int rc = idset_init(&x->column_index, x->a, 16);

	if (!rc)
		rc = idset_init(&x->shape_index, x->a, 16);
	for (uint32_t i = 0; !rc && i < x->n; i++) {
		uint32_t *at = columns[i % 2], *count = &n[i % 2], last = n[1 - i % 2];
		struct str fields = x->p->records[i].attributes;

		rc = list_attributes(x, fields, columns[1 - i % 2], last, values, at, count);
		if (rc == -E2BIG) {
			values[0] = (struct value){.kind = VALUE_BYTES, .s = fields};
			rc = find_column(x, STR(""), LOG_ATTRIBUTE_PACKED, UINT32_MAX, &at[0]);
			*count = 1;
			if (!rc)
				rc = vec_push(x->a, &x->columns.at[at[0]].texts, fields);
			if (!rc)
				rc = hash_packed(x, fields);
		} else {
			for (uint32_t k = 0; !rc && k < *count; k++)
				rc = add_value(x, &x->columns.at[at[k]], &values[k]);
		}
		if (!rc && i && *count == last &&
		    memcmp(at, columns[1 - i % 2], last * sizeof(*at)) == 0)
			x->numbers[i] = x->numbers[i - 1];
		else if (!rc)
			rc = find_shape(x, at, *count, 0, &x->numbers[i]);
	}
	return rc;
}

static int put_column(struct details_encoder *x, const struct new_column *c)
{
	column_put_str(x->out, c->key);
	column_put_varint(x->out, c->kind);
	column_put_varint(x->out, c->kind == VALUE_EMPTY ? 0 : c->texts.n + c->numbers.n);
	if (c->kind == VALUE_STRING)
		return put_strings(x, c->texts.at, c->texts.n);
	log_numbers_put(x->out, c->numbers.at, c->numbers.n);
	for (uint32_t i = 0; i < c->texts.n; i++)
		x->numbers[i] = c->texts.at[i].n;
	log_numbers_put(x->out, x->numbers, c->texts.n);
	for (uint32_t i = 0; i < c->texts.n; i++)
		buf_put_str(x->out, c->texts.at[i]);
	return 0;
}

static int put_attributes(struct details_encoder *x)
{
	uint32_t most = 0;
	int rc = list_all_attributes(x);

	if (rc)
		return rc;
	column_put_varint(x->out, x->shapes.n);
	for (uint32_t i = 0; i < x->shapes.n; i++) {
		const struct new_shape *s = &x->shapes.at[i];

		column_put_varint(x->out, s->n);
		for (uint32_t k = 0; k < s->n; k++)
			column_put_varint(x->out, x->shape_columns.at[s->first + k]);
	}
	log_numbers_put(x->out, x->numbers, x->n);
	column_put_varint(x->out, x->columns.n);
	/* a column may have more values than there are records: a key can be repeated */
	for (uint32_t i = 0; i < x->columns.n; i++)
		most = x->columns.at[i].texts.n > most ? x->columns.at[i].texts.n : most;
	x->numbers = arena_alloc(x->a, most + (size_t)1, sizeof(*x->numbers));
	if (!x->numbers)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < x->columns.n; i++)
		rc = put_column(x, &x->columns.at[i]);
	return rc;
}

int log_details_put(struct log_page_packer *p, struct buf *out, const struct kept_log *logs,
		    uint32_t n, struct log_hashes *hashes)
{
	struct details_encoder x = {
		.p = p,
		.a = &p->arena,
		.out = out,
		.logs = logs,
		.n = n,
		.hashes = hashes,
		.numbers = arena_alloc(&p->arena, n + (size_t)1, sizeof(uint64_t)),
		.texts = arena_alloc(&p->arena, n + (size_t)1, sizeof(struct str)),
	};
	int rc = x.numbers && x.texts ? 0 : -ENOMEM;

	if (rc)
		return rc;
	put_times(&x);
	rc = put_texts(&x);
	if (!rc)
		rc = put_ids(&x, offsetof(struct log_record, trace_id), TRACE_ID_SIZE);
	if (!rc)
		rc = put_ids(&x, offsetof(struct log_record, span_id), SPAN_ID_SIZE);
	if (!rc)
		rc = put_attributes(&x);
	buf_fini(&x.text);
	return rc ? rc : buf_error(out);
}
