/* SPDX-License-Identifier: Apache-2.0 */
/* Distinct names or values. */
#include "query/attributes/tag_set.h"

#include <stdlib.h>

#include "base/container/hash.h"

int tag_set_init(struct tag_set *s, uint32_t most, size_t most_bytes, struct arena *a)
{
	*s = (struct tag_set){.arena = a, .most = most, .most_bytes = most_bytes};
	return idset_init(&s->index, a, 256);
}

int tag_set_add(struct tag_set *s, struct str kind, struct str text)
{
	uint32_t hash = hash32(text) ^ hash32(kind) << 1, id;
	struct idset_cursor c = idset_seek(&s->index, hash);
	struct tag t = {.kind = kind};
	int rc;

	while (idset_next(&s->index, &c, &id))
		if (str_eq(s->list.at[id].kind, kind) && str_eq(s->list.at[id].text, text))
			return 0;
	if (s->list.n >= s->most || text.n > s->most_bytes - s->bytes) {
		s->full = true;
		return 1;
	}
	rc = arena_copy_str(s->arena, text, &t.text);
	if (!rc)
		rc = idset_add(&s->index, hash, s->list.n);
	if (rc)
		return rc;
	s->bytes += text.n;
	return vec_push(s->arena, &s->list, t);
}

static int tag_order(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;
	int order = str_cmp(x->kind, y->kind);

	return order ? order : str_cmp(x->text, y->text);
}

void tag_set_sort(struct tag_set *s)
{
	if (s->list.n)
		qsort(s->list.at, s->list.n, sizeof(*s->list.at), tag_order);
}
