/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_LABEL_LIST_H
#define VARVE_QUERY_LABEL_LIST_H

#include "store/store.h"

/*
 * Lists the labels of a selection: label names, values of one label, and label sets, each once and
 * sorted. All text is copied into the arena. Functions return 0 or -errno of the store.
 */
struct label_list {
	VEC(struct str) items;
};

MUST_USE int label_names_of(struct label_list *out, struct store *s, const struct store_select *sel,
			    struct arena *arena, struct err *e);
MUST_USE int label_values_of(struct label_list *out, struct store *s,
			     const struct store_select *sel, struct str name, struct arena *arena,
			     struct err *e);

/* The distinct sets of the named labels (of all labels if no name is given), sorted. */
struct label_sets {
	VEC(struct label_set) sets;
};

MUST_USE int label_sets_of(struct label_sets *out, struct store *s, const struct store_select *sel,
			   const struct str *names, uint32_t name_n, struct arena *arena,
			   struct err *e);

/* Copy the labels of `from` with the given names, in the order of `from`. 0 or -ENOMEM. */
MUST_USE int label_set_pick(struct label_set *out, struct label_set from, const struct str *names,
			    uint32_t name_n, struct arena *arena);

/* Compare names and values in byte order; a prefix sorts first. */
int label_set_cmp(struct label_set a, struct label_set b);
uint64_t label_set_hash(struct label_set set);

#endif
