/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed lists of indices: locations of stacks, attributes of most messages. They are a large part
 * of any message, so they are decoded a window of bytes at a time (wire/varints.h).
 */
#include "format/otlp/decode/rows.h"

#include "format/otlp/decode/decode.h"

const char *const otlp_table_names[OTLP_TABLES] = {
	[TABLE_MAPPINGS] = "mapping_table",   [TABLE_LOCATIONS] = "location_table",
	[TABLE_FUNCTIONS] = "function_table", [TABLE_LINKS] = "link_table",
	[TABLE_STRINGS] = "string_table",     [TABLE_ATTRIBUTES] = "attribute_table",
	[TABLE_STACKS] = "stack_table",
};

int otlp_bad_index(struct otlp_decoder *d, enum otlp_table table, uint32_t index, uint32_t *row)
{
	static const enum otlp_repair kinds[OTLP_TABLES] = {
		[TABLE_MAPPINGS] = REPAIR_MAPPING_RANGE,
		[TABLE_LOCATIONS] = REPAIR_LOCATION_RANGE,
		[TABLE_FUNCTIONS] = REPAIR_FUNCTION_RANGE,
		[TABLE_LINKS] = REPAIR_LINK_RANGE,
		[TABLE_STRINGS] = REPAIR_STRING_RANGE,
		[TABLE_ATTRIBUTES] = REPAIR_ATTRIBUTE_RANGE,
		[TABLE_STACKS] = REPAIR_STACK_RANGE,
	};

	*row = d->observer ? index : 0;
	return otlp_repair(d, kinds[table], "index %d is out of range [0..%u) of %s: ignored",
			   (int32_t)index, d->rows[table].count, otlp_table_names[table]);
}

NO_INLINE int otlp_bad_list(const struct otlp_decoder *d, const uint8_t *at)
{
	return err_set(d->e, -EBADMSG, "at byte %zu: expected a varint, found the end of the list",
		       (size_t)((const char *)at - d->whole.p));
}

/*
 * Read one index that the fast path rejects: near the end of the input, too long or out of range.
 */
static NO_INLINE const uint8_t *read_index(struct otlp_decoder *d, enum otlp_table table,
					   const uint8_t *p, const uint8_t *end, uint32_t *to,
					   int *rc)
{
	const uint8_t *item = p;
	uint64_t wire;

	p = otlp_varint(p, end, &wire);
	*rc = p ? otlp_row(d, table, wire, to) : otlp_bad_list(d, item);
	return p;
}

NO_INLINE int otlp_read_numbers_general(struct otlp_decoder *d, struct str bytes, uint64_t *fields,
					uint32_t last)
{
	struct proto_reader r = proto_reader_of(bytes);

	memset(fields, 0, (last + 1) * sizeof(*fields));
	while (proto_next(&r))
		if ((r.tag & 7) == PROTO_VARINT && proto_field(&r) <= last)
			fields[proto_field(&r)] = proto_varint(&r);
		else
			proto_skip(&r);
	return r.error ? proto_fail(&r, d->whole, d->e) : 0;
}

int otlp_read_rows_into(struct otlp_decoder *d, enum otlp_table table, struct str bytes,
			uint32_t **at, uint32_t *n, uint32_t *cap)
{
	struct varint_list l = {
		.at = (const uint8_t *)bytes.p,
		.end = (const uint8_t *)bytes.p + bytes.n,
		.readable = (const uint8_t *)d->whole.p + d->whole.n,
		.last = d->rows[table].limit - 1,
		.offset = d->rows[table].offset,
	};
	int rc = 0;

	/* an index takes at least one byte, so one check covers the whole list */
	if (unlikely(*cap - *n < bytes.n + VARINT_ROOM)) {
		rc = vec_grow(&d->b->arena, (void **)at, *n, cap, bytes.n + VARINT_ROOM,
			      sizeof(**at));
		if (rc)
			return rc;
	}
	l.out = *at + *n;
	while (l.at < l.end && !rc) {
		varint_take_indices(&l);
		if (unlikely(l.at < l.end))
			l.at = read_index(d, table, l.at, l.end, l.out++, &rc);
	}
	*n = (uint32_t)(l.out - *at);
	return rc;
}

enum { PAIRWISE_MAX = 16 }; /* up to this many keys are compared pairwise */

static uint32_t class_of(const struct otlp_decoder *d, uint32_t attribute)
{
	uint32_t i = attribute - d->first_attribute; /* wraps for row 0 */

	return i < d->class_rows ? d->key_class[i] : 0;
}

int otlp_keys_differ(struct otlp_decoder *d, const uint32_t *ids, uint32_t n, bool *differ)
{
	*differ = false;
	if (n <= PAIRWISE_MAX) {
		for (uint32_t i = 1; i < n; i++)
			for (uint32_t k = 0; k < i; k++)
				if (class_of(d, ids[i]) == class_of(d, ids[k]))
					return 0;
		*differ = true;
		return 0;
	}
	if (!d->marks) {
		d->marks = arena_zalloc(&d->b->arena, d->classes, sizeof(*d->marks));
		d->mark = 0;
		if (!d->marks)
			return -ENOMEM;
	}
	d->mark++;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *mark = &d->marks[class_of(d, ids[i])];

		if (*mark == d->mark)
			return 0;
		*mark = d->mark;
	}
	*differ = true;
	return 0;
}

/* Remove repeated keys from a list that is known to have some. */
static int drop_repeated_keys(struct otlp_decoder *d, uint32_t *ids, uint32_t *n)
{
	uint32_t *seen = arena_zalloc(&d->b->arena, d->classes, sizeof(*seen)), kept = 0;

	if (!seen)
		return -ENOMEM;
	for (uint32_t i = 0; i < *n; i++) {
		uint32_t class = class_of(d, ids[i]);

		if (!seen[class])
			ids[kept++] = ids[i];
		seen[class] = 1;
	}
	*n = kept;
	return otlp_repair(d, REPAIR_DUPLICATE_KEY,
			   "repeated attribute key in a list: the first one is used");
}

int otlp_repair_attribute_list(struct otlp_decoder *d, uint32_t *ids, uint32_t *n)
{
	uint32_t kept = 0;
	bool differ;
	int rc;

	if (d->observer)
		return 0;
	for (uint32_t i = 0; i < *n; i++)
		if (likely(ids[i]))
			ids[kept++] = ids[i];
	*n = kept;
	if (kept < 2)
		return 0;
	rc = otlp_keys_differ(d, ids, kept, &differ);
	if (!rc && unlikely(!differ))
		rc = drop_repeated_keys(d, ids, n);
	return rc;
}
