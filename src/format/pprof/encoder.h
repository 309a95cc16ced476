/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PPROF_ENCODER_H
#define VARVE_FORMAT_PPROF_ENCODER_H

#include "base/buf.h"
#include "base/container/idset.h"
#include "signal/profile/profile.h"
#include "wire/proto.h"

/* What the files of the pprof encoder share. Private to format/pprof. */

/* A label as it is written: strings are of the file's table. */
struct out_label {
	uint32_t key, str, unit;
	int64_t num;
};

/* One sample type of the file. */
struct column {
	uint32_t type, unit; /* strings of the file */
};

/* One sample of the file: the batch's sample that it is like, and its resource's labels. */
struct out_row {
	uint32_t sample, resource;
};

/* A table of the file: rows of the batch in the order they are written (a VEC), and the other way. */
struct numbered {
	uint32_t *at;
	uint32_t n, cap;
	uint32_t *ids; /* by row of the batch; 0 = not used */
};

struct pprof_encoder {
	const struct profile_batch *b;
	struct arena arena; /* all that is not the output */
	struct err *e;

	VEC(struct str) strings; /* of the file, distinct */
	struct idset string_index;
	uint32_t *string_ids; /* by string of the batch: id + 1, 0 = not used yet */

	VEC(struct out_label) labels;
	struct list *attribute_labels; /* by attribute; at is + 1, 0 = not made yet */
	struct list *link_labels;      /* the same by link */
	struct list *resource_labels;  /* by resource; what tells it from the others */
	uint32_t *resource_class;      /* the first resource with equal labels */

	VEC(struct column) columns;
	uint32_t *profile_column; /* by profile; NO_COLUMN: has none */
	VEC(struct out_row) rows;
	VEC(int64_t) values; /* rows x columns */

	struct numbered locations, functions, mappings;

	/* the header */
	VEC(uint32_t) comments;
	uint32_t drop_frames, keep_frames, default_type, doc_url, period_type, period_unit;
	int64_t period;
	uint64_t time, duration;
};

#define NO_COLUMN UINT32_MAX

/* encode_labels.c: the file's strings. `s` must outlive the encoder's arena or lie in it. */
MUST_USE int out_string(struct pprof_encoder *x, struct str s, uint32_t *id);
MUST_USE int out_batch_string(struct pprof_encoder *x, uint32_t string, uint32_t *id);

/* A value as text, in the arena: what is no string, number or bool is JSON or hex. */
MUST_USE int value_text(struct pprof_encoder *x, const struct value *v, struct str *out);

/* Make the labels of an attribute or link, of all resources. */
MUST_USE int make_attribute_labels(struct pprof_encoder *x, uint32_t attribute);
MUST_USE int make_link_labels(struct pprof_encoder *x, uint32_t link);
MUST_USE int make_resource_labels(struct pprof_encoder *x);

/* Is this attribute of a resource the same in all of them? */
bool is_common_attribute(const struct profile_batch *b, const struct keyvalue *pair);

/* encode_header.c: columns and everything that stands once. */
MUST_USE int plan_columns(struct pprof_encoder *x);
MUST_USE int plan_header(struct pprof_encoder *x);

/* encode_rows.c: samples of the batch -> rows. */
MUST_USE int plan_rows(struct pprof_encoder *x);

/* encode_tables.c: ids for all that the rows reach, and the tables as protobuf. */
MUST_USE int plan_tables(struct pprof_encoder *x);
void write_functions(struct pprof_encoder *x, struct proto_writer *w);
void write_locations(struct pprof_encoder *x, struct proto_writer *w);
void write_mappings(struct pprof_encoder *x, struct proto_writer *w);

#endif
