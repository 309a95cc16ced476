/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the label snapshot in two passes: strings first, because contexts refer to them by id. */
#include "format/jfr/labels.h"

#include <errno.h>

#include "base/container/hash.h"
#include "format/jfr/text.h"
#include "wire/compress/compress.h"
#include "wire/proto.h"

enum {
	FIELD_CONTEXTS = 1, /* of the snapshot */
	FIELD_STRINGS = 2,
	FIELD_LABELS = 1, /* of a context */
	FIELD_KEY = 1,	  /* of a map's entry */
	FIELD_VALUE = 2,
	LABELS_MAX = 128, /* labels of one context; each sample of the context has all of them */
};

struct map_entry {
	int64_t key, number;
	struct str bytes;
};

static struct map_entry read_entry(struct proto_reader *map)
{
	struct proto_reader r = proto_message(map);
	struct map_entry entry = {0};

	while (proto_next(&r))
		switch (r.tag) {
		case PROTO_TAG(FIELD_KEY, PROTO_VARINT):
			entry.key = (int64_t)proto_varint(&r);
			break;
		case PROTO_TAG(FIELD_VALUE, PROTO_VARINT):
			entry.number = (int64_t)proto_varint(&r);
			break;
		case PROTO_TAG(FIELD_VALUE, PROTO_BYTES):
			entry.bytes = proto_bytes(&r);
			break;
		default:
			proto_skip(&r);
		}
	if (r.error && !map->error) {
		map->error = r.error;
		map->error_at = r.error_at;
		map->at = map->end;
	}
	return entry;
}

static int read_texts(struct jfr_labels *l, struct str message, struct err *e)
{
	struct proto_reader r = proto_reader_of(message);
	int rc = 0;

	while (!rc && proto_next(&r)) {
		if (r.tag != PROTO_TAG(FIELD_STRINGS, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}

		struct map_entry entry = read_entry(&r);
		struct jfr_label_text row = {.id = entry.key};

		rc = jfr_text_repair(l->arena, entry.bytes, &row.text);
		if (!rc)
			rc = vec_push(l->arena, &l->texts, row);
		if (!rc)
			rc = idset_add(&l->text_index, hash_u64((uint64_t)row.id), l->texts.n - 1);
	}
	return rc ? rc : r.error ? proto_fail(&r, message, e) : 0;
}

/* Add a label unless the context has one with that key. */
static int add_label(struct jfr_labels *l, struct profile_builder *b, struct jfr_context *context,
		     struct map_entry label)
{
	struct str key = jfr_label_text(l, (uint64_t)label.key);
	struct str value = jfr_label_text(l, (uint64_t)label.number);
	uint32_t id;
	int rc;

	if (!key.n || context->attributes.n == LABELS_MAX ||
	    profile_find_attribute(b->batch, l->attributes.at + context->attributes.at,
				   context->attributes.n, key))
		return 0;
	rc = profile_add_attribute(b, key, VALUE_OF_STR(value), STR(""), &id);
	if (!rc)
		rc = vec_push(l->arena, &l->attributes, id);
	if (!rc)
		context->attributes.n++;
	return rc;
}

static int read_context(struct jfr_labels *l, struct profile_builder *b, struct map_entry entry,
			struct str message, struct err *e)
{
	struct jfr_context context = {.id = entry.key, .attributes = {l->attributes.n, 0}};
	struct proto_reader r = proto_reader_of(entry.bytes);
	int rc = 0;

	while (!rc && proto_next(&r))
		if (r.tag == PROTO_TAG(FIELD_LABELS, PROTO_BYTES)) {
			struct map_entry label = read_entry(&r);

			if (!r.error)
				rc = add_label(l, b, &context, label);
		} else {
			proto_skip(&r);
		}
	if (!rc && r.error)
		rc = proto_fail(&r, message, e);
	if (!rc)
		rc = vec_push(l->arena, &l->contexts, context);
	return rc ? rc
		  : idset_add(&l->context_index, hash_u64((uint64_t)context.id), l->contexts.n - 1);
}

static int read_contexts(struct jfr_labels *l, struct profile_builder *b, struct str message,
			 struct err *e)
{
	struct proto_reader r = proto_reader_of(message);
	int rc = 0;

	while (!rc && proto_next(&r)) {
		if (r.tag != PROTO_TAG(FIELD_CONTEXTS, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}

		struct map_entry entry = read_entry(&r);

		if (!r.error)
			rc = read_context(l, b, entry, message, e);
	}
	return rc ? rc : r.error ? proto_fail(&r, message, e) : 0;
}

int jfr_labels_read(struct jfr_labels *labels, struct arena *arena, struct profile_builder *builder,
		    struct str snapshot, struct err *e)
{
	enum compress_kind kind = compress_detect(snapshot);
	int rc;

	*labels = (struct jfr_labels){.arena = arena, .given = snapshot.n > 0};
	rc = idset_init(&labels->text_index, arena, 0);
	if (!rc)
		rc = idset_init(&labels->context_index, arena, 0);
	if (!rc && kind == COMPRESS_GZIP)
		rc = decompress_bytes(kind, snapshot, arena, NULL, &snapshot, e);
	if (!rc)
		rc = read_texts(labels, snapshot, e);
	if (!rc)
		rc = read_contexts(labels, builder, snapshot, e);
	if (rc && rc != -ENOMEM)
		err_prefix(e, "label snapshot");
	return rc;
}

const uint32_t *jfr_labels_of(const struct jfr_labels *labels, uint64_t context, uint32_t *n)
{
	struct idset_cursor c = idset_seek(&labels->context_index, hash_u64(context));
	uint32_t i;

	*n = 0;
	while (idset_next(&labels->context_index, &c, &i))
		if (labels->contexts.at[i].id == (int64_t)context) {
			*n = labels->contexts.at[i].attributes.n;
			return labels->attributes.at + labels->contexts.at[i].attributes.at;
		}
	return NULL;
}

struct str jfr_label_text(const struct jfr_labels *labels, uint64_t id)
{
	struct idset_cursor c = idset_seek(&labels->text_index, hash_u64(id));
	uint32_t i;

	while (idset_next(&labels->text_index, &c, &i))
		if (labels->texts.at[i].id == (int64_t)id)
			return labels->texts.at[i].text;
	return (struct str){0};
}
