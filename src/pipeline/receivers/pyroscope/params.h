/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PYROSCOPE_PARAMS_H
#define VARVE_PIPELINE_PYROSCOPE_PARAMS_H

#include "base/err.h"
#include "pipeline/receivers/pyroscope/metric.h"
#include "signal/profile/profile.h"

/* The query parameters and headers of a request to /ingest. */
enum ingest_format {
	INGEST_TRIE,
	INGEST_TREE,
	INGEST_LINES,
	INGEST_JFR,
	INGEST_PPROF,
	INGEST_SPEEDSCOPE,
	INGEST_MULTIPART_PPROF,
	INGEST_FOLDED,
	INGEST_BY_CONTENT,
};

enum { INGEST_LABELS_MAX = 1000 };

/* Headers that exporters send instead of query parameters; all may be empty. */
struct ingest_headers {
	struct str service; /* X-Service-Name */
	struct str type;    /* X-Profile-Type: cpu, heap, ... */
	struct str time;    /* X-Profile-Timestamp */
	struct str trace;   /* X-Trace-ID */
};

struct ingest_params {
	struct str app; /* the service: of name=app{key=value} or X-Service-Name; may be empty */
	bool named;	/* name= is present */
	VEC(struct keyvalue) labels; /* of name=, without reserved ones */
	uint64_t from, until;	     /* nanoseconds since 1970; 0: absent, i.e. now */
	uint64_t time;		     /* X-Profile-Timestamp; 0: none */
	struct link trace;	     /* X-Trace-ID; zero: none */
	struct metric metric;	     /* of X-Profile-Type; empty name: none */
	int64_t sample_rate;	     /* per second, above 0 */
	struct str spy_name;	     /* default "unknown" */
	enum ingest_format format;
	struct str boundary; /* of a multipart body; p == NULL: not multipart */
};

/*
 * Parse the query (as sent) and the content type. Strings are in the arena or borrowed. Return 0,
 * -ENOMEM, or -EINVAL with "name: ..." in `e` (400, as in Pyroscope).
 */
MUST_USE int ingest_params_parse(struct ingest_params *p, struct arena *arena, struct str query,
				 struct str content_type, uint64_t now, struct err *e);

/* Apply the headers to the parsed query. Return 0, or -EINVAL with "X-...: ..." in `e`. */
MUST_USE int ingest_headers_parse(struct ingest_params *p, const struct ingest_headers *h,
				  uint64_t now, struct err *e);

/*
 * Parse "app.name{key=value,key2=value2}". Labels that begin with __ are skipped, except
 * __session_id__. Return 0, -ENOMEM or -EINVAL.
 */
MUST_USE int ingest_name_parse(struct ingest_params *p, struct arena *arena, struct str name,
			       struct err *e);

#endif
