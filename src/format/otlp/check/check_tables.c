/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the dictionary's rows: row 0 is zero, indices are in range, numbers are valid. */
#include "format/otlp/check/check_tables.h"

#include <stdio.h>

static const char no_table[] = "empty table, must have at least zero value entry";
static const char no_zero[] = "must have zero value at index 0";

static void check_negative(struct otlp_checker *c, int64_t number, const char *path, uint32_t row,
			   const char *field)
{
	if (number < 0)
		check_must(c, check_text(c, "%lld < 0, must be non-negative", (long long)number),
			   "dictionary.%s[%u].%s", path, row, field);
}

static void check_row_attributes(struct otlp_checker *c, struct list l, const char *table,
				 uint32_t row)
{
	char path[64];

	snprintf(path, sizeof(path), "dictionary.%s[%u].attribute_indices", table, row);
	check_attributes(c, c->b.attribute_refs.at + l.at, l.n, path);
}

static bool has_build_id(struct otlp_checker *c, const struct mapping *m)
{
	static const struct str prefix = STR_INIT("process.executable.build_id.");
	const struct profile_batch *b = &c->b;

	for (uint32_t i = 0; i < m->attributes.n; i++) {
		uint32_t id = b->attribute_refs.at[m->attributes.at + i];

		if (id < b->attributes.n && b->attributes.at[id].key < b->strings.n &&
		    str_starts(string_of(b, b->attributes.at[id].key), prefix))
			return true;
	}
	return false;
}

static void check_mapping(struct otlp_checker *c, uint32_t i)
{
	const struct mapping *m = &c->b.mappings.at[i];

	check_index(c, TABLE_STRINGS, m->filename, "dictionary.mapping_table[%u].filename_strindex",
		    i);
	check_row_attributes(c, m->attributes, "mapping_table", i);
	if ((m->start || m->limit) && m->start >= m->limit)
		check_must(c,
			   check_text(c,
				      "memory_start=%016llx, memory_limit=%016llx: must be both "
				      "zero or start < limit",
				      (unsigned long long)m->start, (unsigned long long)m->limit),
			   "dictionary.mapping_table[%u]", i);
	if (!has_build_id(c, m))
		check_should(c,
			     "a mapping should have a build id: process.executable.build_id.gnu, "
			     ".go or .htlhash",
			     "dictionary.mapping_table[%u].attribute_indices", i);
}

static void check_mappings(struct otlp_checker *c)
{
	const struct mapping *zero = c->b.mappings.at;

	if (!c->b.mappings.n) {
		check_must(c, no_table, "dictionary.mapping_table");
		return;
	}
	if (zero->start || zero->limit || zero->offset || zero->filename || zero->attributes.n)
		check_must(c, no_zero, "dictionary.mapping_table[0]");
	for (uint32_t i = 1; i < c->b.mappings.n; i++)
		check_mapping(c, i);
}

static void check_lines(struct otlp_checker *c, uint32_t row, struct list lines)
{
	for (uint32_t k = 0; k < lines.n; k++) {
		const struct line *l = &c->b.lines.at[lines.at + k];

		check_index(c, TABLE_FUNCTIONS, l->function,
			    "dictionary.location_table[%u].lines[%u].function_index", row, k);
		if (l->line < 0)
			check_must(
				c,
				check_text(c, "%lld < 0, must be non-negative", (long long)l->line),
				"dictionary.location_table[%u].lines[%u].line", row, k);
		if (l->column < 0)
			check_must(c,
				   check_text(c, "%lld < 0, must be non-negative",
					      (long long)l->column),
				   "dictionary.location_table[%u].lines[%u].column", row, k);
	}
}

static void check_locations(struct otlp_checker *c)
{
	const struct location *zero = c->b.locations.at;

	if (!c->b.locations.n) {
		check_must(c, no_table, "dictionary.location_table");
		return;
	}
	if (zero->address || zero->mapping || zero->lines.n || zero->attributes.n)
		check_must(c, no_zero, "dictionary.location_table[0]");
	for (uint32_t i = 0; i < c->b.locations.n; i++) {
		const struct location *l = &c->b.locations.at[i];

		check_index(c, TABLE_MAPPINGS, l->mapping,
			    "dictionary.location_table[%u].mapping_index", i);
		check_row_attributes(c, l->attributes, "location_table", i);
		check_lines(c, i, l->lines);
	}
}

static void check_functions(struct otlp_checker *c)
{
	const struct function *zero = c->b.functions.at;

	if (!c->b.functions.n) {
		check_must(c, no_table, "dictionary.function_table");
		return;
	}
	if (zero->name || zero->system_name || zero->filename || zero->start_line)
		check_must(c, no_zero, "dictionary.function_table[0]");
	for (uint32_t i = 0; i < c->b.functions.n; i++) {
		const struct function *f = &c->b.functions.at[i];

		check_index(c, TABLE_STRINGS, f->name,
			    "dictionary.function_table[%u].name_strindex", i);
		check_index(c, TABLE_STRINGS, f->system_name,
			    "dictionary.function_table[%u].system_name_strindex", i);
		check_index(c, TABLE_STRINGS, f->filename,
			    "dictionary.function_table[%u].filename_strindex", i);
		check_negative(c, f->start_line, "function_table", i, "start_line");
		if (i && !f->name && !f->system_name && !f->filename)
			check_must(c, "must have a name, a system name or a filename",
				   "dictionary.function_table[%u]", i);
	}
}

static void check_strings(struct otlp_checker *c)
{
	if (!c->b.strings.n)
		check_must(c, "empty string table, must have at least empty string",
			   "dictionary.string_table");
	else if (c->b.strings.at[0].n)
		check_must(c,
			   check_text(c, "must have empty string at index 0, got \"%.*s\"",
				      STR_ARG(str_head(c->b.strings.at[0], 100))),
			   "dictionary.string_table[0]");
}

static void check_attribute_rows(struct otlp_checker *c)
{
	const struct attribute *zero = c->b.attributes.at;

	if (!c->b.attributes.n) {
		check_must(c, no_table, "dictionary.attribute_table");
		return;
	}
	if (zero->key || zero->unit)
		check_must(c,
			   check_text(c,
				      "first attribute must have zero key/unit indices, got "
				      "key_strindex=%d, unit_strindex=%d",
				      (int32_t)zero->key, (int32_t)zero->unit),
			   "dictionary.attribute_table[0]");
	if (zero->value.kind != VALUE_EMPTY)
		check_must(c, "first attribute value must be unset",
			   "dictionary.attribute_table[0].value");
	for (uint32_t i = 0; i < c->b.attributes.n; i++) {
		char path[64];

		check_index(c, TABLE_STRINGS, c->b.attributes.at[i].key,
			    "dictionary.attribute_table[%u].key_strindex", i);
		check_index(c, TABLE_STRINGS, c->b.attributes.at[i].unit,
			    "dictionary.attribute_table[%u].unit_strindex", i);
		snprintf(path, sizeof(path), "dictionary.attribute_table[%u].value", i);
		check_events(c, IN_ATTRIBUTE_TABLE, i, path);
	}
}

static void check_stacks(struct otlp_checker *c)
{
	if (!c->b.stacks.n) {
		check_must(c, no_table, "dictionary.stack_table");
		return;
	}
	if (c->b.stacks.at[0].n)
		check_must(c, no_zero, "dictionary.stack_table[0]");
	for (uint32_t i = 0; i < c->b.stacks.n; i++) {
		struct list l = c->b.stacks.at[i];

		for (uint32_t k = 0; k < l.n; k++)
			check_index(c, TABLE_LOCATIONS, c->b.stack_locations.at[l.at + k],
				    "dictionary.stack_table[%u].location_indices[%u]", i, k);
	}
}

/* Check row 0. The lengths of ids were checked while they were decoded: check_link() in check.c. */
static void check_links(struct otlp_checker *c)
{
	static const struct link zero;

	if (!c->b.links.n)
		check_must(c, no_table, "dictionary.link_table");
	else if (memcmp(c->b.links.at, &zero, sizeof(zero)) != 0)
		check_must(c, no_zero, "dictionary.link_table[0]");
	else if (c->zero_link_filled)
		check_should(
			c,
			"ids of zeros instead of no ids: valid by the schema, but the reference "
			"checker rejects it",
			"dictionary.link_table[0]");
}

void check_dictionary(struct otlp_checker *c)
{
	check_mappings(c);
	check_locations(c);
	check_functions(c);
	check_links(c);
	check_strings(c);
	check_events(c, IN_STRING_TABLE, 0, "dictionary");
	check_attribute_rows(c);
	check_stacks(c);
}
