/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks for equal rows, equal samples and unreferenced rows.
 *
 * The reference checker rejects only equal strings and mappings. Equal rows of other tables violate
 * only a recommendation of the specification and are reported as such.
 */
#include "format/otlp/check/check_rows.h"

#include <stdlib.h>

#include "base/container/hash.h"
#include "base/container/idset.h"
#include "format/otlp/decode/rows.h"

static int order_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void sort_ids(uint32_t *ids, uint32_t n)
{
	if (n > 1)
		qsort(ids, n, sizeof(*ids), order_ids);
}

static uint32_t hash_id_list(const uint32_t *ids, uint32_t n)
{
	return n ? (uint32_t)hash_bytes(ids, n * sizeof(*ids)) : 0;
}

static bool same_id_lists(const uint32_t *a, const uint32_t *b, uint32_t n)
{
	return !n || memcmp(a, b, n * sizeof(*a)) == 0;
}

static bool same_refs(const struct profile_batch *b, struct list x, struct list y)
{
	return x.n == y.n &&
	       same_id_lists(b->attribute_refs.at + x.at, b->attribute_refs.at + y.at, x.n);
}

static bool same_mapping_rows(const struct profile_batch *b, uint32_t i, uint32_t k)
{
	const struct mapping *x = &b->mappings.at[i], *y = &b->mappings.at[k];

	return x->start == y->start && x->limit == y->limit && x->offset == y->offset &&
	       x->filename == y->filename && same_refs(b, x->attributes, y->attributes);
}

static uint32_t hash_mapping_row(const struct profile_batch *b, uint32_t i)
{
	const struct mapping *m = &b->mappings.at[i];

	return hash_u64(m->start + 3 * m->limit + 5 * m->offset + 7 * (uint64_t)m->filename) ^
	       hash_id_list(b->attribute_refs.at + m->attributes.at, m->attributes.n);
}

static bool same_location_rows(const struct profile_batch *b, uint32_t i, uint32_t k)
{
	const struct location *x = &b->locations.at[i], *y = &b->locations.at[k];

	if (x->address != y->address || x->mapping != y->mapping || x->lines.n != y->lines.n ||
	    !same_refs(b, x->attributes, y->attributes))
		return false;
	for (uint32_t n = 0; n < x->lines.n; n++) {
		const struct line *l = &b->lines.at[x->lines.at + n],
				  *m = &b->lines.at[y->lines.at + n];

		if (l->function != m->function || l->line != m->line || l->column != m->column)
			return false;
	}
	return true;
}

static uint32_t hash_location_row(const struct profile_batch *b, uint32_t i)
{
	const struct location *l = &b->locations.at[i];
	uint64_t h = l->address * 31 + l->mapping;

	for (uint32_t n = 0; n < l->lines.n; n++) {
		const struct line *line = &b->lines.at[l->lines.at + n];

		h = h * 31 + line->function + ((uint64_t)line->line << 20) + (uint64_t)line->column;
	}
	return hash_u64(h);
}

static bool same_function_rows(const struct profile_batch *b, uint32_t i, uint32_t k)
{
	const struct function *x = &b->functions.at[i], *y = &b->functions.at[k];

	return x->name == y->name && x->system_name == y->system_name &&
	       x->filename == y->filename && x->start_line == y->start_line;
}

static uint32_t hash_function_row(const struct profile_batch *b, uint32_t i)
{
	const struct function *f = &b->functions.at[i];

	return hash_u64(f->name + ((uint64_t)f->system_name << 32)) ^
	       hash_u64(f->filename + ((uint64_t)f->start_line << 32));
}

static bool same_link_rows(const struct profile_batch *b, uint32_t i, uint32_t k)
{
	return memcmp(&b->links.at[i], &b->links.at[k], sizeof(b->links.at[0])) == 0;
}

static uint32_t hash_link_row(const struct profile_batch *b, uint32_t i)
{
	return (uint32_t)hash_bytes(&b->links.at[i], sizeof(b->links.at[i]));
}

static bool same_attribute_rows(const struct profile_batch *b, uint32_t i, uint32_t k)
{
	const struct attribute *x = &b->attributes.at[i], *y = &b->attributes.at[k];

	return x->key == y->key && x->unit == y->unit && value_eq(&x->value, &y->value);
}

static uint32_t hash_attribute_row(const struct profile_batch *b, uint32_t i)
{
	const struct attribute *a = &b->attributes.at[i];

	return hash_u64(a->key + ((uint64_t)a->unit << 32) + value_hash(&a->value));
}

static bool same_stack_rows(const struct profile_batch *b, uint32_t i, uint32_t k)
{
	struct list x = b->stacks.at[i], y = b->stacks.at[k];

	return x.n == y.n &&
	       same_id_lists(b->stack_locations.at + x.at, b->stack_locations.at + y.at, x.n);
}

static uint32_t hash_stack_row(const struct profile_batch *b, uint32_t i)
{
	struct list l = b->stacks.at[i];

	return hash_id_list(b->stack_locations.at + l.at, l.n);
}

static bool same_string_rows(const struct profile_batch *b, uint32_t i, uint32_t k)
{
	return str_eq(b->strings.at[i], b->strings.at[k]);
}

static uint32_t hash_string_row(const struct profile_batch *b, uint32_t i)
{
	return hash32(b->strings.at[i]);
}

/* How rows of a table are compared. `rule`: the reference checker rejects equal rows. */
static const struct comparison {
	uint32_t (*hash)(const struct profile_batch *b, uint32_t row);
	bool (*same)(const struct profile_batch *b, uint32_t one, uint32_t other);
	uint32_t first; /* first row to compare */
	bool rule;
	const char *what;
} comparisons[OTLP_TABLES] = {
	[TABLE_MAPPINGS] = {hash_mapping_row, same_mapping_rows, 1, true, "duplicate mapping"},
	[TABLE_LOCATIONS] = {hash_location_row, same_location_rows, 0, false, "duplicate location"},
	[TABLE_FUNCTIONS] = {hash_function_row, same_function_rows, 0, false, "duplicate function"},
	[TABLE_LINKS] = {hash_link_row, same_link_rows, 1, false, "duplicate link"},
	[TABLE_STRINGS] = {hash_string_row, same_string_rows, 0, true, "duplicate string"},
	[TABLE_ATTRIBUTES] = {hash_attribute_row, same_attribute_rows, 0, false,
			      "duplicate attribute"},
	[TABLE_STACKS] = {hash_stack_row, same_stack_rows, 0, false, "duplicate stack"},
};

static int check_table_duplicates(struct otlp_checker *c, enum otlp_table table)
{
	const struct comparison *how = &comparisons[table];
	struct idset seen;
	int rc = idset_init(&seen, &c->b.arena, check_rows(c, table));

	for (uint32_t i = how->first; !rc && i < check_rows(c, table); i++) {
		uint32_t hash = how->hash(&c->b, i), other;
		struct idset_cursor at = idset_seek(&seen, hash);
		bool known = false;

		while (!known && idset_next(&seen, &at, &other))
			known = how->same(&c->b, i, other);
		if (!known) {
			rc = idset_add(&seen, hash, i);
			continue;
		}

		const char *text = check_text(c, "%s, equal to index %u", how->what, other);

		if (how->rule)
			check_must(c, text, "dictionary.%s[%u]", otlp_table_names[table], i);
		else
			check_should(c, text, "dictionary.%s[%u]", otlp_table_names[table], i);
	}
	return rc;
}

int check_equal_rows(struct otlp_checker *c)
{
	struct profile_batch *b = &c->b;
	int rc = 0;

	for (uint32_t i = 0; i < b->mappings.n; i++)
		sort_ids(b->attribute_refs.at + b->mappings.at[i].attributes.at,
			 b->mappings.at[i].attributes.n);
	for (uint32_t i = 0; i < b->locations.n; i++)
		sort_ids(b->attribute_refs.at + b->locations.at[i].attributes.at,
			 b->locations.at[i].attributes.n);
	for (uint32_t t = 1; !rc && t < OTLP_TABLES; t++)
		rc = check_table_duplicates(c, (enum otlp_table)t);
	return rc;
}

static bool same_sample(const struct profile_batch *b, uint32_t i, uint32_t k)
{
	uint32_t at = b->sample_attributes_at[i], n = b->sample_attributes_at[i + 1] - at,
		 other = b->sample_attributes_at[k];

	return b->sample_stack[i] == b->sample_stack[k] && b->sample_link[i] == b->sample_link[k] &&
	       n == b->sample_attributes_at[k + 1] - other &&
	       same_id_lists(b->sample_attributes.at + at, b->sample_attributes.at + other, n);
}

int check_equal_samples(struct otlp_checker *c, const struct profile *p)
{
	struct profile_batch *b = &c->b;
	struct idset seen;
	int rc = idset_init(&seen, &b->arena, p->sample_count);

	for (uint32_t i = p->sample_first; !rc && i < p->sample_first + p->sample_count; i++) {
		uint32_t at = b->sample_attributes_at[i], n = b->sample_attributes_at[i + 1] - at;
		uint32_t hash, other;
		struct idset_cursor cursor;
		bool known = false;

		sort_ids(b->sample_attributes.at + at, n);
		hash = hash_u64(b->sample_stack[i] + ((uint64_t)b->sample_link[i] << 32)) ^
		       hash_id_list(b->sample_attributes.at + at, n);
		cursor = idset_seek(&seen, hash);
		while (!known && idset_next(&seen, &cursor, &other))
			known = same_sample(b, i, other);
		if (known)
			check_should(c,
				     check_text(c,
						"same stack, attributes and link as samples[%u]: "
						"should be a single sample",
						other - p->sample_first),
				     "%s.samples[%u]", c->profile_path, i - p->sample_first);
		else
			rc = idset_add(&seen, hash, i);
	}
	return rc;
}

void check_orphans(struct otlp_checker *c)
{
	for (uint32_t t = 1; t < OTLP_TABLES; t++)
		for (uint32_t i = 1; i < check_rows(c, (enum otlp_table)t); i++)
			if (!c->used[t][i])
				check_must(c, "unreferenced entry", "dictionary.%s[%u]",
					   otlp_table_names[t], i);
}
