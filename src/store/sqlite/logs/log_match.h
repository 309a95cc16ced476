/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_LOG_MATCH_H
#define VARVE_STORE_SQLITE_LOG_MATCH_H

#include "store/sqlite/logs/log_rows.h"
#include "store/store.h"

/*
 * The conditions of a search, prepared once, and checked for streams and records. One thread at a
 * time.
 */
struct log_matcher {
	const struct store_log_select *select;
	struct str *phrases; /* in lower case */
	/* Hashes that a page must have for a match: of whole tokens, ids and attributes. */
	VEC(uint64_t) needed;
	struct str literal;  /* occurs in all matches of the regular expression; may be empty */
	struct arena *arena; /* of what is prepared */
	struct buf text;     /* scratch: a body or value as text */
	struct err error;    /* of a regular expression that hit a limit */
};

/* Prepare. Return 0 or -ENOMEM. Fini in any case. */
MUST_USE int log_matcher_init(struct log_matcher *m, const struct store_log_select *select,
			      struct arena *arena);
void log_matcher_fini(struct log_matcher *m);

/* Return whether records of the stream may match: tenant, service, attributes of the resource. */
bool log_match_stream(struct log_matcher *m, const struct log_stream *s);

/* Return whether the conditions need text, attributes or ids of a record, not only severity. */
bool log_match_needs_more(const struct log_matcher *m);

/* Return whether text of the body is needed. */
bool log_match_needs_text(const struct log_matcher *m);

/* Return 1 if the severity, the ids, the text or the attributes match, 0 if not, or -errno. */
bool log_match_severity(const struct log_matcher *m, uint32_t severity);
bool log_match_ids(const struct log_matcher *m, const uint8_t *trace_id, const uint8_t *span_id);
MUST_USE int log_match_text(struct log_matcher *m, struct str text);
MUST_USE int log_match_attributes(struct log_matcher *m, const struct log_record *r,
				  const struct log_stream *s);

/* Return whether a record of a matching stream matches: 1, 0 or -errno. */
MUST_USE int log_match_record(struct log_matcher *m, const struct log_record *r,
			      const struct log_stream *s);

/* Return the body as text, in m->text or of the message. */
struct str log_body_text(struct buf *scratch, struct str body);

#endif
