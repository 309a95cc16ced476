/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_EVAL_PROMQL_LABELS_H
#define VARVE_QUERY_PROMQL_EVAL_PROMQL_LABELS_H

#include "base/buf.h"
#include "base/container/idset.h"
#include "query/promql/promql_source.h"

/*
 * Label sets, interned: equal sets are the same object, so that they are compared by address. Sets
 * are sorted by name, and immutable.
 */
struct promql_labels {
	uint32_t id; /* dense, from 0 */
	uint32_t n;
	uint64_t hash; /* the hash of Prometheus */
	struct promql_label at[];
};

struct promql_label_table {
	struct arena *arena; /* borrowed */
	struct idset set;
	VEC(const struct promql_labels *) items;
	const struct promql_labels *empty;
	/* Scratch of promql_label_builder. */
	VEC(struct promql_label) scratch;
	struct buf bytes;
};

/* Initialize a table in the arena. Return 0 or -ENOMEM. promql_label_table_fini() frees the rest. */
MUST_USE int promql_label_table_init(struct promql_label_table *t, struct arena *arena);
void promql_label_table_fini(struct promql_label_table *t);

/*
 * Get the set of these labels, which are sorted; their texts are copied if `copies`. Labels with
 * empty values are left out. Return NULL if memory is exhausted.
 */
const struct promql_labels *promql_labels_intern(struct promql_label_table *t,
						 const struct promql_label *labels, uint32_t n,
						 bool copies);

/* Return the value of a label, empty if there is none. */
struct str promql_labels_get(const struct promql_labels *l, struct str name);

/* Compare by names and values, as Prometheus sorts. */
int promql_labels_compare(const struct promql_labels *a, const struct promql_labels *b);

/* Return the set with the label changed; an empty value removes it. NULL: out of memory. */
const struct promql_labels *promql_labels_set(struct promql_label_table *t,
					      const struct promql_labels *l, struct str name,
					      struct str value);

/* Return the set with only (`keep`) or without the named labels. NULL: out of memory. */
const struct promql_labels *promql_labels_select(struct promql_label_table *t,
						 const struct promql_labels *l,
						 const struct str *names, uint32_t n, bool keep);

/* Return the set without the named labels and __name__. NULL: out of memory. */
const struct promql_labels *promql_labels_without(struct promql_label_table *t,
						  const struct promql_labels *l,
						  const struct str *names, uint32_t n);

/* Return the set without __name__, __type__ and __unit__. NULL: out of memory. */
const struct promql_labels *promql_labels_drop_name(struct promql_label_table *t,
						    const struct promql_labels *l);

/* Append the set as {a="x", b="y"}. */
void promql_labels_put(struct buf *b, const struct promql_labels *l);

/* Return the value of __name__. */
static inline struct str promql_labels_name(const struct promql_labels *l)
{
	return promql_labels_get(l, STR("__name__"));
}

#endif
