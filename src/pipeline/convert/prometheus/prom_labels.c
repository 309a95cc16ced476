/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of labels: they are short, so that a search from the front is the fastest. */
#include "pipeline/convert/prometheus/prom_labels.h"

#include <stdlib.h>

#include "base/container/hash.h"

static uint32_t find_label(const struct prom_labels *l, struct str name)
{
	uint32_t i = 0;

	while (i < l->list.n && !str_eq(l->list.at[i].name, name))
		i++;
	return i;
}

struct str prom_labels_get(const struct prom_labels *l, struct str name)
{
	uint32_t i = find_label(l, name);

	return i < l->list.n ? l->list.at[i].value : (struct str){0};
}

int prom_labels_set(struct prom_labels *l, struct arena *arena, struct str name, struct str value)
{
	uint32_t i = find_label(l, name);

	if (i == l->list.n)
		return value.n ? vec_push(arena, &l->list, (struct prom_label){name, value}) : 0;
	if (value.n) {
		l->list.at[i].value = value;
		return 0;
	}
	l->list.n--;
	memmove(&l->list.at[i], &l->list.at[i + 1], (l->list.n - i) * sizeof(l->list.at[0]));
	return 0;
}

int prom_labels_dup(struct prom_labels *out, const struct prom_labels *l, struct arena *arena)
{
	*out = (struct prom_labels){0};
	if (!l->list.n)
		return 0;
	if (vec_reserve(arena, &out->list, l->list.n))
		return -ENOMEM;
	memcpy(out->list.at, l->list.at, l->list.n * sizeof(l->list.at[0]));
	out->list.n = l->list.n;
	return 0;
}

static int compare_labels(const void *a, const void *b)
{
	return str_cmp(((const struct prom_label *)a)->name, ((const struct prom_label *)b)->name);
}

void prom_labels_sort(struct prom_labels *l)
{
	if (l->list.n > 1)
		qsort(l->list.at, l->list.n, sizeof(l->list.at[0]), compare_labels);
}

struct str prom_labels_repeated(const struct prom_labels *l)
{
	for (uint32_t i = 1; i < l->list.n; i++)
		if (str_eq(l->list.at[i].name, l->list.at[i - 1].name))
			return l->list.at[i].name;
	return (struct str){0};
}

bool prom_labels_eq(const struct prom_labels *a, const struct prom_labels *b)
{
	if (a->list.n != b->list.n)
		return false;
	for (uint32_t i = 0; i < a->list.n; i++)
		if (!str_eq(a->list.at[i].name, b->list.at[i].name) ||
		    !str_eq(a->list.at[i].value, b->list.at[i].value))
			return false;
	return true;
}

uint32_t prom_labels_hash(const struct prom_labels *l)
{
	uint32_t h = l->list.n;

	for (uint32_t i = 0; i < l->list.n; i++)
		h = (h * 31 + hash32(l->list.at[i].name)) * 31 + hash32(l->list.at[i].value);
	return h;
}
