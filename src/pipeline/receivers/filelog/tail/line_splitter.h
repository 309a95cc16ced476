/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_LINE_SPLITTER_H
#define VARVE_PIPELINE_FILELOG_LINE_SPLITTER_H

#include "base/regex.h"
#include "pipeline/receivers/filelog/filelog_settings.h"

/*
 * Cuts the bytes of a file into entries: lines, or what lies between the matches of a pattern. It has
 * no state of a file, so that one splitter serves all. One thread.
 */
struct line_splitter {
	enum text_encoding encoding;
	struct regex *start, *end; /* NULL: lines */
	bool omit, truncate;
	size_t max;
};

/* An entry in the bytes that were given. */
struct line_token {
	size_t advance;	 /* bytes that are done with */
	struct str text; /* of the entry, as in the file */
	bool is_entry;	 /* false: the bytes are skipped */
};

/* Call line_splitter_fini() in every case. */
MUST_USE int line_splitter_init(struct line_splitter *s, const struct filelog_settings *settings,
				struct err *e);
void line_splitter_fini(struct line_splitter *s);

/*
 * Find the first entry. With `final`, no more bytes follow: the rest is an entry. *skipping is the
 * only state: the rest of an entry that was truncated is skipped. Return true with *out, or false if
 * more bytes are needed, of which at most `max` + 4 are kept.
 */
bool line_split(const struct line_splitter *s, struct str data, bool final, bool *skipping,
		struct line_token *out);

#endif
