/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first walk over a dictionary: it counts the rows of each table and notes where they stand, so
 * that each table is reserved once, every index is checked while it is read, and tables can be
 * read in any order, whatever their order on the wire. Strings, which are most of the bytes and refer to
 * nothing, are taken on the way.
 */
#include "format/otlp/decoder.h"
#include "format/otlp/otlp.h"

static const char *const table_names[OTLP_TABLES] = {
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
	return otlp_repair(d, kinds[table], "index %d into %s of %u rows: read as none",
			   (int32_t)index, table_names[table], d->rows[table].count);
}

/* Empty, all fields zero, or a Link whose ids are zeros. */
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
 * Strings that stand one behind the other. Many are looked at as one: tags and lengths of short ones are ASCII
 * themselves.
 */
static int take_strings(struct otlp_decoder *d, struct proto_reader *r)
{
	enum { AT_ONCE = 64 };
	struct profile_batch *b = d->b;
	const uint8_t *at = r->at;
	uint32_t n;

	do {
		const uint8_t *from = at;
		struct str *to;
		int rc = vec_reserve(&b->arena, &b->strings, AT_ONCE);

		if (rc)
			return rc;
		to = b->strings.at + b->strings.n;
		for (n = 0; n < AT_ONCE; n++) {
			__builtin_prefetch(at + PROTO_AHEAD);
			if (!proto_take(&at, r->end, r->tag, &to[n]))
				break;
		}
		if (!otlp_is_ascii(str_of((const char *)from, (size_t)(at - from))))
			for (uint32_t i = 0; i < n; i++)
				d->wide_strings |= !otlp_is_ascii(to[i]);
		b->strings.n += n;
		d->rows[TABLE_STRINGS].count += n;
	} while (n == AT_ONCE);
	r->at = at;
	return 0;
}

/* One that may be the zero row, which the batch has already, and those behind it. */
static int scan_strings(struct otlp_decoder *d, struct proto_reader *r, struct str first)
{
	const struct otlp_rows *rows = &d->rows[TABLE_STRINGS];
	int rc = 0;

	if (rows->count > 1 || rows->real_zero || d->observer) {
		rc = vec_push(&d->b->arena, &d->b->strings, first);
		d->wide_strings |= !otlp_is_ascii(first);
	}
	return rc || d->slowly ? rc : take_strings(d, r);
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
		else if (!d->slowly)
			rows->count += proto_skip_run(&r);
		part->end[table] = r.at;
	}
	return r.error ? proto_fail(&r, d->whole, d->e) : rc;
}

static void place_rows(struct otlp_rows *rows, uint32_t have, bool as_is)
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

static void place_all(struct otlp_decoder *d)
{
	struct profile_batch *b = d->b;
	bool as_is = d->observer != NULL;

	if (d->layout == OTLP_1_7)
		d->rows[TABLE_STACKS] = (struct otlp_rows){0}; /* field 7 has attribute units */
	place_rows(&d->rows[TABLE_MAPPINGS], b->mappings.n, as_is);
	place_rows(&d->rows[TABLE_LOCATIONS], b->locations.n, as_is);
	place_rows(&d->rows[TABLE_FUNCTIONS], b->functions.n, as_is);
	place_rows(&d->rows[TABLE_LINKS], b->links.n, as_is);
	place_rows(&d->rows[TABLE_STRINGS], d->first_string, as_is);
	place_rows(&d->rows[TABLE_ATTRIBUTES], b->attributes.n, as_is);
	place_rows(&d->rows[TABLE_STACKS], b->stacks.n, as_is);
}

int otlp_scan_dictionary(struct otlp_decoder *d, struct str message)
{
	struct proto_reader r = proto_reader_of(message);
	struct profile_batch *b = d->b;
	int rc = 0;

	if (d->observer) /* rows 0 are the sender's */
		b->mappings.n = b->locations.n = b->functions.n = b->links.n = b->strings.n =
			b->attributes.n = b->stacks.n = 0;
	memset(d->rows, 0, sizeof(d->rows));
	d->first_string = b->strings.n;
	d->wide_strings = false;
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
				       "at byte %zu: more than %d dictionaries in a message",
				       (size_t)(bytes.p - d->whole.p), OTLP_MAX_DICTIONARY_PARTS);
		d->parts[d->part_count] = (struct otlp_dictionary_part){.bytes = bytes};
		rc = scan_part(d, &d->parts[d->part_count++]);
	}
	if (!rc && r.error)
		rc = proto_fail(&r, d->whole, d->e);
	if (!rc)
		place_all(d);
	return rc;
}

/* In 1.7 only strings had to begin with a zero row, and there were no stacks. */
int otlp_report_tables(struct otlp_decoder *d)
{
	int rc = 0;

	for (uint32_t t = 1; !rc && t < OTLP_TABLES; t++) {
		if (d->layout == OTLP_1_7 && t != TABLE_STRINGS)
			continue;
		if (!d->rows[t].count)
			rc = otlp_repair(d, REPAIR_MISSING_TABLE, "no %s", table_names[t]);
		else if (d->rows[t].real_zero)
			rc = otlp_repair(d, REPAIR_REAL_ZERO,
					 "%s does not begin with the zero row: rows are shifted",
					 table_names[t]);
	}
	return rc;
}
