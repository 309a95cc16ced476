/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_DICTIONARY_H
#define VARVE_STORE_SQLITE_DICTIONARY_H

#include "base/buf.h"
#include "signal/stack_tree.h"

/*
 * The dictionary of a service and day (a book): strings, functions, mappings, locations,
 * attributes, and the stacks as a tree of parent pointers. It only grows; the rows that a commit
 * adds are one block, a segment. In memory it is a stack_tree; readers have it without indexes.
 * dictionary.c encodes, dictionary_decode.c decodes.
 */
struct dictionary_counts {
	uint32_t strings, attributes, mappings, functions, locations, nodes;
};

/*
 * Initialize a tree with row 0 of each table and no index. Return 0 or -ENOMEM; call
 * stack_tree_fini() in every case.
 */
MUST_USE int dictionary_init(struct stack_tree *t, struct budget *budget);

/* Create the indexes that adding rows needs. Return 0 or -ENOMEM. */
MUST_USE int dictionary_index(struct stack_tree *t);

struct dictionary_counts dictionary_count(const struct stack_tree *t);

static inline bool dictionary_grew(struct dictionary_counts from, struct dictionary_counts to)
{
	return memcmp(&from, &to, sizeof(from)) != 0;
}

/* Append the rows after `from` as a segment. Return 0 or -ENOMEM. */
MUST_USE int dictionary_encode(const struct stack_tree *t, struct dictionary_counts from,
			       struct buf *out);

/*
 * Append the rows of a segment to the tree. The segment may begin with rows that the tree has
 * already, which are skipped, but not after its end. Return 0, -ENOMEM or -EUCLEAN; after an error
 * only stack_tree_fini() may be called.
 */
MUST_USE int dictionary_decode(struct stack_tree *t, struct str bytes, struct err *e);

#endif
