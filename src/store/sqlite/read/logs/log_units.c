/* SPDX-License-Identifier: Apache-2.0 */
/* The heap of the parts of a day. */
#include "store/sqlite/read/logs/log_units.h"

#include <xxhash.h>

uint64_t log_tie(struct str text)
{
	return XXH3_64bits(text.p ? text.p : "", text.n);
}

int log_units_push(struct log_units *u, const struct log_unit *unit)
{
	int rc = vec_push(u->arena, &u->heap, *unit);
	struct log_unit *at = u->heap.at;

	for (uint32_t i = u->heap.n - 1; !rc && i; i = (i - 1) / 2) {
		struct log_unit parent = at[(i - 1) / 2];

		if (parent.last >= at[i].last)
			break;
		at[(i - 1) / 2] = at[i];
		at[i] = parent;
	}
	return rc;
}

const struct log_unit *log_units_newest(const struct log_units *u)
{
	return u->heap.n ? u->heap.at : NULL;
}

void log_units_pop(struct log_units *u)
{
	struct log_unit *at = u->heap.at;
	uint32_t n = --u->heap.n;

	at[0] = at[n];
	for (uint32_t i = 0, most;; i = most) {
		struct log_unit unit = at[i];

		most = i;
		for (uint32_t c = 2 * i + 1; c <= 2 * i + 2 && c < n; c++)
			if (at[c].last > at[most].last)
				most = c;
		if (most == i)
			return;
		at[i] = at[most];
		at[most] = unit;
	}
}

int log_units_init(struct log_units *u, const struct log_list *l, const struct store_log_select *s,
		   struct arena *a)
{
	int rc = 0;

	*u = (struct log_units){.select = s, .arena = a};
	for (uint32_t i = 0; !rc && i < l->n; i++) {
		struct log_unit unit = {l->at[i].last, &l->at[i], -1, 0};

		if (l->at[i].last < s->from || l->at[i].first >= s->to)
			continue;
		rc = log_units_push(u, &unit);
	}
	return rc;
}
