/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_FINDINGS_FINDING_NAME_TABLE_H
#define VARVE_QUERY_FINDINGS_FINDING_NAME_TABLE_H

#include "query/findings/finding_names.h"

/*
 * The table behind finding_roles(). A name gets the roles of the first pattern of each language that
 * matches it. Immutable.
 */
struct finding_pattern {
	const char *function, *file; /* patterns; file NULL: any file or module */
	uint32_t roles;
};

/* The patterns of one language; the last one is zero. */
struct finding_patterns {
	enum finding_language language;
	const struct finding_pattern *at;
};

extern const struct finding_patterns finding_patterns[];
extern const size_t finding_patterns_count;

#endif
