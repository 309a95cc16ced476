/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_DASHBOARDS_DASHBOARDS_H
#define VARVE_API_DASHBOARDS_DASHBOARDS_H

#include <pthread.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/*
 * The dashboards of the pages (docs/dashboards.md): one JSON file each, DIRECTORY/NAME.json, or
 * DIRECTORY/@TENANT/NAME.json of a tenant. Files may also be written by others while the server
 * runs: nothing is cached.
 *
 * A file is replaced atomically and is on disk when a function returns. Its etag is a digest of its
 * bytes; a change may depend on it, so that two editors do not overwrite each other.
 *
 * Any thread; changes are serialized by the mutex.
 */
enum {
	DASHBOARD_NAME_MAX = 64,
	DASHBOARD_BYTES_MAX = 256 * 1024,
	DASHBOARDS_MAX = 500,	  /* of a tenant */
	DASHBOARD_ETAG_SIZE = 19, /* 16 hex digits in quotes */
};

struct dashboards {
	char *directory; /* NULL: there are no dashboards */
	pthread_mutex_t mu;
};

/* `directory` is created with the first dashboard; NULL: none. Return 0 or -ENOMEM. */
MUST_USE int dashboards_init(struct dashboards *d, const char *directory);
void dashboards_fini(struct dashboards *d); /* takes the zero value */

/*
 * Check a name: a letter or digit, then up to 63 of A-Z a-z 0-9 . _ -. Return 0 or -EINVAL.
 */
MUST_USE int dashboard_name_check(struct str name, struct err *e);

struct dashboard_key {
	struct str tenant; /* empty: the single tenant */
	struct str name;
};

/*
 * Append the file's bytes to `out` and set its etag and the time of its last change (ns since
 * 1970). Return 0, -ENOENT, -EINVAL for a bad name, -EFBIG for a file above the limit, or -errno.
 */
MUST_USE int dashboards_read(struct dashboards *d, const struct dashboard_key *key, struct buf *out,
			     char etag[DASHBOARD_ETAG_SIZE], uint64_t *changed_ns, struct err *e);

/*
 * Call `each` with the names of all dashboards of a tenant, sorted; at most DASHBOARDS_MAX. Return
 * 0, what `each` returns if it is not 0, or -errno.
 */
MUST_USE int dashboards_list(struct dashboards *d, struct str tenant,
			     int (*each)(void *arg, struct str name), void *arg, struct err *e);

/* A change, and the conditions under which it is made. */
struct dashboard_change {
	struct dashboard_key key;
	struct str if_match;	  /* an etag, or "*": only if it exists; empty: no condition */
	struct str if_none_match; /* "*": only if it does not exist; empty: no condition */
	/* Logs the change before it is made; an error prevents it. */
	int (*log)(void *arg, struct err *e);
	void *arg;
};

/*
 * Write a document that dashboard_check() has accepted. Return 0 with the new etag, and whether the
 * dashboard is new; -ESTALE if a condition does not hold, -EINVAL for a bad name or too many
 * dashboards, or -errno. After an error the old file is in place.
 */
MUST_USE int dashboards_put(struct dashboards *d, const struct dashboard_change *c,
			    struct str document, char etag[DASHBOARD_ETAG_SIZE], bool *created,
			    struct err *e);

/* Delete a dashboard. Return 0, -ENOENT, -ESTALE, -EINVAL or -errno. */
MUST_USE int dashboards_delete(struct dashboards *d, const struct dashboard_change *c,
			       struct err *e);

#endif
