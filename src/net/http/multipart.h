/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_HTTP_MULTIPART_H
#define VARVE_NET_HTTP_MULTIPART_H

#include "base/err.h"
#include "base/str.h"

/*
 * Iterate over the parts of a complete multipart/form-data body (RFC 7578). Parts are slices of the
 * body; nothing is copied or allocated.
 *
 *	struct multipart m;
 *	struct multipart_part part;
 *
 *	rc = multipart_begin(&m, http_header(x, STR("content-type")), x->body, e);
 *	while (!rc && (rc = multipart_next(&m, &part, e)) == 1)
 *		...
 */
enum {
	MULTIPART_PARTS_MAX = 1000,
	MULTIPART_HEADER_MAX = 8192,  /* bytes of one part's headers */
	MULTIPART_BOUNDARY_MAX = 200, /* RFC 2046 allows 70 */
};

struct multipart_part {
	struct str name;	 /* of the field, as between the quotes; p == NULL: none */
	struct str filename;	 /* p == NULL: none */
	struct str content_type; /* may be empty */
	struct str bytes;
};

struct multipart {
	struct str body, boundary;
	size_t at; /* after the last delimiter found */
	unsigned parts;
	bool done;
};

/*
 * Begin with the boundary of a content type. Return 0, -EINVAL if the type is not
 * multipart/form-data, or -EBADMSG without a valid boundary.
 */
MUST_USE int multipart_begin(struct multipart *m, struct str content_type, struct str body,
			     struct err *e);

/* Begin with a known boundary. Return 0, or -EBADMSG if it is empty or too long. */
MUST_USE int multipart_open(struct multipart *m, struct str body, struct str boundary,
			    struct err *e);

/*
 * Read the next part. Return 1; 0 after the last part; -EBADMSG with "multipart: at byte N:
 * expected X, found Y"; or -EFBIG over a limit above. A body without its closing delimiter is an
 * error, because it is truncated.
 */
MUST_USE int multipart_next(struct multipart *m, struct multipart_part *part, struct err *e);

/* Find the part of a field. Return 0, -ENOENT, or an error of the functions above. */
MUST_USE int multipart_find(struct str content_type, struct str body, struct str name,
			    struct multipart_part *part, struct err *e);

#endif
