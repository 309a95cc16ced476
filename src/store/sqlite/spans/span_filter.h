/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_FILTER_H
#define VARVE_STORE_SQLITE_SPAN_FILTER_H

#include "base/container/vec.h"
#include "store/sqlite/spans/span_rows.h"

/*
 * The filter of a group of spans (read/filter.h): it has each pair of key and value of an attribute
 * that is a string, a bool or a number, of arrays each of their elements; and names, services,
 * status messages, and the names of events and scopes as values of intrinsics. A search skips a
 * group whose filter does not have its value. A double that is whole is the int of its value.
 */
enum span_filter_scope {
	SPAN_FILTER_SPAN,
	SPAN_FILTER_RESOURCE,
	SPAN_FILTER_EVENT,
	SPAN_FILTER_LINK,
	SPAN_FILTER_INSTRUMENTATION,
	SPAN_FILTER_INTRINSIC, /* the key is one of span_filter_intrinsic */
};

enum span_filter_intrinsic {
	SPAN_FILTER_NAME,
	SPAN_FILTER_SERVICE,
	SPAN_FILTER_STATUS_MESSAGE,
	SPAN_FILTER_EVENT_NAME,
	SPAN_FILTER_SCOPE_NAME,
};

/* Return the hash of a key, for span_filter_text() and span_filter_number(). */
uint64_t span_filter_key(enum span_filter_scope scope, struct str key);
uint64_t span_filter_intrinsic(enum span_filter_intrinsic which);

/* Return the hash of a key with that string, or with that int or bool as a field stores it. */
uint64_t span_filter_text(uint64_t key, struct str value);
uint64_t span_filter_number(uint64_t key, uint64_t value);

/* Return the hash of a key with that double. */
uint64_t span_filter_double(uint64_t key, double value);

/* The hashes of a group, collected before the size of its filter is known. */
struct span_hashes {
	VEC(uint64_t) list;
};

/* Add the attributes of a message, which are its fields `field`. Return 0 or -ENOMEM. */
MUST_USE int span_hashes_attributes(struct span_hashes *h, struct arena *a,
				    enum span_filter_scope scope, struct str message,
				    uint32_t field);

/* Add one attribute, a KeyValue message. Return 0 or -ENOMEM. */
MUST_USE int span_hashes_attribute(struct span_hashes *h, struct arena *a,
				   enum span_filter_scope scope, struct str message);

/* Add a string field of a message as the value of an intrinsic. Return 0 or -ENOMEM. */
MUST_USE int span_hashes_name(struct span_hashes *h, struct arena *a,
			      enum span_filter_intrinsic which, struct str message, uint32_t field);

/* Add all that the filter has of the details of a span. Return 0 or -ENOMEM. */
MUST_USE int span_hashes_details(struct span_hashes *h, struct arena *a, struct str details);

/* The same of a resource, and of a scope. */
MUST_USE int span_hashes_resource(struct span_hashes *h, struct arena *a, struct str message);
MUST_USE int span_hashes_scope(struct span_hashes *h, struct arena *a, struct str message);

/* Add all that the filter has of a field of details but for an attribute. Return 0 or -ENOMEM. */
MUST_USE int span_hashes_field(struct span_hashes *h, struct arena *a, uint8_t field,
			       struct str message);

/* Append the filter. Return 0 or -ENOMEM. */
MUST_USE int span_hashes_put(struct buf *out, const struct span_hashes *h, struct arena *a);

/* Return whether the filter may have the hash. */
bool span_filter_has(struct str filter, uint64_t hash);

#endif
