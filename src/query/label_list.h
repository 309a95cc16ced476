/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_LABEL_LIST_H
#define VARVE_QUERY_LABEL_LIST_H

#include "store/store.h"

/*
 * What there is to ask for: names of labels, values of one, sets of labels, each once and sorted.
 * All text is copied into the arena. 0 or -errno of the store.
 */
struct label_list {
	VEC(struct str) items;
};

MUST_USE int label_names_of(struct label_list *out, struct store *s, const struct store_select *sel,
			    struct arena *arena, struct err *e);
MUST_USE int label_values_of(struct label_list *out, struct store *s,
			     const struct store_select *sel, struct str name, struct arena *arena,
			     struct err *e);

/* The distinct sets of the labels that are named (all of them if none is), by their labels. */
struct label_sets {
	VEC(struct label_set) sets;
};

MUST_USE int label_sets_of(struct label_sets *out, struct store *s, const struct store_select *sel,
			   const struct str *names, uint32_t name_n, struct arena *arena,
			   struct err *e);

/* The labels of `from` that are named, in their order; text is copied. 0 or -ENOMEM. */
MUST_USE int label_set_pick(struct label_set *out, struct label_set from, const struct str *names,
			    uint32_t name_n, struct arena *arena);

/* Byte order of names and values, a prefix first. */
int label_set_cmp(struct label_set a, struct label_set b);
uint64_t label_set_hash(struct label_set set);

#endif
