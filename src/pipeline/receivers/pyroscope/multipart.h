/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PYROSCOPE_MULTIPART_H
#define VARVE_PIPELINE_PYROSCOPE_MULTIPART_H

#include "base/err.h"
#include "base/str.h"

/*
 * A body of multipart/form-data (RFC 7578), part by part, borrowed. Nothing is allocated.
 *
 *	rc = multipart_open(&m, body, boundary, e);
 *	while (!rc && (rc = multipart_next(&m, &part, e)) == 1)
 *		...
 */
struct multipart {
	struct str body, boundary;
	size_t at; /* behind the last boundary line */
	unsigned parts;
	bool ended;
};

struct multipart_part {
	struct str name, filename; /* of Content-Disposition */
	struct str bytes;
};

enum { MULTIPART_PARTS_MAX = 100, MULTIPART_HEADERS_MAX = 16384 };

/* 0, or -EBADMSG when the boundary is not there at all. */
MUST_USE int multipart_open(struct multipart *m, struct str body, struct str boundary,
			    struct err *e);

/* 1 with the next part, 0 behind the last, or -EBADMSG "multipart: at byte N: ...". */
MUST_USE int multipart_next(struct multipart *m, struct multipart_part *part, struct err *e);

#endif
