/* SPDX-License-Identifier: Apache-2.0 */
/* Lists are compacted in copies of their pools; samples are found by walking all their stacks. */
#include "signal/sanitize/profile_removal.h"

#include <errno.h>

void removal_init(struct profile_removal *m, struct arena *arena, const struct profile_batch *b)
{
	*m = (struct profile_removal){.arena = arena, .b = b};
}

/* Set an entry of a table that is allocated when it is first needed. */
static int mark_row(struct profile_removal *m, uint8_t **table, uint32_t rows, uint32_t row,
		    int verdict)
{
	if (!*table)
		*table = arena_zalloc(m->arena, rows, 1);
	if (!*table)
		return -ENOMEM;
	if ((*table)[row] < verdict)
		(*table)[row] = (uint8_t)verdict;
	return 0;
}

int removal_mark_string(struct profile_removal *m, bool is_key, uint32_t string, int verdict)
{
	return mark_row(m, is_key ? &m->keys : &m->code_strings, m->b->strings.n, string, verdict);
}

int removal_mark_attribute(struct profile_removal *m, uint32_t row, int verdict)
{
	return mark_row(m, &m->attributes, m->b->attributes.n, row, verdict);
}

int removal_mark_resource(struct profile_removal *m, uint32_t row)
{
	return mark_row(m, &m->resources, m->b->resources.n, row, SANITIZE_REMOVE_ITEM);
}

int removal_mark_scope(struct profile_removal *m, uint32_t row)
{
	return mark_row(m, &m->scopes, m->b->scopes.n, row, SANITIZE_REMOVE_ITEM);
}

/* ---- samples ---- */

static bool function_is_marked(const struct profile_removal *m, uint32_t function)
{
	const struct function *f = &m->b->functions.at[function];

	return m->code_strings[f->name] || m->code_strings[f->system_name] ||
	       m->code_strings[f->filename];
}

static bool stack_is_marked(const struct profile_removal *m, uint32_t stack)
{
	uint32_t n;
	const uint32_t *locations = stack_of(m->b, stack, &n);

	for (uint32_t i = 0; i < n; i++) {
		const struct location *l = &m->b->locations.at[locations[i]];

		if (m->code_strings[m->b->mappings.at[l->mapping].filename])
			return true;
		for (uint32_t k = 0; k < l->lines.n; k++)
			if (function_is_marked(m, m->b->lines.at[l->lines.at + k].function))
				return true;
	}
	return false;
}

static bool refs_are_marked(const struct profile_removal *m, const uint32_t *refs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (m->attributes[refs[i]] == SANITIZE_REMOVE_ITEM)
			return true;
	return false;
}

static bool sample_is_marked(const struct profile_removal *m, uint32_t sample)
{
	const struct profile_batch *b = m->b;
	uint32_t at = b->sample_attributes_at[sample];

	if (m->attributes && refs_are_marked(m, b->sample_attributes.at + at,
					     b->sample_attributes_at[sample + 1] - at))
		return true;
	return m->code_strings && stack_is_marked(m, b->sample_stack[sample]);
}

/* Return whether all samples of a profile are removed. */
static bool profile_is_marked(const struct profile_removal *m, const struct profile *p)
{
	const struct scope *s = &m->b->scopes.at[p->scope];

	if ((m->scopes && m->scopes[p->scope]) || (m->resources && m->resources[s->resource]))
		return true;
	if (m->code_strings &&
	    (m->code_strings[p->sample_type.type] || m->code_strings[p->sample_type.unit]))
		return true;
	return m->attributes &&
	       refs_are_marked(m, m->b->attribute_refs.at + p->attributes.at, p->attributes.n);
}

static int drop_samples(const struct profile_removal *m, struct sanitized_profile *out)
{
	const struct profile_batch *b = m->b;

	if (!m->attributes && !m->code_strings && !m->scopes && !m->resources)
		return 0;
	out->dropped = arena_zalloc(m->arena, b->sample_count + 1, 1);
	if (!out->dropped)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->profiles.n; i++) {
		const struct profile *p = &b->profiles.at[i];
		bool all = profile_is_marked(m, p);

		for (uint32_t s = p->sample_first; s < p->sample_first + p->sample_count; s++) {
			out->dropped[s] = all || sample_is_marked(m, s);
			out->dropped_count += out->dropped[s];
		}
	}
	return 0;
}

/* ---- attributes ---- */

/* Copy the references that are not marked. Return their number. */
static uint32_t copy_kept(const struct profile_removal *m, uint32_t *to, const uint32_t *from,
			  uint32_t n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++)
		if (!m->attributes[from[i]])
			to[kept++] = from[i];
	return kept;
}

static int compact_samples(const struct profile_removal *m, struct profile_batch *to)
{
	const struct profile_batch *b = m->b;
	uint32_t *refs = arena_alloc(m->arena, b->sample_attributes.n + 1, sizeof(*refs));
	uint32_t *starts = arena_alloc(m->arena, b->sample_count + 1, sizeof(*starts));
	uint32_t n = 0;

	if (!refs || !starts)
		return -ENOMEM;
	starts[0] = 0;
	for (uint32_t s = 0; s < b->sample_count; s++) {
		uint32_t at = b->sample_attributes_at[s];

		n += copy_kept(m, refs + n, b->sample_attributes.at + at,
			       b->sample_attributes_at[s + 1] - at);
		starts[s + 1] = n;
	}
	to->sample_attributes.at = refs;
	to->sample_attributes.n = n;
	to->sample_attributes_at = starts;
	return 0;
}

/* Copy a table whose rows have lists of attributes, and compact the lists into `refs`. */
#define COMPACT_ROWS(m, to, table, refs, used)                                                     \
	({                                                                                         \
		size_t bytes_ = (to)->table.n * sizeof(*(to)->table.at);                           \
		void *copy_ = arena_alloc((m)->arena, bytes_ + 1, 1);                              \
		if (copy_) {                                                                       \
			if (bytes_)                                                                \
				memcpy(copy_, (to)->table.at, bytes_);                             \
			(to)->table.at = copy_;                                                    \
			for (uint32_t i_ = 0; i_ < (to)->table.n; i_++)                            \
				compact_list((m), &(to)->table.at[i_].attributes, (refs), (used)); \
		}                                                                                  \
		copy_ ? 0 : -ENOMEM;                                                               \
	})

static void compact_list(const struct profile_removal *m, struct list *l, uint32_t *refs,
			 uint32_t *used)
{
	uint32_t n = copy_kept(m, refs + *used, m->b->attribute_refs.at + l->at, l->n);

	*l = (struct list){*used, n};
	*used += n;
}

/* Return the length of all lists; equal ranges of the pool may be shared by rows. */
static uint64_t total_refs(const struct profile_batch *b)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < b->mappings.n; i++)
		n += b->mappings.at[i].attributes.n;
	for (uint32_t i = 0; i < b->locations.n; i++)
		n += b->locations.at[i].attributes.n;
	for (uint32_t i = 0; i < b->profiles.n; i++)
		n += b->profiles.at[i].attributes.n;
	return n;
}

static int compact_rows(const struct profile_removal *m, struct profile_batch *to)
{
	uint64_t room = total_refs(m->b);
	uint32_t *refs = room < VEC_MAX ? arena_alloc(m->arena, room + 1, sizeof(*refs)) : NULL;
	uint32_t used = 0;
	int rc = refs ? 0 : -ENOMEM;

	if (!rc)
		rc = COMPACT_ROWS(m, to, mappings, refs, &used);
	if (!rc)
		rc = COMPACT_ROWS(m, to, locations, refs, &used);
	if (!rc)
		rc = COMPACT_ROWS(m, to, profiles, refs, &used);
	to->attribute_refs.at = refs;
	to->attribute_refs.n = used;
	return rc;
}

int removal_apply(const struct profile_removal *m, struct sanitized_profile *out)
{
	int rc = drop_samples(m, out);

	if (!rc && m->attributes)
		rc = compact_samples(m, &out->batch);
	if (!rc && m->attributes)
		rc = compact_rows(m, &out->batch);
	if (!out->dropped_count)
		out->dropped = NULL;
	return rc;
}
