/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_DRIFT_DRIFT_EVENT_H
#define VARVE_API_DRIFT_DRIFT_EVENT_H

#include "query/drift/drift.h"
#include "wire/json.h"
#include "wire/json_write.h"

/*
 * An event of drift: functions of one service whose cost of one profile type changed at about the
 * same time, and what to compare to see why.
 */
enum {
	DRIFT_EVENT_FUNCTIONS = 8,
	DRIFT_EVENT_TEXT = 256, /* bytes of a name or list of versions; the rest is cut */
};

struct drift_event_function {
	struct str name, file;			   /* file: empty if unknown */
	double ratio, low, high, before, after, z; /* struct drift_finding */
	double extra; /* units per second more than before; negative: less */
};

struct drift_event {
	uint64_t id; /* grows from event to event of a server; 0: not added yet */
	struct str tenant, service, type;
	enum drift_kind kind;
	uint64_t since, found; /* nanoseconds since 1970 */
	uint64_t ended;	       /* when the first function was back at its old cost; 0: it was not */
	bool deploy;
	struct str versions_before, versions_after; /* separated by ", "; empty: unknown */
	uint64_t before_from, before_to, after_from, after_to; /* ranges to compare */
	double extra;					       /* of all functions */
	/* By `extra`, the largest first. */
	struct drift_event_function functions[DRIFT_EVENT_FUNCTIONS];
	uint32_t function_n;
	uint32_t more; /* functions beyond those */
};

/* Return "regression", "improvement", "new" or "ended". */
struct str drift_kind_name(enum drift_kind kind);
/* Return whether the text is a name of a kind, and set *kind. */
bool drift_kind_parse(struct str name, enum drift_kind *kind);

/* Copy an event with its strings, which are cut to their limits. Return NULL without memory. */
struct drift_event *drift_event_dup(const struct drift_event *from);

/*
 * Append the event as an object. With `tenant` it can be read back by drift_event_read(); without,
 * it is that of the API (docs/openapi.json), which has links in addition.
 */
void drift_event_put(struct json_writer *w, const struct drift_event *at, bool tenant);

/*
 * Read an event of drift_event_put(). Strings are borrowed from the document. Return 0, or -EBADMSG
 * with the field.
 */
MUST_USE int drift_event_read(struct drift_event *out, const struct json_value *object,
			      struct err *e);

/* Return whether the event was found in the week before `now`, and has not ended. */
bool drift_event_active(const struct drift_event *at, uint64_t now);

/* Return the cost of a function divided by its cost before; of a new one infinity. */
double drift_event_ratio(const struct drift_event *at, uint32_t function);

/* Append the path and the parameters of the page that compares the ranges. */
void drift_event_page(struct buf *out, const struct drift_event *at);

/* Append the path and the parameters of the API for the same. */
void drift_event_diff(struct buf *out, const struct drift_event *at);

/* Append a sentence: "parse() costs 21 % more (5.0 % to 6.0 % of the service, 0.12 cores)". */
void drift_event_text(struct buf *out, const struct drift_event *at);

#endif
