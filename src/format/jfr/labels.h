/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_LABELS_H
#define VARVE_FORMAT_JFR_LABELS_H

#include "signal/profile/profile_builder.h"

/*
 * Pyroscope's label snapshot: what the context ids on events stand for. A protobuf message,
 *	contexts = 1: map of id -> { labels = 1: map of string id -> string id }
 *	strings = 2: map of id -> text
 * that its Java agent sends beside a recording. Labels become attributes of the batch at once.
 */
struct jfr_labels {
	struct arena *arena; /* borrowed */
	bool given;
	VEC(struct jfr_label_text) texts;
	struct idset text_index;
	VEC(struct jfr_context) contexts;
	struct idset context_index;
	VEC(uint32_t) attributes;
};

struct jfr_label_text {
	int64_t id;
	struct str text;
};

struct jfr_context {
	int64_t id;
	struct list attributes; /* of labels->attributes, keys distinct */
};

/*
 * Read a snapshot, raw or gzip; an empty one gives no labels. The texts are borrowed from it or
 * the arena. 0, -EBADMSG, -ENOMEM.
 */
MUST_USE int jfr_labels_read(struct jfr_labels *labels, struct arena *arena,
			     struct profile_builder *builder, struct str snapshot, struct err *e);

/* The attributes of a context and their number, 0 when it is unknown. */
const uint32_t *jfr_labels_of(const struct jfr_labels *labels, uint64_t context, uint32_t *n);

/* The text with that id; empty when it is unknown. */
struct str jfr_label_text(const struct jfr_labels *labels, uint64_t id);

#endif
