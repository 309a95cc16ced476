/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_FILELOG_BATCH_H
#define VARVE_PIPELINE_FILELOG_FILELOG_BATCH_H

#include "pipeline/receivers/filelog/filelog_settings.h"
#include "pipeline/receivers/filelog/tail/tail_file.h"
#include "signal/otlp/build.h"

/*
 * The records of one message. A line without operators becomes a record without a log_entry between.
 * One thread.
 */
struct filelog_batch {
	const struct filelog_settings *settings;
	struct otlp_builder builder;
	struct arena arena; /* of one record */
	struct proto_writer writer;
	struct attributes resource, scratch;
	struct attributes of_file; /* configured attributes, then those of the file */
	uint64_t file;		   /* id of that file */
	uint32_t of_file_n;
	struct buf open; /* the resource that is open, encoded */
	bool is_open;
	struct arena fixed; /* configured values */
};

enum { LOG_BATCH_RECORDS = 8192 };
#define LOG_BATCH_BYTES (1 * MIB)

/* Return 0 or -ENOMEM; call filelog_batch_fini() in every case. */
MUST_USE int filelog_batch_init(struct filelog_batch *b, const struct filelog_settings *settings);
void filelog_batch_fini(struct filelog_batch *b);

/* Add a line. Errors of memory are kept until filelog_batch_finish(). */
void filelog_batch_add_line(struct filelog_batch *b, const struct tail_file *f, struct str text,
			    uint64_t offset, uint64_t observed);

/* Fill an entry from a line; it lives in `arena`. Return 0 or -ENOMEM. */
MUST_USE int filelog_batch_make_entry(struct filelog_batch *b, struct tail_file *f, struct str text,
				      uint64_t offset, uint64_t observed, struct arena *arena,
				      struct log_entry *out);

/* Add an entry. */
void filelog_batch_add_entry(struct filelog_batch *b, const struct log_entry *entry);

/* The attributes of a file have changed. */
static inline void filelog_batch_forget_file(struct filelog_batch *b)
{
	b->file = 0;
}

bool filelog_batch_is_full(const struct filelog_batch *b);

/* Return the message, without a charge to a budget, or NULL without memory; the batch is empty. */
struct payload *filelog_batch_finish(struct filelog_batch *b);

#endif
