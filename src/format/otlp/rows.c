/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed lists of indices: the locations of stacks, the attributes of everything. They are a large part
 * of any message, in varints of one to three bytes at random, so that reading byte by byte would
 * mostly wait for mispredicted branches. Here eight bytes are taken at a time: the bytes without
 * a continuation bit say where the varints in them end.
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

/* One varint, where eight bytes at a time cannot be had: at the end of the input, or very long ones. */
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

int otlp_read_rows_into(struct otlp_decoder *d, enum otlp_table table, struct str bytes,
			uint32_t **at, uint32_t *n, uint32_t *cap)
{
	const uint8_t *p = (const uint8_t *)bytes.p, *end = p + bytes.n;
	const uint8_t *input_end = (const uint8_t *)d->whole.p + d->whole.n;
	const uint32_t limit = d->rows[table].limit, offset = d->rows[table].offset,
		       zero = d->rows[table].zero;
	uint32_t *to;
	int rc = 0;

	/* an index is a byte at least: one look at the room is enough for the whole list */
	if (unlikely(*cap - *n < bytes.n)) {
		rc = vec_grow(&d->b->arena, (void **)at, *n, cap, bytes.n, sizeof(**at));
		if (rc)
			return rc;
	}
	to = *at + *n;
	while (p < end && !rc) {
		uint64_t word, stop = 0;
		unsigned from = 0;

		if (likely(input_end - p >= 8))
			stop = otlp_load_word(p, (size_t)(end - p), &word);
		if (unlikely(!stop)) {
			p = read_slowly(d, table, p, end, to++, &rc);
			continue;
		}
		do {
			unsigned until = (unsigned)__builtin_ctzll(stop) + 1;
			uint32_t index = otlp_join_groups(word >> from, until - from);

			if (unlikely(index >= limit))
				rc = otlp_bad_index(d, table, index, to);
			else
				*to = index ? index + offset : zero;
			to++;
			from = until;
			stop &= stop - 1;
		} while (stop);
		p += from / 8;
	}
	*n = (uint32_t)(to - *at);
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
