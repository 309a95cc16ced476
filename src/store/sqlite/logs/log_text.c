/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of text, their hashes, and the search for phrases. */
#include "store/sqlite/logs/log_text.h"

#include <xxhash.h>

#define TEN(v) v, v, v, v, v, v, v, v, v, v
#define HEX (LOG_TOKEN | LOG_TOKEN_HEX)
#define DIGIT (HEX | LOG_TOKEN_DIGIT)
#define SIXTEEN(v) TEN(v), v, v, v, v, v, v

const uint8_t log_token_bytes[256] = {
	/* 0x00 */ SIXTEEN(0),
	/* 0x10 */ SIXTEEN(0),
	/* 0x20 */ SIXTEEN(0),
	/* 0x30 */ TEN(DIGIT),
	0,
	0,
	0,
	0,
	0,
	0,
	/* 0x40 */ 0,
	TEN(1),
	TEN(1),
	1,
	1,
	1,
	1,
	1,
	1,
	0,
	0,
	0,
	0,
	1,
	/* 0x60 */ 0,
	HEX,
	HEX,
	HEX,
	HEX,
	HEX,
	HEX,
	TEN(1),
	TEN(1),
	0,
	0,
	0,
	0,
	0,
	/* 0x80 */ SIXTEEN(1),
	SIXTEEN(1),
	SIXTEEN(1),
	SIXTEEN(1),
	SIXTEEN(1),
	SIXTEEN(1),
	SIXTEEN(1),
	SIXTEEN(1)};

bool log_next_token(struct str *rest, struct str *token)
{
	size_t i = 0, from;

	while (i < rest->n && !log_is_token_byte(rest->p[i]))
		i++;
	from = i;
	while (i < rest->n && log_is_token_byte(rest->p[i]))
		i++;
	if (i == from)
		return false;
	*token = str_of(rest->p + from, i - from);
	*rest = str_of(rest->p + i, rest->n - i);
	return true;
}

static inline char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Longer tokens are hashed in parts; nearly all are shorter. */
enum { TOKEN_PART = 64 };

uint64_t log_token_hash(struct str token)
{
	char part[TOKEN_PART] = {0};
	uint64_t hash = 0;

	do {
		size_t n = min_size(token.n, TOKEN_PART);

		for (size_t i = 0; i < n; i++)
			part[i] = lower(token.p[i]);
		hash = XXH3_64bits_withSeed(part, n, hash);
		token = str_of(token.p + n, token.n - n);
	} while (token.n);
	return hash;
}

uint64_t log_attribute_hash(struct str key, struct str value)
{
	return XXH3_64bits_withSeed(value.p ? value.p : "", value.n,
				    XXH3_64bits(key.p ? key.p : "", key.n));
}

uint64_t log_id_hash(const uint8_t *id, size_t n)
{
	return XXH3_64bits(id, n);
}

int log_lower(struct str text, struct arena *a, struct str *out)
{
	char *copy = arena_alloc(a, text.n + 1, 1);

	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < text.n; i++)
		copy[i] = lower(text.p[i]);
	*out = str_of(copy, text.n);
	return 0;
}

static bool is_at(struct str text, size_t at, struct str phrase)
{
	for (size_t i = 0; i < phrase.n; i++)
		if (lower(text.p[at + i]) != phrase.p[i])
			return false;
	return true;
}

/* A border is needed only next to a byte of a word. */
static bool has_borders(struct str text, size_t at, struct str phrase)
{
	size_t end = at + phrase.n;

	return (!at || !log_is_token_byte(phrase.p[0]) || !log_is_token_byte(text.p[at - 1])) &&
	       (end == text.n || !log_is_token_byte(phrase.p[phrase.n - 1]) ||
		!log_is_token_byte(text.p[end]));
}

bool log_has_phrase(struct str text, struct str phrase)
{
	if (!phrase.n)
		return true;
	for (size_t i = 0; i + phrase.n <= text.n; i++)
		if (lower(text.p[i]) == phrase.p[0] && is_at(text, i, phrase) &&
		    has_borders(text, i, phrase))
			return true;
	return false;
}
