/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_LOG_TEXT_H
#define VARVE_STORE_SQLITE_LOG_TEXT_H

#include "base/container/vec.h"

/*
 * Words of text. A token is a maximal run of ASCII letters, digits, '_' and bytes of other
 * characters (from 0x80 on). Hashes of tokens ignore the case of ASCII letters; they are stored in
 * filters, so they must never change.
 */
enum { LOG_TOKEN = 1, LOG_TOKEN_DIGIT = 2, LOG_TOKEN_HEX = 4 }; /* lower-case hex */
extern const uint8_t log_token_bytes[256];

static inline bool log_is_token_byte(char c)
{
	return log_token_bytes[(uint8_t)c];
}

/* Get the next token of *rest. Return false if there is none. */
bool log_next_token(struct str *rest, struct str *token);

/* Return the hash of a token. */
uint64_t log_token_hash(struct str token);

/* Return the hash of an attribute with its value as text, and of an id. */
uint64_t log_attribute_hash(struct str key, struct str value);
uint64_t log_id_hash(const uint8_t *id, size_t n);

/* Return whether the phrase, in lower case, occurs in the text with whole words. */
bool log_has_phrase(struct str text, struct str phrase);

/* Append the phrase in lower case. Return 0 or -ENOMEM. */
MUST_USE int log_lower(struct str text, struct arena *a, struct str *out);

#endif
