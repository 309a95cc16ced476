/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PPROF_DECODE_DECODER_H
#define VARVE_FORMAT_PPROF_DECODE_DECODER_H

#include "format/format.h"
#include "format/pprof/decode/id_table.h"
#include "format/pprof/schema.h"
#include "signal/profile/profile_merge.h"
#include "wire/proto.h"

/* State and helpers shared by the files of the pprof decoder. Private to format/pprof. */

/* All messages of one kind in the input. */
struct message_list {
	VEC(struct str) bodies;
	size_t bytes; /* total size */
};

/* A reference to a string, read before the string table is complete. */
struct string_ref {
	uint64_t index;
	const uint8_t *at; /* in the input, for errors */
};

struct type_refs {
	struct string_ref type, unit;
};

/* State of a string that is used as the key of labels. */
struct label_key {
	uint32_t canonical;   /* the first string with the same bytes, + 1; 0: not looked up yet */
	uint32_t last_sample; /* last sample with the key, + 1; a second value makes a list */
};

struct raw_label {
	uint32_t key, str, unit;
	uint32_t order;
	int64_t num;
	struct str body; /* the encoded message */
};

/*
 * Cache entry: a label message and the attribute it was decoded to. Most labels repeat earlier
 * ones.
 */
struct label_memo {
	uint64_t head; /* its first eight bytes */
	struct str body;
	uint32_t key;	    /* canonical */
	uint32_t attribute; /* 0: empty slot */
};

enum { LABEL_MEMOS = 256 };

/* The encoded label of a sample that has at most one. */
struct single_label {
	uint64_t bytes;
	uint8_t n;  /* length of the label; 0: the sample has no label */
	bool known; /* set for the attribute set that the entry belongs to */
};

struct pprof_decoder {
	struct profile_batch *out;
	struct str in;
	const struct decode_options *options;
	struct profile_merge *merge; /* receives the samples instead of the batch; may be NULL */
	struct err *e;

	struct message_list mappings, functions, locations, samples;
	struct id_table mapping_ids, function_ids, location_ids;
	VEC(struct type_refs) types;
	VEC(struct string_ref) comments;
	struct type_refs period_type;
	struct string_ref drop_frames, keep_frames, default_type, doc_url;
	int64_t time, duration, period;
	bool has_strings, warned_mapping, warned_function;
	uint32_t
		unknown_function; /* row of the function of lines without one; 0: not created yet */
	uint32_t string_count;	  /* in the file; the batch gets more, for attribute keys */
	uint32_t rows;		  /* per profile of the batch: all samples, or 1 with a merge */
	uint32_t row;		  /* of the current sample */
	uint32_t link;		  /* of the last sample that was merged */
	VEC(struct single_label) set_labels; /* by attribute set of the merge */

	/* Attributes that rows share, created on first use; 0: not yet. */
	uint32_t flag_attributes[PPROF_MAPPING_FLAGS], no_functions_attribute, folded_attribute,
		build_id_key;

	/* Labels */
	struct label_key *keys; /* by string; NULL before the first label */
	struct idset key_index, attribute_index, link_index;
	uint32_t trace_key, span_key; /* canonical + 1; 0: not seen */
	struct label_memo *memos;     /* LABEL_MEMOS slots, by hash of the body */
	VEC(struct raw_label) labels; /* of the current sample */
};

/* Set the error "at byte N: ..." for the position `at` in the input. Return -EBADMSG. */
int pprof_fail(struct pprof_decoder *d, const void *at, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Check a string index and set *out to it. Return 0 or -EBADMSG. */
static inline int pprof_string(struct pprof_decoder *d, uint64_t index, const void *at,
			       uint32_t *out)
{
	*out = 0;
	if (unlikely(index >= d->string_count))
		return pprof_fail(d, at, "expected an index into the %u strings, found %lld",
				  d->string_count, (long long)index);
	*out = (uint32_t)index;
	return 0;
}

/* Append a string to the batch. Return 0 or -errno. */
MUST_USE int pprof_new_string(struct pprof_decoder *d, struct str s, uint32_t *id);

/* Append an attribute row to the batch. Return 0 or -errno. */
MUST_USE int pprof_new_attribute(struct pprof_decoder *d, struct str key, struct value value,
				 uint32_t *id);

#endif
