/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PROPAGATION_H
#define VARVE_PROPAGATION_H

/*
 * W3C baggage, and passing contexts in the headers of requests. Included by varve/varve.h.
 *
 *     struct varve_baggage *b = NULL, *before;
 *     struct varve_context c;
 *
 *     varve_extract(&c, &b, get_header, request);
 *     varve_baggage_attach(b, &before);
 *     span = varve_span_start_with("GET /cart", VARVE_SPAN_SERVER, &c);
 *     ...
 *     varve_inject(set_header, outgoing);
 *     ...
 *     varve_span_end(span);
 *     varve_baggage_detach(before);
 *     varve_baggage_release(b);
 */

#include "varve/attribute.h"

#ifdef __cplusplus
extern "C" {
#endif

struct varve_context;

/*
 * Baggage: entries of key and value that accompany a request. Immutable and counted by references;
 * may be passed to other threads. Every function accepts NULL, which is empty baggage. At most 180
 * entries and 8192 bytes in the header's form.
 */
struct varve_baggage;

/*
 * Return the baggage of a header: "key=value;property,key2=value2", percent-encoded values. Invalid
 * entries are left out. NULL: no entry is valid, or no memory. Release it.
 */
VARVE_API struct varve_baggage *varve_baggage_parse(const char *header);

/*
 * Return `baggage` with this entry, in place of one of the same key; a NULL value removes it. NULL:
 * the result is empty, it would exceed the limits, the key is not a token, or no memory. Release
 * it; `baggage` is unchanged.
 */
VARVE_API struct varve_baggage *varve_baggage_with(const struct varve_baggage *baggage,
						   const char *key, const char *value);

/* Add a reference and return it; release one. */
VARVE_API struct varve_baggage *varve_baggage_ref(struct varve_baggage *baggage);
VARVE_API void varve_baggage_release(struct varve_baggage *baggage);

/*
 * Copy the value of a key, decoded and NUL-terminated. Return its length, -ENOENT, or -ENOSPC when
 * it does not fit into `size` bytes.
 */
VARVE_API int varve_baggage_get(const struct varve_baggage *baggage, const char *key, char *out,
				size_t size);

/*
 * Write the header's form, NUL-terminated: VARVE_BAGGAGE_SIZE bytes are always enough. Return its
 * length, or -ENOSPC.
 */
enum { VARVE_BAGGAGE_SIZE = 8193 };
VARVE_API int varve_baggage_format(const struct varve_baggage *baggage, char *out, size_t size);

/*
 * Make baggage current on this thread, and restore the previous one. The thread holds a reference
 * of its own; *previous is passed to detach() and to nothing else. Entries whose keys are in the
 * option baggage_labels are labels of the thread's samples meanwhile.
 */
VARVE_API void varve_baggage_attach(struct varve_baggage *baggage, struct varve_baggage **previous);
VARVE_API void varve_baggage_detach(struct varve_baggage *previous);

/* Return the current baggage of this thread, or NULL. Release it. */
VARVE_API struct varve_baggage *varve_baggage_current(void);

/*
 * Call `set` with each header that passes the current span and baggage on, as the option
 * propagators says. Name and value are valid during the call. Return the number of headers.
 */
VARVE_API int varve_inject(void (*set)(void *arg, const char *name, const char *value), void *arg);

/*
 * Read context and baggage from headers. `get` returns the value of a header, whose name it
 * compares without case, or NULL. *context is "none" if no header is valid; *baggage is NULL or
 * released by the caller. Either may be NULL. Return 0, or -ENOENT when there is no valid context.
 */
VARVE_API int varve_extract(struct varve_context *context, struct varve_baggage **baggage,
			    const char *(*get)(void *arg, const char *name), void *arg);

#ifdef __cplusplus
}
#endif

#endif
