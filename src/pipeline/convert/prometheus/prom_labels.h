/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONVERT_PROMETHEUS_PROM_LABELS_H
#define VARVE_PIPELINE_CONVERT_PROMETHEUS_PROM_LABELS_H

#include "base/container/vec.h"

/*
 * The labels of one series or target of Prometheus. An empty value is the same as no label. Names
 * and values are borrowed; the list is in an arena.
 */
struct prom_label {
	struct str name, value;
};

struct prom_labels {
	VEC(struct prom_label) list;
};

/* Return the value of a label, empty if there is none. */
struct str prom_labels_get(const struct prom_labels *l, struct str name);

/* Set or append a label; an empty value removes it. Return 0 or -ENOMEM. */
MUST_USE int prom_labels_set(struct prom_labels *l, struct arena *arena, struct str name,
			     struct str value);

/* Copy the list, not the texts. Return 0 or -ENOMEM. */
MUST_USE int prom_labels_dup(struct prom_labels *out, const struct prom_labels *l,
			     struct arena *arena);

/* Sort by name. */
void prom_labels_sort(struct prom_labels *l);

/* Return a name that is there twice in a sorted list, else the empty string. */
struct str prom_labels_repeated(const struct prom_labels *l);

/* Return whether two sorted lists are equal. */
bool prom_labels_eq(const struct prom_labels *a, const struct prom_labels *b);

/* Return a hash of a sorted list. */
uint32_t prom_labels_hash(const struct prom_labels *l);

#endif
