/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first pass over a dictionary. It counts the rows of each table and records where they are, so
 * that each table is allocated once, every index is checked while it is read, and tables can be
 * decoded in order of their dependencies, whatever their order on the wire. Strings, which are most
 * of the bytes and refer to no other table, are appended to the batch in this pass.
 */
#include "format/otlp/decode/scan.h"

#include "format/otlp/decode/decode.h"
#include "format/otlp/decode/rows.h"
#include "format/otlp/utf8_repair.h"

/*
 * Return whether a row is empty, has only zero fields, or is a Link whose ids are all zero bytes.
 */
static bool is_zero_row(enum otlp_table table, struct str row)
{
	struct proto_reader r = proto_reader_of(row);

	if (table == TABLE_STRINGS)
		return !row.n;
	while (proto_next(&r)) {
		if ((r.tag & 7) == PROTO_VARINT) {
			if (proto_varint(&r))
				return false;
			continue;
		}
		if ((r.tag & 7) != PROTO_BYTES)
			return false;

		struct str bytes = proto_bytes(&r);

		for (size_t i = 0; i < bytes.n; i++)
			if (bytes.p[i] || table != TABLE_LINKS)
				return false;
	}
	return true;
}

/*
 * Append the run of consecutive strings at the reader. The ASCII check covers many strings at once,
 * including their tags and lengths, which are below 0x80 for short strings.
 */
static int scan_string_run(struct otlp_decoder *d, struct proto_reader *r)
{
	enum { BATCH = 64 };
	struct profile_batch *b = d->b;
	const uint8_t *at = r->at;
	uint32_t n;

	do {
		const uint8_t *from = at;
		struct str *to;
		int rc = vec_reserve(&b->arena, &b->strings, BATCH);

		if (rc)
			return rc;
		to = b->strings.at + b->strings.n;
		for (n = 0; n < BATCH; n++) {
			__builtin_prefetch(at + PROTO_AHEAD);
			if (!proto_next_short(&at, r->end, r->tag, &to[n]))
				break;
		}
		if (!otlp_is_ascii(str_of((const char *)from, (size_t)(at - from))))
			for (uint32_t i = 0; i < n; i++)
				d->non_ascii_strings |= !otlp_is_ascii(to[i]);
		b->strings.n += n;
		d->rows[TABLE_STRINGS].count += n;
	} while (n == BATCH);
	r->at = at;
	return 0;
}

/*
 * Append the string `first`, unless it is the zero row, which the batch already has, and the
 * strings that directly follow it.
 */
static int scan_strings(struct otlp_decoder *d, struct proto_reader *r, struct str first)
{
	const struct otlp_rows *rows = &d->rows[TABLE_STRINGS];
	int rc = 0;

	if (rows->count > 1 || rows->real_zero || d->observer) {
		rc = vec_push(&d->b->arena, &d->b->strings, first);
		d->non_ascii_strings |= !otlp_is_ascii(first);
	}
	return rc || d->no_fast_path ? rc : scan_string_run(d, r);
}

static int scan_part(struct otlp_decoder *d, struct otlp_dictionary_part *part)
{
	struct proto_reader r = proto_reader_of(part->bytes);
	const uint8_t *at = r.at;
	int rc = 0;

	for (; !rc && proto_next(&r); at = r.at) {
		uint32_t table = proto_field(&r);

		if ((r.tag & 7) != PROTO_BYTES || table >= OTLP_TABLES) {
			proto_skip(&r);
			continue;
		}

		struct str row = proto_bytes(&r);
		struct otlp_rows *rows = &d->rows[table];

		if (!part->first[table])
			part->first[table] = at;
		if (!rows->count++)
			rows->real_zero = !is_zero_row((enum otlp_table)table, row);
		if (table == TABLE_STRINGS)
			rc = scan_strings(d, &r, row);
		else if (!d->no_fast_path)
			rows->count += proto_skip_run(&r);
		part->end[table] = r.at;
	}
	return r.error ? proto_fail(&r, d->whole, d->e) : rc;
}

/*
 * Set limit, offset and zero of a table; the batch has `have` rows. `as_is` is set with an
 * observer: all indices are accepted and equal rows.
 */
static void set_offsets(struct otlp_rows *rows, uint32_t have, bool as_is)
{
	rows->limit = rows->count ? rows->count : 1;
	if (as_is) {
		rows->limit = UINT32_MAX;
		return;
	}
	if (rows->real_zero) {
		rows->offset = rows->zero = have;
	} else {
		rows->offset = have - 1;
		rows->zero = 0;
	}
}

static void set_all_offsets(struct otlp_decoder *d)
{
	struct profile_batch *b = d->b;
	bool as_is = d->observer != NULL;

	if (d->layout == OTLP_1_7)
		d->rows[TABLE_STACKS] = (struct otlp_rows){0}; /* field 7 holds attribute units */
	set_offsets(&d->rows[TABLE_MAPPINGS], b->mappings.n, as_is);
	set_offsets(&d->rows[TABLE_LOCATIONS], b->locations.n, as_is);
	set_offsets(&d->rows[TABLE_FUNCTIONS], b->functions.n, as_is);
	set_offsets(&d->rows[TABLE_LINKS], b->links.n, as_is);
	set_offsets(&d->rows[TABLE_STRINGS], d->first_string, as_is);
	set_offsets(&d->rows[TABLE_ATTRIBUTES], b->attributes.n, as_is);
	set_offsets(&d->rows[TABLE_STACKS], b->stacks.n, as_is);
}

int otlp_scan_dictionary(struct otlp_decoder *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct profile_batch *b = d->b;
	int rc = 0;

	if (d->observer) /* row 0 of each table comes from the sender */
		b->mappings.n = b->locations.n = b->functions.n = b->links.n = b->strings.n =
			b->attributes.n = b->stacks.n = 0;
	memset(d->rows, 0, sizeof(d->rows));
	d->first_string = b->strings.n;
	d->non_ascii_strings = false;
	d->part_count = 0;
	d->has_profiles = false;
	while (!rc && proto_next(&r)) {
		d->has_profiles |= r.tag == PROTO_TAG(1, PROTO_BYTES);
		if (r.tag != PROTO_TAG(2, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}

		struct str bytes = proto_bytes(&r);

		if (!bytes.n)
			continue;
		if (d->part_count == OTLP_MAX_DICTIONARY_PARTS)
			return err_set(d->e, -E2BIG,
				       "at byte %zu: more than %d dictionaries in one message",
				       (size_t)(bytes.p - d->whole.p), OTLP_MAX_DICTIONARY_PARTS);
		d->parts[d->part_count] = (struct otlp_dictionary_part){.bytes = bytes};
		rc = scan_part(d, &d->parts[d->part_count++]);
	}
	if (!rc && r.error)
		rc = proto_fail(&r, d->whole, d->e);
	if (!rc)
		set_all_offsets(d);
	return rc;
}

/* In 1.7 only the string table had to begin with a zero row, and there was no stack table. */
int otlp_report_tables(struct otlp_decoder *d)
{
	int rc = 0;

	for (uint32_t t = 1; !rc && t < OTLP_TABLES; t++) {
		if (d->layout == OTLP_1_7 && t != TABLE_STRINGS)
			continue;
		if (!d->rows[t].count)
			rc = otlp_repair(d, REPAIR_MISSING_TABLE, "no %s", otlp_table_names[t]);
		else if (d->rows[t].real_zero)
			rc = otlp_repair(d, REPAIR_REAL_ZERO,
					 "%s does not begin with the zero row: rows are shifted",
					 otlp_table_names[t]);
	}
	return rc;
}
