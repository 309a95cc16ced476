/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_VARVE_VARVE_H
#define VARVE_API_VARVE_VARVE_H

#include "api/selection.h"
#include "api/varve/json_fields.h"
#include "query/label_list.h"
#include "query/tree/cut.h"
#include "wire/json_write.h"

/*
 * Private to src/api/varve: our own interface, /api/v1/... in JSON. docs/openapi.json describes it
 * and the tests hold every answer against that.
 *
 * Parameters that many share:
 *	query	 checkout{env="prod"}, {...}; empty: everything
 *	type	 a profile type, or a part of it that says enough: cpu, inuse_space
 *	from, to now-1h, RFC 3339, since 1970 in s, ms, us or ns; the last hour without them
 *	file	 the id of a file that was dropped: it is asked, all of it unless from and to say otherwise
 *	as_of	 of an answer over the same range: more of the same moment, if it is still kept (query/kept.h)
 *	span, trace, profile	ids in hex, may be repeated
 *	children the spans and all that they called, as far as the structure of their traces is kept
 *	time_from, time_to, phase_step, phase_from, phase_to	only samples whose own time is in it: query/time/sample_scan.h
 *	function, call_site	stacks with that function; that begin with these (repeated, the root first)
 *	group, invert, focus, ignore, hide, show, show_from, ignore_case	as the commands have them
 */

/* A question that is about samples of one type. */
struct view_ask {
	struct selection s;
	struct tree_options tree; /* grouping and filters; owns the expressions */
	struct texts call_site;
	struct str frames; /* the filters as text */
};

/* Which parameters name a selection: "query", or "before" and "after" of a difference. */
struct view_names {
	const char *query, *from, *to, *file;
};

extern const struct view_names view_names_single;

/* Labels and times alone, and whom to ask. 0, -EINVAL, -ENOMEM. selection_fini() in every case. */
MUST_USE int ask_labels(struct selection *s, struct request *r, struct err *e);

/*
 * All of it, the type too: when it is not said, it is CPU time if there is any, else the first there is. 0, -EINVAL, -ENOENT
 * (also where nothing is selected at all), -ENOMEM. view_ask_fini() in every case.
 */
MUST_USE int view_ask_read(struct view_ask *a, const struct view_names *names, struct request *r,
			   struct err *e);

/* The same for a list, which may be empty: with nothing selected at all the type is. */
MUST_USE int view_ask_read_any(struct view_ask *a, const struct view_names *names,
			       struct request *r, struct err *e);
void view_ask_fini(struct view_ask *a);

/* Both sides of a difference, of one type: 0 or an -errno as above. view_ask_fini() of both in every case. */
MUST_USE int view_pair_read(struct view_ask sides[2], struct request *r, struct err *e);

/* Which part of a tree a picture shows; `path` holds its names. 0, -EINVAL, -ENOMEM. */
MUST_USE int view_cut_read(struct request *r, struct cut_options *o, struct texts *path,
			   struct err *e);

/* For answers that cannot tell samples apart by their own times: 0, or -EINVAL when these are asked for. */
MUST_USE int view_ask_untimed(const struct view_ask *a, struct err *e);

/* The finished tree of what is asked; of two asks for a difference. tree_fini() in every case. */
MUST_USE int view_tree(struct tree *t, struct view_ask *a, struct view_ask *after,
		       struct request *r, struct err *e);

/* The spans of what is asked, sorted. spans_fini() in every case. */
struct spans;
MUST_USE int view_spans(struct spans *spans, struct view_ask *a, struct request *r, struct err *e);

/* ---- answers ---- */

/* Begin an object; once the store was asked, for then it is known what the answer is without: "warnings", if any. */
struct json_writer answer_open(struct reply *out, const struct store_missing *missing);

/* The same with what is asked: type, unit, gauge, from, to. */
struct json_writer view_open(struct reply *out, const struct view_ask *a);

/* Close it. 0 or -ENOMEM. */
MUST_USE int view_close(struct json_writer *w);

void put_labels(struct json_writer *w, struct label_set labels);
enum { HEX_ID_MAX = 32 };
void put_hex(struct json_writer *w, const char *key, const uint8_t *id, size_t n);

/* Whether profiles of a service other than this server's own are kept, of any time. 0 or -errno. */
MUST_USE int others_kept(struct request *r, bool *out, struct err *e);

/* "types": an object each; what is no profile type is left out. */
void put_types(struct json_writer *w, const struct label_list *types);

/* ---- the answers themselves ---- */

/* The values of a label with the total of each, the largest first. As an api_answer. */
MUST_USE int varve_label_costs(struct request *r, struct str name, struct reply *out,
			       struct err *e);

api_answer varve_services, varve_types, varve_labels, varve_label_values, varve_label_sets,
	varve_stats, varve_status, varve_profiles;
api_answer varve_top, varve_tree, varve_flame, varve_callers, varve_diff, varve_span, varve_trace,
	varve_sums;
api_answer varve_series, varve_heatmap, varve_profile, varve_delete, varve_upload;
api_answer varve_files, varve_spans, varve_moments;

#endif
