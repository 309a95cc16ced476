/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_SELECTION_H
#define VARVE_API_SELECTION_H

#include "api/request.h"
#include "query/kept.h"
#include "query/time/sample_scan.h"
#include "signal/series.h"

/*
 * The samples that a query selects, from the store or from an opened file. A selection is assembled
 * by the selection_set_*() functions from the query's parameters; strings are borrowed from the
 * request.
 */
struct file;

struct selection {
	struct store *store; /* the request's, or the file's */
	struct files *files; /* the owner of `file` */
	struct file *file;   /* in use, or NULL */
	struct selector selector;
	struct store_select select; /* points to the fields above */
	struct profile_type type;   /* zero: any */
	struct stack_filter_options filter;
	struct time_filter times; /* of single samples */
	/* Restrict to these ids; selection_each() sets those of `select` in turn. */
	const uint8_t (*profiles)[16], (*traces)[16];
	uint32_t profile_n, trace_n;
	struct regex *focus, *ignore; /* owned, of `filter` */
	struct kept *kept;	      /* the request's cache */
	/*
	 * The version of the data in the result, once merged. Before that, `as_of` is the version
	 * of an earlier response that the query wants more of, or 0.
	 */
	struct kept_versions versions;
	struct kept_entry *held; /* the cached data of the result; released by selection_fini() */
	/*
	 * The query can be merged service by service (query/wide.h): if too large, fail early with
	 * -ENOMEM.
	 */
	bool wide;
	/* With `wide`: merge only this many of the largest frames instead of failing. 0: fail. */
	uint32_t largest;
};

/*
 * Allow a result with only the largest frames if memory is short. The caller shows at most
 * max_nodes frames; 0: it needs all.
 */
void selection_allow_largest(struct selection *s, uint64_t max_nodes);

/*
 * Select all series of the tenant, at any time; of the services of the caller's token, if it is
 * limited to some. Return 0 or -errno; release with selection_fini() in either case.
 */
MUST_USE int selection_init(struct selection *s, const struct request *r, struct err *e);
void selection_fini(struct selection *s);

/* Release the cached data of the result, before the selection is merged again. */
void selection_release(struct selection *s);

/* Query all of the file with this id. Return 0, -EINVAL, -ENOENT or the error of decoding it. */
MUST_USE int selection_set_file(struct selection *s, struct str id, struct request *r,
				struct err *e);

/* Select a profile type: five parts, or six that end with :delta. Return 0, -EINVAL or -ENOMEM. */
MUST_USE int selection_set_type(struct selection *s, struct str id, struct request *r,
				struct err *e);

/*
 * Set the range in milliseconds since 1970, both ends included. It is an error if either is 0
 * ("missing") or start is after end.
 */
MUST_USE int selection_set_range(struct selection *s, int64_t start_ms, int64_t end_ms,
				 struct err *e);

/*
 * Select ids in hex: spans 16 digits, traces 32, profiles 32; dashes are ignored in the latter two.
 * Return 0, -EINVAL or -ENOMEM.
 */
MUST_USE int selection_set_spans(struct selection *s, const struct texts *ids, struct request *r,
				 struct err *e);
MUST_USE int selection_set_traces(struct selection *s, const struct texts *ids, struct request *r,
				  struct err *e);
MUST_USE int selection_set_profiles(struct selection *s, const struct texts *ids, struct request *r,
				    struct err *e);

/*
 * Extend the selected spans by all their descendants that are stored; if none of the trace is, set
 * limits.missing. Return 0 or -errno.
 */
MUST_USE int selection_add_children(struct selection *s, struct request *r, struct err *e);

/*
 * Call `query` with each store_select of the selection: one for each combination of selected
 * profile and trace, or a single one. Return 0 or the first error of `query`.
 */
typedef int selection_query(const struct selection *s, const struct store_select *sel, void *ctx,
			    struct err *e);
MUST_USE int selection_each(struct selection *s, selection_query *query, void *ctx, struct err *e);

/*
 * Return -EINVAL if the type is a gauge, which has no single samples with times and spans; else 0.
 */
MUST_USE int selection_check_samples(const struct selection *s, struct err *e);

/*
 * Format the id of a profile, by which it can be selected: a UUID of 36 characters and a NUL. For
 * the many profiles without an id, derive a UUID version 8 from the profile's time and series.
 */
enum { PROFILE_ID_TEXT = 37 };
const char *profile_id_format(const uint8_t id[PROFILE_ID_SIZE], uint64_t time,
			      struct label_set labels, char out[PROFILE_ID_TEXT]);

#endif
