/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PPROF_DECODER_H
#define VARVE_FORMAT_PPROF_DECODER_H

#include "base/container/idset.h"
#include "format/format.h"
#include "format/pprof/schema.h"
#include "signal/profile/profile_merge.h"
#include "wire/proto.h"

/* What the files of the pprof decoder share. Private to format/pprof. */

/* The messages of one kind, wherever they stand in the input. */
struct section {
	VEC(struct str) bodies;
	size_t bytes; /* of all of them */
};

/*
 * From the ids of a pprof table, any 64-bit numbers, to rows of ours. Nearly every writer counts
 * 1, 2, 3: then the id is the row and nothing is looked up. Small ids in another order are an
 * array, the rest a hash index.
 */
struct id_table {
	uint64_t *ids; /* ids[row], from row 1 */
	uint32_t count;
	bool identity;
	bool allow_zero; /* one row may have the id 0 */
	uint32_t *dense; /* row of id, 0: none */
	uint64_t dense_limit;
	struct idset sparse;
};

/* A reference to a string, read before the string table is known. */
struct string_ref {
	uint64_t index;
	const uint8_t *at;
};

struct type_refs {
	struct string_ref type, unit;
};

/* What is known of a string that is used as a label's key. */
struct label_key {
	uint32_t canonical;   /* the first string with these bytes, + 1; 0: not seen yet */
	uint32_t last_sample; /* + 1: a second value in the same sample makes a list */
};

struct raw_label {
	uint32_t key, str, unit;
	uint32_t order;
	int64_t num;
	struct str body; /* as it stands in the file */
};

/* A label message that was met lately, and what it became: most samples repeat those of others. */
struct label_memo {
	uint64_t head; /* its first eight bytes */
	struct str body;
	uint32_t key, attribute; /* key is canonical; attribute 0: an empty slot */
};

enum { LABEL_MEMOS = 256 };

/* The only label of a sample, as it stands in the file. */
struct usual_label {
	uint64_t bytes;
	uint8_t n; /* of them; 0: none */
	bool met;
};

struct pprof_decoder {
	struct profile_batch *out;
	struct str in;
	const struct decode_options *options;
	struct profile_merge *merge; /* where samples go instead of the batch, or NULL */
	struct err *e;

	struct section mappings, functions, locations, samples;
	struct id_table mapping_ids, function_ids, location_ids;
	VEC(struct type_refs) types;
	VEC(struct string_ref) comments;
	struct type_refs period_type;
	struct string_ref drop_frames, keep_frames, default_type, doc_url;
	int64_t time, duration, period;
	bool has_strings, warned_mapping, warned_function;
	uint32_t unknown_function; /* the row of lines without a function; 0: not made yet */
	uint32_t string_count;	   /* of the file: the batch gets more, for attribute keys */
	uint32_t rows; /* of each profile of the batch: all samples, or the one at hand */
	uint32_t row;  /* of the sample at hand */
	uint32_t link; /* of the last sample that was merged */
	VEC(struct usual_label) set_labels; /* of each set of attributes of the merge */

	/* Attributes that rows share, made on first use; 0: not yet. */
	uint32_t flag_attributes[PPROF_MAPPING_FLAGS], no_functions_attribute, folded_attribute,
		build_id_key;

	/* labels */
	struct label_key *keys; /* by string; NULL before the first label */
	uint32_t key_count;
	struct idset key_index, attribute_index, link_index;
	uint32_t trace_key, span_key; /* canonical + 1; 0: not seen */
	struct label_memo *memos;     /* LABEL_MEMOS of them, by hash of the body */
	VEC(struct raw_label) labels; /* of the sample at hand */
};

/* "at byte N: expected WHAT, found ..."; `at` lies in the input. Returns -EBADMSG. */
int pprof_fail(struct pprof_decoder *d, const void *at, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Check a string index and narrow it. 0 or -EBADMSG. */
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

/* Build the lookup once all ids are in. *bad is the row whose id is 0 or was there before, if -EBADMSG. */
MUST_USE int id_table_seal(struct id_table *t, struct arena *arena, uint32_t *bad);

/* The slow half of id_table_find(). */
uint32_t id_table_search(const struct id_table *t, uint64_t id);

/* The row with that id, or 0. */
static inline uint32_t id_table_find(const struct id_table *t, uint64_t id)
{
	if (likely(t->identity))
		return id <= t->count ? (uint32_t)id : 0;
	return id_table_search(t, id);
}

/* decode_tables.c: mappings, functions, locations, in this order. */
MUST_USE int pprof_decode_tables(struct pprof_decoder *d);

/* decode_samples.c: resource, scope and profiles are there; fill their samples. */
MUST_USE int pprof_decode_samples(struct pprof_decoder *d);

/* Decode one, into the batch or for the merge. */
MUST_USE int pprof_decode_sample(struct pprof_decoder *d, struct str body, uint32_t sample);

/* decode_usual.c: hand all samples to the merge. */
MUST_USE int pprof_merge_samples(struct pprof_decoder *d);

/*
 * decode_labels.c. A label either becomes an attribute of the sample at once, or is gathered in
 * d->labels; if there are such, they are turned into attributes and a link when `body`, the
 * sample, ends.
 */
MUST_USE int pprof_read_label(struct pprof_decoder *d, uint32_t sample, struct str body);
MUST_USE int pprof_end_labels(struct pprof_decoder *d, uint32_t sample, struct str body,
			      uint32_t *link);

/* The attribute that a label makes when it is the only one of its sample; false when there is none, a link, or an error. */
bool pprof_label_attribute(struct pprof_decoder *d, struct str body, struct attribute *out);

/* Append an attribute row, a string. */
MUST_USE int pprof_new_string(struct pprof_decoder *d, struct str s, uint32_t *id);
MUST_USE int pprof_new_attribute(struct pprof_decoder *d, struct str key, struct value value,
				 uint32_t *id);

#endif
