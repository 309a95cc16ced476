/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_SELECTION_H
#define VARVE_API_SELECTION_H

#include "api/request.h"
#include "query/kept.h"
#include "query/time/sample_scan.h"
#include "signal/series.h"

/*
 * Which samples a question is about, put together bit by bit from whatever form it came in, and
 * asked of the store, or of a file. Texts are borrowed from the request.
 */
struct file;

struct selection {
	struct store *store; /* whom to ask: the request's, or the file */
	struct files *files; /* of the file */
	struct file *file;   /* in use; NULL: none */
	struct selector selector;
	struct store_select select; /* of the store; points to the above */
	struct profile_type type;   /* zero: any */
	struct stack_filter_options filter;
	struct time_filter times;		      /* of single samples */
	const uint8_t (*profiles)[16], (*traces)[16]; /* only these; select's are set in turn */
	uint32_t profile_n, trace_n;
	struct regex *focus, *ignore; /* of the filter */
	struct kept *kept;	      /* the request's */
	/*
	 * Of which moment the answer is, once it has been merged. Before: `as_of`, the version of an answer that the query
	 * wants more of; 0: none.
	 */
	struct kept_moment moment;
	struct kept_entry *held; /* what the answer reads; given back by selection_fini() */
	/* The query can be answered service by service (query/wide.h): one that does not fit the memory fails at once with -ENOMEM. */
	bool wide;
	/* With `wide`: merge only this many of the largest frames instead of failing. 0: fail. */
	uint32_t largest;
};

/* Allow an answer with only the largest frames if the memory is short. The caller shows at most max_nodes frames; 0: it needs all. */
void selection_take_largest(struct selection *s, uint64_t max_nodes);

/* All series of the tenant, at no time yet. Fini in every case. */
void selection_init(struct selection *s, const struct request *r);
void selection_fini(struct selection *s);

/* Give back what the answer reads, before another one is made of the selection. */
void selection_release(struct selection *s);

/* Ask the file with this id from now on, all of it. 0, -EINVAL, -ENOENT, or as decoding it fails. */
MUST_USE int selection_set_file(struct selection *s, struct str id, struct request *r,
				struct err *e);

/* Only this profile type: five parts, or six that end with :delta. 0, -EINVAL, -ENOMEM. */
MUST_USE int selection_set_type(struct selection *s, struct str id, struct request *r,
				struct err *e);

/* Milliseconds since 1970, both ends included. Neither may be 0 ("missing"), and start not behind end. */
MUST_USE int selection_set_range(struct selection *s, int64_t start_ms, int64_t end_ms,
				 struct err *e);

/* Ids in hex: of spans 16 digits, of traces 32, of profiles 32 with or without dashes. 0, -EINVAL, -ENOMEM. */
MUST_USE int selection_set_spans(struct selection *s, const struct texts *ids, struct request *r,
				 struct err *e);
MUST_USE int selection_set_traces(struct selection *s, const struct texts *ids, struct request *r,
				  struct err *e);
MUST_USE int selection_set_profiles(struct selection *s, const struct texts *ids, struct request *r,
				    struct err *e);

/*
 * Not only the spans that are named but all that they called, too, as far as that is kept; where nothing of it is,
 * limits.missing says so. 0 or -errno.
 */
MUST_USE int selection_add_children(struct selection *s, struct request *r, struct err *e);

/*
 * Call `ask` with each store_select that the selection is made of: one of each profile and trace that is named, or one
 * for all of them. 0, or what `ask` returned that is not.
 */
typedef int selection_ask(const struct selection *s, const struct store_select *sel, void *ctx,
			  struct err *e);
MUST_USE int selection_each(struct selection *s, selection_ask *ask, void *ctx, struct err *e);

/* For questions about single samples: these cannot be averaged. 0 or -EINVAL. */
MUST_USE int selection_check_samples(const struct selection *s, struct err *e);

/*
 * The id by which a profile is told and can be asked for, as "7c3b...-...": 36 characters and a NUL. Most senders
 * give none; then it is made of the profile's time and series, as a UUID of version 8.
 */
enum { PROFILE_ID_TEXT = 37 };
const char *profile_id_format(const uint8_t id[PROFILE_ID_SIZE], uint64_t time,
			      struct label_set labels, char out[PROFILE_ID_TEXT]);

#endif
