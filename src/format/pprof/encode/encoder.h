/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PPROF_ENCODE_ENCODER_H
#define VARVE_FORMAT_PPROF_ENCODE_ENCODER_H

#include "base/buf.h"
#include "base/container/idset.h"
#include "signal/profile/profile.h"
#include "wire/proto.h"

/* State shared by the files of the pprof encoder. Private to format/pprof. */

/* A label of the file; key, str and unit are strings of the file. */
struct out_label {
	uint32_t key, str, unit;
	int64_t num;
};

/* One sample type of the file. */
struct out_column {
	uint32_t type, unit; /* strings of the file */
};

/* One sample of the file: a sample of the batch with its stack and labels, and its resource. */
struct out_row {
	uint32_t sample, resource;
};

/* A table of the file: rows of the batch in the order they are written (a VEC), and the inverse. */
struct out_table {
	uint32_t *at;
	uint32_t n, cap;
	uint32_t *ids; /* by row of the batch; 0: not used */
};

struct pprof_encoder {
	const struct profile_batch *b;
	struct arena arena; /* backs everything except the output */
	struct err *e;

	VEC(struct str) strings; /* of the file, distinct */
	struct idset string_index;
	uint32_t *string_ids; /* by string of the batch: id + 1; 0: not used yet */

	VEC(struct out_label) labels;
	struct list *attribute_labels; /* by attribute; .at is index + 1, 0: not created yet */
	struct list *link_labels;      /* by link, likewise */
	struct list *resource_labels;  /* by resource; without the attributes that all share */
	uint32_t *resource_class;      /* by resource: the first one with equal labels */

	VEC(struct out_column) columns;
	uint32_t *profile_column; /* by profile, or NO_COLUMN */
	VEC(struct out_row) rows;
	VEC(int64_t) values; /* rows x columns */

	struct out_table locations, functions, mappings;

	/* Header */
	VEC(uint32_t) comments;
	uint32_t drop_frames, keep_frames, default_type, doc_url, period_type, period_unit;
	int64_t period;
	uint64_t time, duration;
};

#define NO_COLUMN UINT32_MAX

#endif
