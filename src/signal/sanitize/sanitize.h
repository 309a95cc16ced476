/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SANITIZE_SANITIZE_H
#define VARVE_SIGNAL_SANITIZE_SANITIZE_H

#include "base/arena.h"
#include "base/err.h"

/*
 * Finds secrets and personal data in the texts of telemetry and replaces them.
 *
 * A sanitizer is a set of rules: built-in ones, hand-written matchers that need no library, and
 * rules of the user, whose matcher the caller supplies (regular expressions are not linked into
 * libvarve). One pass of an Aho-Corasick automaton over a text finds the keywords of all built-in
 * rules; a matcher runs only at a keyword. Texts without a match are remembered by a 64-bit hash, so
 * that the same text of a later batch costs one lookup.
 *
 * The result is bounded (SANITIZE_GROWTH) and idempotent for built-in rules. An error in a rule
 * replaces the whole text: the sanitizer fails closed.
 *
 * A sanitizer is immutable but for its cache, which any thread may use. A sanitize_run is one
 * thread's work on one batch.
 */

/* What a text is. A rule applies to a set of places. */
enum sanitize_place {
	SANITIZE_VALUES = 1 << 0,    /* values of attributes and labels */
	SANITIZE_KEYS = 1 << 1,	     /* their keys */
	SANITIZE_FUNCTIONS = 1 << 2, /* names of functions */
	SANITIZE_FILES = 1 << 3,     /* names of source files, binaries and libraries */
	SANITIZE_SPANS = 1 << 4,     /* names of spans and events, messages of a status */
	SANITIZE_BODIES = 1 << 5,    /* bodies of logs, texts in them */
	SANITIZE_METRICS = 1 << 6,   /* attribute values of data points and exemplars */
	SANITIZE_OTHER = 1 << 7,     /* names of metrics, scopes and units, descriptions, URLs */
};
enum { SANITIZE_PLACES = 8, SANITIZE_EVERYWHERE = 0xff };

/* "values", "keys", ...: by bit number. */
extern const char *const sanitize_place_names[SANITIZE_PLACES];

enum sanitize_group {
	SANITIZE_SECRETS = 1 << 0,
	SANITIZE_EMAIL = 1 << 1,
	SANITIZE_CARDS = 1 << 2,
	SANITIZE_IP = 1 << 3,
	/* Functions named after passwords, secrets, credentials or tokens become [REDACTED]. */
	SANITIZE_FUNCTION_NAMES = 1 << 4,
};
enum { SANITIZE_DEFAULT_GROUPS = SANITIZE_SECRETS | SANITIZE_EMAIL | SANITIZE_CARDS };

enum sanitize_action {
	SANITIZE_REPLACE,   /* what matched, by the token of the rule */
	SANITIZE_HASH,	    /* what matched, by a keyed hash: equal values stay equal */
	SANITIZE_DROP,	    /* the attribute; of a text that is no attribute, the whole text */
	SANITIZE_DROP_ITEM, /* the sample, span, data point or log record */
};

/* A rule of the user. Texts outlive the sanitizer. */
struct sanitize_rule {
	const char *name;
	unsigned places; /* enum sanitize_place, or-ed */
	enum sanitize_action action;
	struct str token; /* for SANITIZE_REPLACE */
};

struct sanitize_range {
	size_t from, to;
};

/* What rules of the user need; one thread at a time. */
struct sanitize_user {
	/*
	 * Find the first match of a rule at or after `at`. Return 1, 0, or a negative errno, after
	 * which the whole text is replaced.
	 */
	int (*find)(void *state, uint32_t rule, struct str text, size_t at,
		    struct sanitize_range *found);
	/* Append the hash of a value to `out`, at most SANITIZE_HASH_MAX bytes. 0 or -errno. */
	int (*hash)(void *state, const char *rule, struct str value, char *out, size_t *n);
	void *state;
};
enum { SANITIZE_HASH_MAX = 32, SANITIZE_USER_RULES_MAX = 100, SANITIZE_TOKEN_MAX = 64 };

struct sanitize_options {
	unsigned groups; /* enum sanitize_group, or-ed */
	const struct sanitize_rule *rules;
	uint32_t rule_count;
	unsigned cache_bits; /* 2 to the power of it entries of 8 bytes; 0: no cache */
};

struct sanitizer;

/* Make a sanitizer. Return 0, or -ENOMEM with text in `e`. */
MUST_USE int sanitizer_new(struct sanitizer **out, const struct sanitize_options *o, struct err *e);
void sanitizer_free(struct sanitizer *z); /* accepts NULL */

/* Rules are numbered: the built-in ones, then those of the user. */
uint32_t sanitizer_rule_count(const struct sanitizer *z);
const char *sanitizer_rule_name(const struct sanitizer *z, uint32_t rule);

/* What the key of an attribute says about its value. */
enum sanitize_key_kind {
	SANITIZE_KEY_PLAIN,
	SANITIZE_KEY_SECRET, /* password, api.key, http.request.header.authorization, ... */
	SANITIZE_KEY_CARD,   /* card.number, pan */
	SANITIZE_KEY_ID,     /* ids, hashes, times: digits in it are no card number */
};
enum sanitize_key_kind sanitize_key_kind(struct str key);

struct sanitize_run {
	const struct sanitizer *z;
	struct arena *arena; /* new texts */
	struct sanitize_user user;
	uint32_t *counts; /* by rule; zeroed by the caller */
	/*
	 * Called for each finding, for a report; may be NULL. `found` is part of the original text:
	 * never print it as it is.
	 */
	void (*report)(void *arg, const char *rule, enum sanitize_place place, struct str key,
		       struct str found);
	void *report_arg;
};

enum sanitize_verdict {
	SANITIZE_KEEP,	  /* nothing was found; *out is the text itself */
	SANITIZE_CHANGED, /* *out is the text to use */
	SANITIZE_REMOVE,  /* remove the attribute */
	SANITIZE_REMOVE_ITEM,
};

/*
 * Look at a text. `key` is the key of the attribute that it belongs to, or empty. Return an enum
 * sanitize_verdict, or -ENOMEM.
 */
MUST_USE int sanitize_text(struct sanitize_run *r, enum sanitize_place place, struct str key,
			   struct str text, struct str *out);

/*
 * For many texts that have no key, and whose hashes are known (base/container/bytes_key.h): remove
 * those from the list that were examined before and had no finding. Return the number of the others,
 * which go to sanitize_looked_up(). One call for many texts hides the latency of memory.
 */
struct sanitize_lookup {
	uint64_t hash; /* of the text; changed by sanitize_look_up() */
	enum sanitize_place place;
	uint32_t id; /* the caller's */
};
uint32_t sanitize_look_up(const struct sanitizer *z, struct sanitize_lookup *at, uint32_t n);
MUST_USE int sanitize_looked_up(struct sanitize_run *r, const struct sanitize_lookup *l,
				struct str text, struct str *out);

/* The same for runs of texts, each by one hash: whether nothing was found in all of them. */
bool sanitize_knows_run(const struct sanitizer *z, uint64_t hash);
void sanitize_learn_run(const struct sanitizer *z, uint64_t hash);

/* No result is longer than SANITIZE_GROWTH times the text plus SANITIZE_GROWTH_MIN bytes. */
enum { SANITIZE_GROWTH = 4, SANITIZE_GROWTH_MIN = 64 };

/* Return whether the text is a replacement that this module has written. */
bool sanitize_is_token(struct str text);

#endif
