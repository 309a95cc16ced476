/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PROMETHEUS_SCRAPED_STATE_H
#define VARVE_PIPELINE_RECEIVERS_PROMETHEUS_SCRAPED_STATE_H

#include "base/container/idset.h"
#include "pipeline/receivers/prometheus/relabel.h"
#include "pipeline/receivers/prometheus/text_parser.h"
#include "signal/otlp/build.h"

/*
 * What is known of one target between scrapes: its series, and the data points, metrics, scopes and
 * resources that they are part of. A series is found by its text; relabelling, and the assignment
 * to a data point, are done only when it is new. One thread at a time.
 *
 * Rows refer to each other by index. Rows that are not used any more are removed by
 * scraped_state_compact().
 */
enum scraped_role {
	ROLE_DROPPED, /* by relabelling, or of a type without counterpart in OTLP */
	ROLE_INFO,    /* target_info: attributes of the resource */
	ROLE_VALUE,
	ROLE_COUNT,
	ROLE_SUM,
	ROLE_BUCKET,
	ROLE_QUANTILE,
	ROLE_CREATED,
};

enum { SCRAPED_NONE = UINT32_MAX };

/* What TYPE, HELP and UNIT lines say. */
struct scraped_meta {
	struct str name, help, unit;
	enum scraped_type type;
	uint32_t version; /* grows when the type changes */
	uint64_t seq;	  /* of the last scrape with it */
};

struct scraped_resource {
	struct str job, instance;
	const struct attributes *info; /* of target_info in this scrape, or NULL */
	uint64_t info_seq;
};

struct scraped_scope {
	uint32_t resource;
	struct str name, version;
	uint32_t first_family, last_family;
};

struct scraped_family {
	struct str name;
	enum scraped_type type;
	uint32_t scope;
	uint32_t meta; /* or SCRAPED_NONE */
	uint32_t next; /* of the scope */
	uint32_t first_point, last_point;
};

struct scraped_bucket {
	double bound, value; /* of a histogram, cumulative; or quantile and value */
};

struct scraped_point {
	uint32_t family, next;
	struct attributes attributes;
	uint32_t hash; /* of family and attributes */
	bool explicit_time;
	bool live; /* was written after the last scrape: ends with a staleness marker */
	/* Of the current scrape, if seq is its number: */
	uint64_t seq, time;
	bool has_value, has_count, has_sum;
	double value, count, sum, created;
	VEC(struct scraped_bucket) buckets;
	VEC(struct otlp_exemplar) exemplars;
	/* Of the scrapes before: */
	uint64_t start;
	double previous;
};

struct scraped_series {
	struct str text;
	uint32_t hash;
	enum scraped_role role;
	uint32_t point;
	double bound; /* buckets, quantiles */
	uint32_t meta, meta_version;
	uint64_t seq;		       /* of the last scrape with it */
	const struct attributes *info; /* ROLE_INFO */
	uint32_t resource;	       /* ROLE_INFO */
};

struct scraped_state {
	struct arena arena;
	struct idset series_by_text, points_by_hash, metas_by_name, families_by_hash;
	VEC(struct scraped_series) series;
	VEC(struct scraped_point) points;
	VEC(struct scraped_family) families;
	VEC(struct scraped_meta) metas;
	VEC(struct scraped_scope) scopes;
	VEC(struct scraped_resource) resources;
	uint64_t seq;
	uint32_t unknown_version; /* grows when a meta is added */
};

/* Return 0 or -ENOMEM. Call scraped_state_fini() in every case. */
MUST_USE int scraped_state_init(struct scraped_state *s);
void scraped_state_fini(struct scraped_state *s);

/* Return the index of the series with this text, or SCRAPED_NONE. */
uint32_t scraped_find_series(const struct scraped_state *s, struct str text, uint32_t hash);

/* Note a TYPE, HELP or UNIT line. Return 0 or -ENOMEM. */
MUST_USE int scraped_note_meta(struct scraped_state *s, const struct text_entry *entry);

/*
 * Return the index of the meta of a sample's name, and in *suffix what the name has after the name
 * of the family; SCRAPED_NONE if there is none.
 */
uint32_t scraped_find_meta(const struct scraped_state *s, struct str name, struct str *suffix);

/* Find or add rows; texts are copied. Return the index, or SCRAPED_NONE without memory. */
uint32_t scraped_resource_at(struct scraped_state *s, struct str job, struct str instance);
uint32_t scraped_scope_at(struct scraped_state *s, uint32_t resource, struct str name,
			  struct str version);
uint32_t scraped_family_at(struct scraped_state *s, uint32_t scope, struct str name,
			   enum scraped_type type, uint32_t meta);
uint32_t scraped_point_at(struct scraped_state *s, uint32_t family,
			  const struct attributes *attributes);

/* Copy attributes of text with their texts. Return 0 or -ENOMEM. */
MUST_USE int scraped_copy_attributes(struct attributes *out, const struct attributes *from,
				     struct arena *arena);

/*
 * Forget rows that the last scrape, which has succeeded, did not use, if they are many. Return 0,
 * or -ENOMEM: nothing has changed.
 */
MUST_USE int scraped_state_compact(struct scraped_state *s);

#endif
