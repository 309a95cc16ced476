/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_PROFILE_PROFILE_H
#define VARVE_SIGNAL_PROFILE_PROFILE_H

#include "base/arena.h"
#include "base/container/bytes_key.h"
#include "base/container/vec.h"
#include "base/err.h"
#include "signal/value.h"

/*
 * The profile batch, which every decoder fills and which encoders, the store and queries read.
 *
 * It is a flat layout of OTLP profiles 1.11. Dictionary tables are arrays of fixed-size rows that
 * refer to each other by 32-bit index; lists inside rows are ranges of a shared pool; samples are
 * columns. All memory is the batch's arena or the decoded input, which must outlive the batch;
 * nothing is allocated per element.
 *
 * Invariants, verified by profile_batch_check():
 *  - Row 0 of each dictionary table (strings, mappings, functions, locations, stacks, links,
 *    attributes) exists and is the zero value: "none".
 *  - Every index is below the size of its table, every range inside its pool.
 *  - Profiles are in the order of their scopes, scopes in the order of their resources;
 *    every scope and resource index is non-decreasing. Profile p's samples are rows
 *    [sample_first, sample_first + sample_count); profiles cover all samples in order.
 *  - The *_at columns have sample_count + 1 entries, start at 0, do not decrease, and end at the
 *    size of their pool.
 *  - A sample has one of four shapes: one value and no time; n values and n times; n times and no
 *    value (each counts 1); no value and no time ("nothing seen").
 *  - No attribute list has the same key twice.
 *
 * A decoded batch may contain equal rows and unused rows. profile_normalize() removes both. A batch
 * is written by one thread; once it is passed on it is immutable and may be read by many.
 */

/* A range of a pool. */
struct list {
	uint32_t at, n;
};

struct mapping {
	uint64_t start, limit, offset;
	uint32_t filename;	/* string */
	struct list attributes; /* of attribute_refs */
};

struct function {
	uint32_t name, system_name, filename; /* strings */
	int64_t start_line;
};

struct line {
	uint32_t function;
	int64_t line, column;
};

struct location {
	uint64_t address;
	uint32_t mapping;
	struct list lines;	/* innermost inlined call first, the actual function last */
	struct list attributes; /* of attribute_refs */
};

struct link {
	uint8_t trace_id[16], span_id[8];
};

struct attribute {
	uint32_t key, unit; /* strings */
	struct value value;
};

struct keyvalue {
	struct str key;
	struct value value;
};

struct resource {
	struct list attributes; /* of keyvalues */
	uint32_t dropped_attributes;
	struct str schema_url;
	struct str entity_refs; /* encoded fields 3 of Resource, including tags */
};

struct scope {
	uint32_t resource;
	struct str name, version, schema_url;
	struct list attributes; /* of keyvalues */
	uint32_t dropped_attributes;
};

/* What a number counts; both are strings. */
struct value_type {
	uint32_t type, unit;
};

enum { PROFILE_ID_SIZE = 16 };

struct profile {
	uint32_t scope;
	struct value_type sample_type, period_type;
	int64_t period;
	uint64_t time_unix_nano, duration_nano;
	uint8_t id[PROFILE_ID_SIZE]; /* all zero: none */
	uint32_t dropped_attributes;
	struct str payload_format, payload;
	struct list attributes; /* of attribute_refs */
	uint32_t sample_first, sample_count;
};

struct profile_batch {
	struct arena arena;

	/* the dictionary */
	VEC(struct str) strings;
	VEC(struct mapping) mappings;
	VEC(struct function) functions;
	VEC(struct location) locations;
	VEC(struct list) stacks; /* of stack_locations, the leaf first */
	VEC(struct link) links;
	VEC(struct attribute) attributes;
	/* The key of each string (profile_key_strings()), so that it is computed once; or NULL. */
	const struct bytes_key *string_keys;

	/* pools that rows refer to */
	VEC(struct line) lines;
	VEC(uint32_t) stack_locations;
	VEC(uint32_t) attribute_refs; /* attribute lists of mappings, locations and profiles */
	VEC(struct keyvalue) keyvalues;

	/* sources */
	VEC(struct resource) resources;
	VEC(struct scope) scopes;
	VEC(struct profile) profiles;

	/* samples, as columns; sample i's times are times.at[times_at[i] .. times_at[i + 1]) */
	uint32_t sample_count, sample_cap;
	uint32_t *sample_stack;
	uint32_t *sample_link;
	uint32_t *sample_attributes_at; /* into sample_attributes */
	uint32_t *sample_values_at;	/* into values */
	uint32_t *sample_times_at;	/* into times */
	VEC(uint32_t) sample_attributes;
	VEC(int64_t) values;
	VEC(uint64_t) times;
};

/* Initialize a batch with row 0 of each table. 0 or -ENOMEM. Fini in every case. */
MUST_USE int profile_batch_init(struct profile_batch *b, struct budget *budget);
void profile_batch_fini(struct profile_batch *b);

/* Empty the batch and keep its memory for reuse. 0 or -ENOMEM. */
MUST_USE int profile_batch_reset(struct profile_batch *b);

/*
 * Verify the invariants above. 0, or -EINVAL with the table, row and reason in `e`.
 * (profile_check.c)
 */
MUST_USE int profile_batch_check(const struct profile_batch *b, struct err *e);

/* Set string_keys of a finished batch. 0 or -ENOMEM. */
MUST_USE int profile_key_strings(struct profile_batch *b);

/*
 * Add a sample to the last profile. It consists of the attributes, values and times that the caller
 * has appended to the pools since the previous sample. 0 or -errno.
 */
static inline int profile_sample_end(struct profile_batch *b, uint32_t stack, uint32_t link);

/* Reserve memory for `more` samples. 0, -ENOMEM or -EOVERFLOW. */
MUST_USE int profile_batch_reserve_samples(struct profile_batch *b, size_t more);

/* Return the locations of a stack and their number in *n. */
static inline const uint32_t *stack_of(const struct profile_batch *b, uint32_t stack, uint32_t *n)
{
	struct list l = b->stacks.at[stack];

	*n = l.n;
	return b->stack_locations.at + l.at;
}

static inline struct str string_of(const struct profile_batch *b, uint32_t id)
{
	return b->strings.at[id];
}

/* Return the sum of the sample's values, or the number of its times if it has no values. */
static inline int64_t sample_total(const struct profile_batch *b, uint32_t sample)
{
	uint32_t at = b->sample_values_at[sample], end = b->sample_values_at[sample + 1];
	uint64_t sum = 0; /* wraps instead of overflowing */

	if (at == end)
		return (int64_t)(b->sample_times_at[sample + 1] - b->sample_times_at[sample]);
	for (; at < end; at++)
		sum += (uint64_t)b->values.at[at];
	return (int64_t)sum;
}

/* Return the attribute with that key in a list of attribute ids, or NULL. */
const struct attribute *profile_find_attribute(const struct profile_batch *b, const uint32_t *ids,
					       uint32_t n, struct str key);

/* Return the value of that key among a resource's or scope's attributes, or NULL. */
const struct value *profile_find_keyvalue(const struct profile_batch *b, struct list attributes,
					  struct str key);

/*
 * Set these attributes on every resource, replacing existing ones with the same key (service.name
 * and service_name are the same key). Strings are borrowed. 0 or -ENOMEM.
 */
MUST_USE int profile_set_resource(struct profile_batch *b, const struct keyvalue *at, uint32_t n);

static inline int profile_sample_end(struct profile_batch *b, uint32_t stack, uint32_t link)
{
	uint32_t i = b->sample_count;

	if (unlikely(i + 1 >= b->sample_cap)) {
		int rc = profile_batch_reserve_samples(b, 1);

		if (rc)
			return rc;
	}
	b->sample_stack[i] = stack;
	b->sample_link[i] = link;
	b->sample_attributes_at[i + 1] = b->sample_attributes.n;
	b->sample_values_at[i + 1] = b->values.n;
	b->sample_times_at[i + 1] = b->times.n;
	b->sample_count = i + 1;
	b->profiles.at[b->profiles.n - 1].sample_count++;
	return 0;
}

#endif
