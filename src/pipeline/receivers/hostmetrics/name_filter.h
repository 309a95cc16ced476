/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_NAME_FILTER_H
#define VARVE_PIPELINE_RECEIVERS_NAME_FILTER_H

#include "base/regex.h"
#include "config/settings.h"

/* Which devices, mount points ... a scraper reports: {include: {...}, exclude: {...}}. */
struct name_list {
	struct setting_list names;
	bool regexp; /* match_type: regexp; else strict */
};

struct name_filter_settings {
	struct name_list include, exclude; /* empty: no restriction */
};

/* Compiled lists. One thread at a time. */
struct name_matcher {
	const struct name_list *list;
	struct regex **patterns; /* of a list of regular expressions */
	uint32_t count;
};

struct name_filter {
	struct name_matcher include, exclude;
};

/*
 * Read {NAMES: [...], match_type: strict or regexp}, where `names` is the key of the list. Return 0
 * or the result of config_fail().
 */
MUST_USE int name_list_read(struct name_list *out, const struct config_node *n, const char *names,
			    const char *what, struct arena *arena, struct err *e);

/* Return 0, -ENOMEM, or -EINVAL for a bad expression. Call name_filter_fini() in every case. */
MUST_USE int name_filter_init(struct name_filter *f, const struct name_filter_settings *s,
			      struct err *e);
void name_filter_fini(struct name_filter *f);

bool name_filter_passes(const struct name_filter *f, struct str name);

#endif
