/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_DICTIONARY_H
#define VARVE_STORE_SQLITE_DICTIONARY_H

#include "base/buf.h"
#include "signal/stack_tree.h"

/*
 * The dictionary of a day: strings, functions, mappings, locations, attributes, and the stacks as a
 * tree of parent pointers. It only grows; what a commit adds to it is one block ("segment"). In
 * memory it is a stack_tree; those who only read have it without the indexes.
 */
struct dictionary_counts {
	uint32_t strings, attributes, mappings, functions, locations, nodes;
};

/* Row 0 of each table alone, no index. 0 or -ENOMEM; stack_tree_fini() in every case. */
MUST_USE int dictionary_init(struct stack_tree *t, struct budget *budget);

/* Make the indexes, so that rows can be added. 0 or -ENOMEM. */
MUST_USE int dictionary_index(struct stack_tree *t);

struct dictionary_counts dictionary_count(const struct stack_tree *t);

static inline bool dictionary_grew(struct dictionary_counts from, struct dictionary_counts to)
{
	return memcmp(&from, &to, sizeof(from)) != 0;
}

/* The rows behind `from`, as a segment. 0 or -ENOMEM. */
MUST_USE int dictionary_encode(const struct stack_tree *t, struct dictionary_counts from,
			       struct buf *out);

/*
 * Append a segment; rows that are there already are passed over, but it may not begin behind the
 * end. 0, -ENOMEM, or -EUCLEAN. On error the tree is good for nothing but stack_tree_fini().
 */
MUST_USE int dictionary_decode(struct stack_tree *t, struct str bytes, struct err *e);

#endif
