/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_ATTRIBUTES_H
#define VARVE_SDK_ATTRIBUTES_H

#include "base/str.h"
#include "varve/varve.h"

/*
 * Attributes of metrics, logs and events, encoded as OTLP KeyValue messages. The encoding is
 * canonical (sorted by key, each key once, valid UTF-8), so equal sets are equal bytes.
 */
enum {
	ATTRIBUTES_MAX = 32,	    /* of a set */
	ATTRIBUTES_BYTES = 4 << 10, /* of an encoded set */
	ATTRIBUTE_KEY_MAX = 256,
	ATTRIBUTE_TEXT_MAX = 2048, /* bytes of a string; longer ones are cut between characters */
};

/* The field number of encoded sets, which attributes_retag() changes. */
enum { ATTRIBUTES_FIELD = 7 };

/*
 * Encode the attributes into out[0 .. ATTRIBUTES_BYTES); *n is the size. False: there are too many,
 * and *n is the size of those that fit, the first by order of keys. Allocates nothing.
 */
bool attributes_encode(uint8_t out[ATTRIBUTES_BYTES], size_t *n, const struct varve_attribute *rows,
		       size_t count);

/* Change the field number, at most 15, of a complete encoded set. */
void attributes_retag(uint8_t *set, size_t n, uint32_t field);

/* Return the length of `text` cut between characters to at most `max` bytes. NULL has none. */
size_t text_length(const char *text, size_t max);

/* Replace each byte that is not valid UTF-8 by a question mark. */
void text_repair(char *text, size_t n);

#endif
