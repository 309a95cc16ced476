/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_LABELS_H
#define VARVE_FORMAT_JFR_LABELS_H

#include "signal/profile/profile_builder.h"

/*
 * Pyroscope's label snapshot, which its Java agent sends beside a recording. It defines the context
 * ids of events in a protobuf message:
 *	contexts = 1: map of id -> { labels = 1: map of string id -> string id }
 *	strings = 2: map of id -> text
 * Labels are added to the batch as attributes when the snapshot is read.
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
	struct list attributes; /* range of labels->attributes; keys are distinct */
};

/*
 * Read a snapshot, plain or gzip; an empty one has no labels. Texts are borrowed from the snapshot
 * or the arena. Return 0, -EBADMSG or -ENOMEM.
 */
MUST_USE int jfr_labels_read(struct jfr_labels *labels, struct arena *arena,
			     struct profile_builder *builder, struct str snapshot, struct err *e);

/* Return the attributes of a context and set *n to their number, 0 if the context is unknown. */
const uint32_t *jfr_labels_of(const struct jfr_labels *labels, uint64_t context, uint32_t *n);

/* Return the text with that id; empty if it is unknown. */
struct str jfr_label_text(const struct jfr_labels *labels, uint64_t id);

#endif
