/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings and labels of the file. Every attribute, link and resource that samples use is converted
 * to labels once; samples refer to these.
 *
 * A label is text or a number. Numbers keep their unit; a list becomes one label per value; bools,
 * doubles, bytes and maps become text. The number 0 without a unit becomes text, too: as a number
 * it would be encoded like an absent value.
 */
#include "format/pprof/encode/encode_labels.h"

#include <errno.h>

#include "base/container/hash.h"
#include "format/pprof/list_value.h"
#include "format/pprof/schema.h"
#include "wire/json_write.h"
#include "wire/text.h"

/* Nested values deeper than this are written as null; the text is not meant to be decoded. */
enum { MAX_DEPTH = 16 };

int pprof_out_string(struct pprof_encoder *x, struct str s, uint32_t *id)
{
	uint32_t hash = hash32(s);
	struct idset_cursor c = idset_seek(&x->string_index, hash);
	int rc;

	while (idset_next(&x->string_index, &c, id))
		if (str_eq(x->strings.at[*id], s))
			return 0;
	*id = x->strings.n;
	rc = vec_push(&x->arena, &x->strings, s);
	return rc ? rc : idset_add(&x->string_index, hash, *id);
}

int pprof_out_batch_string(struct pprof_encoder *x, uint32_t string, uint32_t *id)
{
	int rc = 0;

	if (!x->string_ids[string]) {
		rc = pprof_out_string(x, string_of(x->b, string), id);
		x->string_ids[string] = *id + 1;
	}
	*id = x->string_ids[string] - 1;
	return rc;
}

static void put_json_value(struct json_writer *w, const struct value *v, unsigned depth);

static void put_json_list(struct json_writer *w, const struct value *v, unsigned depth)
{
	struct proto_reader r = list_value_reader(v);

	json_open_array(w);
	while (proto_next(&r)) {
		if (r.tag != PROTO_TAG(ARRAY_VALUES, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}

		struct value item = any_value_decode(proto_bytes(&r));

		put_json_value(w, &item, depth + 1);
	}
	json_close_array(w);
}

static void put_json_map(struct json_writer *w, const struct value *v, unsigned depth)
{
	struct proto_reader any = proto_reader_of(v->s);

	json_open_object(w);
	while (proto_next(&any)) {
		if (any.tag != PROTO_TAG(ANY_KVLIST, PROTO_BYTES)) {
			proto_skip(&any);
			continue;
		}

		struct proto_reader r = proto_message(&any);

		while (proto_next(&r)) {
			struct str key = {0};
			struct value value = {0};

			if (r.tag != PROTO_TAG(KVLIST_VALUES, PROTO_BYTES)) {
				proto_skip(&r);
				continue;
			}
			key_value_decode(proto_bytes(&r), &key, &value);
			json_put_key(w, key);
			put_json_value(w, &value, depth + 1);
		}
	}
	json_close_object(w);
}

/* Recursion is bounded by MAX_DEPTH. NOLINTNEXTLINE(misc-no-recursion) */
static void put_json_value(struct json_writer *w, const struct value *v, unsigned depth)
{
	if (depth == MAX_DEPTH) {
		json_put_null(w);
		return;
	}
	switch (v->kind) {
	case VALUE_STRING:
		json_put_string(w, v->s);
		break;
	case VALUE_BOOL:
		json_put_bool(w, v->i != 0);
		break;
	case VALUE_INT:
		json_put_i64(w, v->i);
		break;
	case VALUE_DOUBLE:
		json_put_double(w, v->d);
		break;
	case VALUE_LIST:
		put_json_list(w, v, depth);
		break;
	case VALUE_MAP:
		put_json_map(w, v, depth);
		break;
	case VALUE_BYTES:
		buf_put_char(w->out, '"');
		hex_encode(w->out, v->s);
		buf_put_char(w->out, '"');
		w->needs_comma = true;
		w->after_key = false;
		break;
	default:
		json_put_null(w);
	}
}

int pprof_value_text(struct pprof_encoder *x, const struct value *v, struct str *out)
{
	struct buf text;
	struct json_writer w = json_writer_to(&text, 0);
	int rc;

	if (v->kind == VALUE_STRING) {
		*out = v->s;
		return 0;
	}
	buf_init(&text, x->arena.budget);
	if (v->kind == VALUE_BYTES)
		hex_encode(&text, v->s);
	else if (v->kind != VALUE_EMPTY)
		put_json_value(&w, v, 0);
	rc = buf_error(&text);
	if (!rc)
		rc = arena_copy_str(&x->arena, buf_str(&text), out);
	buf_fini(&text);
	return rc;
}

static int append_label(struct pprof_encoder *x, uint32_t key, const struct value *v, uint32_t unit)
{
	struct out_label label = {.key = key, .unit = unit};
	struct str text;
	int rc = 0;

	if (v->kind == VALUE_INT && (v->i || unit)) {
		label.num = v->i;
	} else if (v->kind != VALUE_EMPTY) {
		rc = pprof_value_text(x, v, &text);
		if (!rc)
			rc = pprof_out_string(x, text, &label.str);
	}
	return rc ? rc : vec_push(&x->arena, &x->labels, label);
}

static int add_list_labels(struct pprof_encoder *x, uint32_t key, const struct value *list,
			   uint32_t unit)
{
	struct proto_reader r = list_value_reader(list);
	struct list_item item;
	int rc = 0;

	while (!rc && list_value_next(&r, &item)) {
		uint32_t own = unit;

		if (item.unit.n)
			rc = pprof_out_string(x, item.unit, &own);
		if (!rc)
			rc = append_label(x, key, &item.value, own);
	}
	return rc;
}

static int add_value_labels(struct pprof_encoder *x, uint32_t key, const struct value *v,
			    uint32_t unit)
{
	return v->kind == VALUE_LIST ? add_list_labels(x, key, v, unit)
				     : append_label(x, key, v, unit);
}

int pprof_make_attribute_labels(struct pprof_encoder *x, uint32_t attribute)
{
	const struct attribute *a = &x->b->attributes.at[attribute];
	struct list *out = &x->attribute_labels[attribute];
	uint32_t key, unit;
	int rc;

	if (out->at || !attribute)
		return 0;
	out->at = x->labels.n + 1;
	rc = pprof_out_batch_string(x, a->key, &key);
	if (!rc)
		rc = pprof_out_batch_string(x, a->unit, &unit);
	if (!rc)
		rc = add_value_labels(x, key, &a->value, unit);
	out->n = x->labels.n + 1 - out->at;
	return rc;
}

static int add_id_label(struct pprof_encoder *x, struct str key, const uint8_t *id, size_t n)
{
	struct value bytes = {.kind = VALUE_BYTES, .s = {(const char *)id, n}};
	uint8_t any = 0;
	uint32_t string;
	int rc;

	for (size_t i = 0; i < n; i++)
		any |= id[i];
	if (!any)
		return 0;
	rc = pprof_out_string(x, key, &string);
	return rc ? rc : append_label(x, string, &bytes, 0);
}

int pprof_make_link_labels(struct pprof_encoder *x, uint32_t link)
{
	const struct link *l = &x->b->links.at[link];
	struct list *out = &x->link_labels[link];
	int rc;

	if (out->at || !link)
		return 0;
	out->at = x->labels.n + 1;
	rc = add_id_label(x, PPROF_LABEL_TRACE_ID, l->trace_id, sizeof(l->trace_id));
	if (!rc)
		rc = add_id_label(x, PPROF_LABEL_SPAN_ID, l->span_id, sizeof(l->span_id));
	out->n = x->labels.n + 1 - out->at;
	return rc;
}

bool pprof_is_common_attribute(const struct profile_batch *b, const struct keyvalue *pair)
{
	for (uint32_t i = 0; i < b->resources.n; i++) {
		const struct value *v =
			profile_find_keyvalue(b, b->resources.at[i].attributes, pair->key);

		if (!v || !value_eq(v, &pair->value))
			return false;
	}
	return true;
}

static uint32_t hash_out_labels(const struct out_label *labels, uint32_t n)
{
	uint32_t hash = n;

	for (uint32_t i = 0; i < n; i++) {
		hash = hash_u64((uint64_t)hash << 32 | labels[i].key) ^ labels[i].str;
		hash = hash_u64((uint64_t)hash << 32 | labels[i].unit) ^
		       hash_u64((uint64_t)labels[i].num);
	}
	return hash;
}

static bool equal_labels(const struct out_label *a, const struct out_label *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (a[i].key != b[i].key || a[i].str != b[i].str || a[i].unit != b[i].unit ||
		    a[i].num != b[i].num)
			return false;
	return true;
}

/* Return the labels of a resource; l.at counts from 1. */
static const struct out_label *resource_labels(const struct pprof_encoder *x, struct list l)
{
	return l.n ? x->labels.at + (l.at - 1) : NULL;
}

/*
 * Set the class of a resource: the first one with equal labels, so that their samples can be
 * joined.
 */
static int classify_resource(struct pprof_encoder *x, struct idset *index, uint32_t resource)
{
	struct list own = x->resource_labels[resource];
	const struct out_label *labels = resource_labels(x, own);
	uint32_t hash = hash_out_labels(labels, own.n), other;
	struct idset_cursor c = idset_seek(index, hash);

	while (idset_next(index, &c, &other)) {
		struct list l = x->resource_labels[other];

		if (l.n == own.n && equal_labels(resource_labels(x, l), labels, own.n)) {
			x->resource_class[resource] = other;
			return 0;
		}
	}
	x->resource_class[resource] = resource;
	return idset_add(index, hash, resource);
}

static int make_labels_of_resource(struct pprof_encoder *x, uint32_t resource)
{
	struct list attributes = x->b->resources.at[resource].attributes;
	struct list *out = &x->resource_labels[resource];
	int rc = 0;

	out->at = x->labels.n + 1;
	for (uint32_t i = 0; !rc && i < attributes.n; i++) {
		const struct keyvalue *pair = &x->b->keyvalues.at[attributes.at + i];
		uint32_t key;

		if (pprof_is_common_attribute(x->b, pair))
			continue; /* becomes a comment of the file: encode_header.c */
		rc = pprof_out_string(x, pair->key, &key);
		if (!rc)
			rc = add_value_labels(x, key, &pair->value, 0);
	}
	out->n = x->labels.n + 1 - out->at;
	return rc;
}

int pprof_make_resource_labels(struct pprof_encoder *x)
{
	struct idset index;
	int rc = idset_init(&index, &x->arena, x->b->resources.n);

	for (uint32_t i = 0; !rc && i < x->b->resources.n; i++) {
		rc = make_labels_of_resource(x, i);
		if (!rc)
			rc = classify_resource(x, &index, i);
	}
	return rc;
}
