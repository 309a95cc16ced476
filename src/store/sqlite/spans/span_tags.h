/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_TAGS_H
#define VARVE_STORE_SQLITE_SPAN_TAGS_H

#include "store/sqlite/block/frame.h"
#include "store/sqlite/spans/span_columns.h"
#include "store/sqlite/spans/span_rows.h"
#include "store/store.h"

/*
 * Names and values of attributes in a block of spans (store_ops.tags). A merged block is not
 * decoded: its index has the names, and the values are those of one column. Functions return 0, 1
 * if the visitor has enough, -ENOMEM, -EUCLEAN, or the visitor's error.
 */
struct span_tags {
	const struct store_tag_select *select;
	store_visit_tag *visit;
	void *ctx;
	struct arena *arena; /* of the block: values, and what is read of it */
};

/* Visit the tags of decoded spans with their details, those of the tenant. */
MUST_USE int span_tags_rows(struct span_tags *t, const struct span_rows *rows);

/* Return whether the structure of spans is enough: names, roots. */
bool span_tags_need_structure(const struct store_tag_select *sel);

/* The pieces of a block, which are read at first use. */
struct span_tag_pieces {
	int (*load)(void *ctx, struct str *pieces, struct err *e);
	void *ctx;
	struct frame_unpacker *unpacker;
};

/* Visit the tags of a merged block by its index. */
MUST_USE int span_tags_columns(struct span_tags *t, struct span_rows *rows, struct str index,
			       const struct span_tag_pieces *pieces, struct err *e);

#endif
