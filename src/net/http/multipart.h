/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_HTTP_MULTIPART_H
#define VARVE_NET_HTTP_MULTIPART_H

#include "base/err.h"
#include "base/str.h"

/*
 * multipart/form-data (RFC 7578) of a body that is whole in memory. Parts are slices of it; nothing
 * is copied or allocated.
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
	MULTIPART_BOUNDARY_MAX = 200, /* RFC 2046 says 70 */
};

struct multipart_part {
	struct str name;	 /* of the field, as between the quotes; p == NULL: none */
	struct str filename;	 /* p == NULL: none */
	struct str content_type; /* may be empty */
	struct str bytes;
};

struct multipart {
	struct str body, boundary;
	size_t at; /* behind the last delimiter found */
	unsigned parts;
	bool done;
};

/* Look at the content type. 0, or -EINVAL when it is not multipart/form-data, -EBADMSG without a boundary. */
MUST_USE int multipart_begin(struct multipart *m, struct str content_type, struct str body,
			     struct err *e);

/* The same when the boundary is known. 0, or -EBADMSG for one that cannot be. */
MUST_USE int multipart_open(struct multipart *m, struct str body, struct str boundary,
			    struct err *e);

/*
 * The next part: 1; 0 behind the last; -EBADMSG "multipart: at byte N: expected X, found Y"; -EFBIG over a limit
 * above. A body without its last delimiter is an error: something of it is missing.
 */
MUST_USE int multipart_next(struct multipart *m, struct multipart_part *part, struct err *e);

/* The part with that field name: 0, -ENOENT, or an error as above. */
MUST_USE int multipart_find(struct str content_type, struct str body, struct str name,
			    struct multipart_part *part, struct err *e);

#endif
