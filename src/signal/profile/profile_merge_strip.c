/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of groups, and strips, which sum samples that are added one by one. */
#include "signal/profile/profile_merge_parts.h"

int merge_group_grow(struct profile_merge *m, struct merge_group *g)
{
	uint32_t rows = m->families.at[g->family].identities.n;
	int rc = vec_reserve(&m->arena, &g->cells, rows - g->cells.n);

	if (rc)
		return rc;
	if (rows > g->cells.n)
		memset(g->cells.at + g->cells.n, 0, (rows - g->cells.n) * sizeof(*g->cells.at));
	g->cells.n = rows;
	return 0;
}

int merge_strip_begin(struct profile_merge *m)
{
	uint32_t n = m->begun_groups.n;
	size_t bytes = n * sizeof(*m->begun_groups.at);
	struct merge_strip strip = {.width = n};
	int rc;

	for (uint32_t i = 0; i < n; i++) {
		struct merge_group *g = &m->groups.at[m->begun_groups.at[i]];

		g->untimed = g->valued = true;
	}
	for (uint32_t i = 0; i < m->strips.n; i++)
		if (m->strips.at[i].width == n &&
		    !memcmp(m->strips.at[i].groups, m->begun_groups.at, bytes)) {
			m->begun_strip = i + 1;
			return 0;
		}
	strip.groups = arena_alloc(&m->arena, n, sizeof(*strip.groups));
	if (!strip.groups)
		return -ENOMEM;
	memcpy(strip.groups, m->begun_groups.at, bytes);
	rc = vec_push(&m->arena, &m->strips, strip);
	if (!rc)
		m->begun_strip = m->strips.n;
	return rc;
}

int merge_strip_grow(struct profile_merge *m, struct merge_strip *s, uint32_t row)
{
	size_t width = s->width, old = s->rows, rows = 2 * max_size(row, 16);
	uint64_t *sums = arena_resize(&m->arena, s->sums, old * width, rows * width, sizeof(*sums));
	bool *present = NULL;

	if (sums) {
		s->sums = sums;
		present = arena_resize(&m->arena, s->present, old, rows, sizeof(*present));
	}
	if (!present)
		return -ENOMEM;
	memset(sums + old * width, 0, (rows - old) * width * sizeof(*sums));
	memset(present + old, 0, (rows - old) * sizeof(*present));
	s->present = present;
	s->rows = (uint32_t)rows;
	return 0;
}

/* Add the sums of a strip to the columns of its groups. */
static int spread_strip(struct profile_merge *m, struct merge_strip *s)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < s->width; i++) {
		struct merge_group *g = &m->groups.at[s->groups[i]];

		rc = merge_group_grow(m, g);
		for (uint32_t row = 0; !rc && row < s->rows && row < g->cells.n; row++)
			if (s->present[row])
				merge_cell_add(&g->cells.at[row],
					       (int64_t)s->sums[(size_t)row * s->width + i]);
	}
	s->rows = 0;
	return rc;
}

int merge_strips_spread(struct profile_merge *m)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < m->strips.n; i++)
		rc = spread_strip(m, &m->strips.at[i]);
	return rc;
}
