/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_DASHBOARDS_DASHBOARD_DOCUMENT_H
#define VARVE_API_DASHBOARDS_DASHBOARD_DOCUMENT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/*
 * Checks the document of a dashboard (docs/dashboards.md): JSON, the fields that the pages rely on,
 * and their limits. Queries are not parsed: a panel shows their errors.
 */
enum {
	DASHBOARD_VERSION = 1,
	DASHBOARD_TITLE_MAX = 200,
	DASHBOARD_PANELS_MAX = 200,
	DASHBOARD_VARIABLES_MAX = 50,
	DASHBOARD_QUERIES_MAX = 20, /* of a panel */
	DASHBOARD_QUERY_MAX = 16 * 1024,
	DASHBOARD_COLUMNS = 24,
	DASHBOARD_ROWS_MAX = 10000,
};

struct dashboard_summary {
	struct str title, description; /* in the text or the arena */
	uint32_t panels;
};

/*
 * Check a document. Return 0 with its summary, -EINVAL with line, column and what was expected, or
 * -ENOMEM.
 */
MUST_USE int dashboard_check(struct str text, struct arena *arena, struct dashboard_summary *out,
			     struct err *e);

#endif
