/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed lists of indices: the locations of stacks, the attributes of everything. They are a large part
 * of any message, so they are read a window of bytes at a time (wire/varints.h).
 */
#include "format/otlp/decoder.h"

const uint8_t *otlp_varint_long(const uint8_t *p, const uint8_t *end, uint64_t *value)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		if (p >= end)
			return NULL;
		v |= (uint64_t)(*p & 0x7f) << shift;
		if (*p++ < 0x80) {
			*value = v;
			return p;
		}
	}
	return NULL;
}

NO_INLINE int otlp_bad_list(const struct otlp_decoder *d, const uint8_t *at)
{
	return err_set(d->e, -EBADMSG, "at byte %zu: expected a varint, found the end of the list",
		       (size_t)((const char *)at - d->whole.p));
}

/* One varint that is unusual: at the end of the input, very long, none, or out of range. */
static NO_INLINE const uint8_t *read_slowly(struct otlp_decoder *d, enum otlp_table table,
					    const uint8_t *p, const uint8_t *end, uint32_t *to,
					    int *rc)
{
	const uint8_t *item = p;
	uint64_t wire;

	p = otlp_varint(p, end, &wire);
	*rc = p ? otlp_row(d, table, wire, to) : otlp_bad_list(d, item);
	return p;
}

NO_INLINE int otlp_read_numbers_slowly(struct otlp_decoder *d, struct str bytes, uint64_t *fields,
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

	/* an index is a byte at least: one look at the room is enough for the whole list */
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
			l.at = read_slowly(d, table, l.at, l.end, l.out++, &rc);
	}
	*n = (uint32_t)(l.out - *at);
	return rc;
}

enum { FEW = 16 }; /* keys that are compared each with each */

static uint32_t class_of(const struct otlp_decoder *d, uint32_t attribute)
{
	uint32_t i = attribute - d->first_attribute; /* wraps for row 0 */

	return i < d->class_rows ? d->key_class[i] : 0;
}

int otlp_keys_differ(struct otlp_decoder *d, const uint32_t *ids, uint32_t n, bool *differ)
{
	*differ = false;
	if (n <= FEW) {
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

/* The slow way, for the list that is known to be wrong. */
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
			   "an attribute key twice in one list: the first one counts");
}

int otlp_clean_list(struct otlp_decoder *d, uint32_t *ids, uint32_t *n)
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
