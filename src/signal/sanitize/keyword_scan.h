/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SANITIZE_KEYWORD_SCAN_H
#define VARVE_SIGNAL_SANITIZE_KEYWORD_SCAN_H

#include "base/str.h"

/*
 * An Aho-Corasick automaton: finds all occurrences of a set of keywords in one pass, without regard
 * to ASCII case. It is a table of transitions by state and class of byte. Immutable after
 * keyword_scan_new(); any thread.
 */
enum {
	KEYWORD_STATES_MAX = 1024,
	KEYWORD_CLASSES = 64, /* distinct characters of all keywords, and one for the others */
	KEYWORD_HIT = 0x8000, /* flag of a transition: a keyword ends here */
};

struct keyword_scan {
	uint8_t class_of[256];
	uint16_t (*next)[KEYWORD_CLASSES]; /* by state */
	uint16_t *word; /* by state: number of a keyword that ends here + 1, or 0 */
	uint16_t
		*shorter; /* by state: the state of the next shorter keyword that ends here, or 0 */
	uint32_t states;
	uint8_t *lengths; /* by number of the keyword */
};

/*
 * Build the automaton of `count` keywords, `texts` at intervals of `stride` bytes. Return it, or
 * NULL without memory. The caller guarantees the limits above, and
 * that a keyword has at most 255 bytes.
 */
struct keyword_scan *keyword_scan_new(const char *const *texts, size_t stride, uint32_t count);
void keyword_scan_free(struct keyword_scan *k); /* accepts NULL */

/* Advance by one byte. */
static inline uint16_t keyword_step(const struct keyword_scan *k, uint16_t state, char c)
{
	return k->next[state & (KEYWORD_HIT - 1)][k->class_of[(uint8_t)c]];
}

#endif
