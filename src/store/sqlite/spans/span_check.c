/* SPDX-License-Identifier: Apache-2.0 */
/* Check of the filters of merged spans. */
#include "store/sqlite/spans/span_check.h"

#include "store/sqlite/spans/span_columns.h"
#include "store/sqlite/spans/span_filter.h"

static int hash_text(struct span_hashes *h, struct arena *a, enum span_filter_intrinsic which,
		     struct str text)
{
	return vec_push(a, &h->list, span_filter_text(span_filter_intrinsic(which), text));
}

static struct str origin_message(const struct span_rows *rows, uint32_t origin)
{
	struct span_origin o;

	return origin && span_origin_get(rows->strings.at[origin - 1], &o) ? o.message : STR("");
}

/* List the hashes of all that a search can look for in the span. */
static int hash_span(struct span_hashes *h, struct arena *a, const struct span_rows *rows,
		     const struct kept_span *s)
{
	int rc = span_hashes_details(h, a, s->details);

	if (!rc)
		rc = span_hashes_resource(h, a, origin_message(rows, s->resource));
	if (!rc)
		rc = span_hashes_scope(h, a, origin_message(rows, s->scope));
	if (!rc)
		rc = hash_text(h, a, SPAN_FILTER_NAME, rows->strings.at[s->name]);
	return rc ? rc : hash_text(h, a, SPAN_FILTER_SERVICE, rows->strings.at[s->service]);
}

static bool filter_has_all(struct str filter, const struct span_hashes *h)
{
	bool all = true;

	for (uint32_t i = 0; all && i < h->list.n; i++)
		all = span_filter_has(filter, h->list.at[i]);
	return all;
}

/* Return whether the times of the group include those of the span. */
static bool times_have(const struct span_group *g, const struct kept_span *s)
{
	return s->start >= g->first_start && s->start <= g->last_start &&
	       s->start + s->duration <= g->last_end && s->duration <= g->longest;
}

int span_index_check(const struct span_rows *rows, struct str index, uint32_t *missing,
		     struct err *e)
{
	struct span_rows origins = {.block_spans = rows->block_spans};
	struct arena arena, scratch;
	struct span_index in;
	int rc;

	*missing = 0;
	arena_init(&arena, NULL);
	arena_init(&scratch, NULL);
	rc = span_index_get(&in, &origins, index, &arena, e);
	for (uint32_t g = 0; !rc && g < in.group_count; g++)
		for (uint32_t i = 0; !rc && i < in.groups[g].rows; i++) {
			const struct span_group *group = &in.groups[g];
			const struct kept_span *s = &rows->spans.at[group->first + i];
			struct span_hashes h = {0};

			arena_reset(&scratch);
			rc = hash_span(&h, &scratch, rows, s);
			*missing += !filter_has_all(group->filter, &h) || !times_have(group, s);
		}
	arena_fini(&scratch);
	arena_fini(&arena);
	return rc;
}
