/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mappings, functions and locations of the file: those that rows use, numbered from 1 in the order
 * of first use. Exception: go tool pprof treats the first mapping as the main program, so the first
 * one that looks like a program is moved to the front.
 */
#include "format/pprof/encode/encode_tables.h"

#include <errno.h>

#include "format/pprof/encode/encode_labels.h"
#include "format/pprof/schema.h"

/* Assign the next id to a row on first use. */
static int assign_id(struct pprof_encoder *x, struct out_table *table, uint32_t row)
{
	int rc;

	if (table->ids[row])
		return 0;
	rc = vec_push(&x->arena, table, row);
	table->ids[row] = table->n;
	return rc;
}

static int plan_row(struct pprof_encoder *x, const struct out_row *row)
{
	const struct profile_batch *b = x->b;
	uint32_t n, s = row->sample;
	const uint32_t *locations = stack_of(b, b->sample_stack[s], &n);
	int rc = pprof_make_link_labels(x, b->sample_link[s]);

	for (uint32_t i = 0; !rc && i < n; i++)
		rc = assign_id(x, &x->locations, locations[i]);
	for (uint32_t i = b->sample_attributes_at[s]; !rc && i < b->sample_attributes_at[s + 1];
	     i++)
		rc = pprof_make_attribute_labels(x, b->sample_attributes.at[i]);
	return rc;
}

/*
 * Return whether the line has content. Empty lines are dropped: pprof requires a function in each.
 */
static bool has_content(const struct line *l)
{
	return l->function || l->line || l->column;
}

static int plan_location(struct pprof_encoder *x, const struct location *l)
{
	int rc = 0;

	if (l->mapping)
		rc = assign_id(x, &x->mappings, l->mapping);
	for (uint32_t i = 0; !rc && i < l->lines.n; i++) {
		const struct line *line = &x->b->lines.at[l->lines.at + i];

		if (has_content(line))
			rc = assign_id(x, &x->functions, line->function);
	}
	return rc;
}

static int plan_function(struct pprof_encoder *x, const struct function *f)
{
	uint32_t id;
	int rc = pprof_out_batch_string(x, f->name, &id);

	if (!rc)
		rc = pprof_out_batch_string(x, f->system_name, &id);
	return rc ? rc : pprof_out_batch_string(x, f->filename, &id);
}

static const struct attribute *mapping_attribute(const struct pprof_encoder *x, uint32_t mapping,
						 struct str key)
{
	struct list l = x->b->mappings.at[mapping].attributes;

	return profile_find_attribute(x->b, x->b->attribute_refs.at + l.at, l.n, key);
}

/* Return the GNU build id of a mapping, else its Go or htlhash build id, else "". */
static struct str build_id(const struct pprof_encoder *x, uint32_t mapping)
{
	const struct str keys[] = {PPROF_ATTR_BUILD_ID, PPROF_ATTR_BUILD_ID_GO,
				   PPROF_ATTR_BUILD_ID_HTLHASH};

	for (size_t i = 0; i < countof(keys); i++) {
		const struct attribute *a = mapping_attribute(x, mapping, keys[i]);

		if (a && a->value.kind == VALUE_STRING && a->value.s.n)
			return a->value.s;
	}
	return STR("");
}

static int plan_mapping(struct pprof_encoder *x, uint32_t mapping)
{
	uint32_t id;
	int rc = pprof_out_batch_string(x, x->b->mappings.at[mapping].filename, &id);

	return rc ? rc : pprof_out_string(x, build_id(x, mapping), &id);
}

/*
 * Return whether ".so" ends the name or precedes [._] and a digit: a library by google/pprof's
 * rule.
 */
static bool is_library_name(struct str file)
{
	for (size_t at = str_find_str(file, STR(".so")); at < file.n;) {
		struct str rest = str_from_at(file, at + 3);

		if (!rest.n)
			return true;
		if (rest.n > 1 && (rest.p[0] == '.' || rest.p[0] == '_') && rest.p[1] >= '0' &&
		    rest.p[1] <= '9')
			return true;

		size_t next = str_find_str(rest, STR(".so"));

		at = next < rest.n ? at + 3 + next : file.n;
	}
	return false;
}

static void move_main_mapping(struct pprof_encoder *x)
{
	for (uint32_t i = 0; i < x->mappings.n; i++) {
		uint32_t row = x->mappings.at[i];
		struct str file = string_of(x->b, x->b->mappings.at[row].filename);

		if (!file.n || file.p[0] == '[' || is_library_name(file))
			continue;
		memmove(x->mappings.at + 1, x->mappings.at, i * sizeof(*x->mappings.at));
		x->mappings.at[0] = row;
		break;
	}
	for (uint32_t i = 0; i < x->mappings.n; i++)
		x->mappings.ids[x->mappings.at[i]] = i + 1;
}

int pprof_plan_tables(struct pprof_encoder *x)
{
	const struct profile_batch *b = x->b;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < x->rows.n; i++)
		rc = plan_row(x, &x->rows.at[i]);
	for (uint32_t i = 0; !rc && i < x->locations.n; i++)
		rc = plan_location(x, &b->locations.at[x->locations.at[i]]);
	for (uint32_t i = 0; !rc && i < x->functions.n; i++)
		rc = plan_function(x, &b->functions.at[x->functions.at[i]]);
	for (uint32_t i = 0; !rc && i < x->mappings.n; i++)
		rc = plan_mapping(x, x->mappings.at[i]);
	if (!rc)
		move_main_mapping(x);
	return rc;
}

/* Return the id of a string of the batch that was added when the tables were planned. */
static uint32_t planned_string(const struct pprof_encoder *x, uint32_t string)
{
	return x->string_ids[string] - 1;
}

void pprof_write_functions(struct pprof_encoder *x, struct proto_writer *w)
{
	for (uint32_t i = x->functions.n; i-- > 0;) {
		const struct function *f = &x->b->functions.at[x->functions.at[i]];
		size_t end = proto_mark(w);

		proto_put_int(w, PPROF_FUNCTION_START_LINE, f->start_line);
		proto_put_uint(w, PPROF_FUNCTION_FILENAME, planned_string(x, f->filename));
		proto_put_uint(w, PPROF_FUNCTION_SYSTEM_NAME, planned_string(x, f->system_name));
		proto_put_uint(w, PPROF_FUNCTION_NAME, planned_string(x, f->name));
		proto_put_uint(w, PPROF_FUNCTION_ID, i + 1);
		proto_put_header(w, PPROF_FUNCTION, end);
	}
}

static void write_line(struct pprof_encoder *x, struct proto_writer *w, const struct line *l)
{
	size_t end = proto_mark(w);

	proto_put_int(w, PPROF_LINE_COLUMN, l->column);
	proto_put_int(w, PPROF_LINE_LINE, l->line);
	proto_put_uint(w, PPROF_LINE_FUNCTION, x->functions.ids[l->function]);
	proto_put_header(w, PPROF_LOCATION_LINE, end);
}

static bool is_true(const struct attribute *a)
{
	return a && a->value.kind == VALUE_BOOL && a->value.i;
}

void pprof_write_locations(struct pprof_encoder *x, struct proto_writer *w)
{
	const struct profile_batch *b = x->b;

	for (uint32_t i = x->locations.n; i-- > 0;) {
		const struct location *l = &b->locations.at[x->locations.at[i]];
		const uint32_t *refs = b->attribute_refs.at + l->attributes.at;
		size_t end = proto_mark(w);

		if (l->attributes.n &&
		    is_true(profile_find_attribute(b, refs, l->attributes.n, PPROF_ATTR_IS_FOLDED)))
			proto_put_uint(w, PPROF_LOCATION_IS_FOLDED, 1);
		for (uint32_t k = l->lines.n; k-- > 0;)
			if (has_content(&b->lines.at[l->lines.at + k]))
				write_line(x, w, &b->lines.at[l->lines.at + k]);
		proto_put_uint(w, PPROF_LOCATION_ADDRESS, l->address);
		if (l->mapping)
			proto_put_uint(w, PPROF_LOCATION_MAPPING, x->mappings.ids[l->mapping]);
		proto_put_uint(w, PPROF_LOCATION_ID, i + 1);
		proto_put_header(w, PPROF_LOCATION, end);
	}
}

enum {
	HAS_FUNCTIONS = 1,
	HAS_FILENAMES = 2,
	HAS_LINE_NUMBERS = 4,
	HAS_INLINE_FRAMES = 8,
};

/*
 * Derive the flags of a mapping that does not come from pprof from its symbols, so that go tool
 * pprof does not look for a binary when all names are known.
 */
static unsigned derive_flags(const struct pprof_encoder *x, uint32_t mapping)
{
	unsigned all = HAS_FUNCTIONS | HAS_FILENAMES | HAS_LINE_NUMBERS, any = 0;

	for (uint32_t i = 0; i < x->locations.n; i++) {
		const struct location *l = &x->b->locations.at[x->locations.at[i]];

		if (l->mapping != mapping)
			continue;
		if (!l->lines.n)
			return 0;
		if (l->lines.n > 1)
			any = HAS_INLINE_FRAMES;
		for (uint32_t k = 0; k < l->lines.n; k++) {
			const struct line *line = &x->b->lines.at[l->lines.at + k];
			const struct function *f = &x->b->functions.at[line->function];

			if (!f->name)
				all &= ~(unsigned)HAS_FUNCTIONS;
			if (!f->filename)
				all &= ~(unsigned)HAS_FILENAMES;
			if (!line->line)
				all &= ~(unsigned)HAS_LINE_NUMBERS;
		}
	}
	return all | any;
}

static unsigned mapping_flags(const struct pprof_encoder *x, uint32_t mapping)
{
	const struct str keys[PPROF_MAPPING_FLAGS] = {
		PPROF_ATTR_HAS_FUNCTIONS,
		PPROF_ATTR_HAS_FILENAMES,
		PPROF_ATTR_HAS_LINE_NUMBERS,
		PPROF_ATTR_HAS_INLINE_FRAMES,
	};
	unsigned flags = 0;

	if (!mapping_attribute(x, mapping, PPROF_ATTR_HAS_FUNCTIONS))
		return derive_flags(x, mapping);
	for (unsigned i = 0; i < PPROF_MAPPING_FLAGS; i++)
		if (is_true(mapping_attribute(x, mapping, keys[i])))
			flags |= 1u << i;
	return flags;
}

void pprof_write_mappings(struct pprof_encoder *x, struct proto_writer *w)
{
	for (uint32_t i = x->mappings.n; i-- > 0;) {
		uint32_t row = x->mappings.at[i], id = 0;
		const struct mapping *m = &x->b->mappings.at[row];
		unsigned flags = mapping_flags(x, row);
		size_t end = proto_mark(w);

		for (uint32_t k = PPROF_MAPPING_FLAGS; k-- > 0;)
			proto_put_uint(w, PPROF_MAPPING_HAS_FUNCTIONS + k, flags >> k & 1);
		if (pprof_out_string(x, build_id(x, row), &id)) /* planned before, so found */
			id = 0;
		proto_put_uint(w, PPROF_MAPPING_BUILD_ID, id);
		proto_put_uint(w, PPROF_MAPPING_FILENAME, planned_string(x, m->filename));
		proto_put_uint(w, PPROF_MAPPING_OFFSET, m->offset);
		proto_put_uint(w, PPROF_MAPPING_LIMIT, m->limit);
		proto_put_uint(w, PPROF_MAPPING_START, m->start);
		proto_put_uint(w, PPROF_MAPPING_ID, i + 1);
		proto_put_header(w, PPROF_MAPPING, end);
	}
}
