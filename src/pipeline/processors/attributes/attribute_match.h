/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_ATTRIBUTES_ATTRIBUTE_MATCH_H
#define VARVE_PIPELINE_PROCESSORS_ATTRIBUTES_ATTRIBUTE_MATCH_H

#include "config/settings.h"
#include "pipeline/processors/scratch.h"
#include "pipeline/processors/setting_value.h"
#include "signal/otlp/tree.h"

/*
 * The blocks include and exclude of the processor attributes: which spans, log records and metrics
 * are concerned. All lists that are given have to match; a list matches if one of its entries does,
 * but of `attributes` and `resources` all entries have to match.
 */
struct match_pair {
	struct str key;
	struct setting_value value; /* not set: any value */
	uint32_t regex;
};

struct match_pairs {
	struct match_pair *at;
	uint32_t n;
};

struct match_library {
	struct str name, version;
	bool has_version;
	uint32_t name_regex, version_regex;
};

struct match_libraries {
	struct match_library *at;
	uint32_t n;
};

struct match_settings {
	struct str match_type;
	struct setting_list services, span_names, span_kinds, log_bodies, log_severity_texts,
		metric_names;
	struct match_pairs attributes, resources;
	struct match_libraries libraries;
	int64_t severity_min;
	bool severity_undefined, has_severity;
};

extern const struct setting match_table[];

/* Texts that a field is compared with. */
struct match_texts {
	struct setting_list list;
	uint32_t *regexes;
};

struct attribute_match {
	bool regexp;
	enum signal_kind signal;
	struct match_texts services, names, kinds, bodies, severity_texts;
	struct match_pairs attributes, resources;
	struct match_libraries libraries;
	int64_t severity_min;
	bool severity_undefined, has_severity;
};

/*
 * Check the settings for one signal and compile their patterns; `name` is "include" or "exclude".
 * Memory is in `arena`; texts are borrowed. Return 0, -ENOMEM, or -EINVAL with text in `e`.
 */
MUST_USE int attribute_match_init(struct attribute_match *m, const struct match_settings *s,
				  const char *name, enum signal_kind signal,
				  struct scratch_pool *pool, struct arena *arena, struct err *e);

/* Return whether the resource matches: then its scopes have to be looked at. */
bool attribute_match_resource(const struct attribute_match *m, const struct scratch *s,
			      const struct otlp_resource *resource);
bool attribute_match_scope(const struct attribute_match *m, const struct scratch *s,
			   const struct otlp_scope *scope);
bool attribute_match_item(const struct attribute_match *m, const struct scratch *s,
			  struct str item);

#endif
