/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Construction of the automaton: a trie, whose missing transitions are then filled in breadth-first
 * order with those of the longest proper suffix (Aho and Corasick, 1975). All states are numbered in
 * the order of creation; state 0 is the root.
 */
#include "signal/sanitize/keyword_scan.h"

#include <stdlib.h>

static uint8_t fold_byte(char c)
{
	return (uint8_t)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

static const char *keyword_at(const char *const *texts, size_t stride, uint32_t i)
{
	return *(const char *const *)((const char *)texts + i * stride);
}

/* Give each character of the keywords a class; capital letters share that of the small ones. */
static void assign_classes(struct keyword_scan *k, const char *const *texts, size_t stride,
			   uint32_t count)
{
	uint8_t classes = 0;

	for (uint32_t i = 0; i < count; i++)
		for (const char *c = keyword_at(texts, stride, i); *c; c++) {
			uint8_t at = fold_byte(*c);

			if (k->class_of[at])
				continue;
			k->class_of[at] = ++classes;
			if (at >= 'a' && at <= 'z')
				k->class_of[at - 32] = classes;
		}
}

static void add_keyword(struct keyword_scan *k, const char *text, uint32_t number)
{
	uint16_t state = 0;

	for (; *text; text++) {
		uint16_t *next = &k->next[state][k->class_of[(uint8_t)*text]];

		if (!*next)
			*next = (uint16_t)k->states++;
		state = *next;
	}
	k->word[state] = (uint16_t)(number + 1);
}

/* Set the transitions of a state that the trie lacks; queue those that it has. */
static void complete_state(struct keyword_scan *k, uint16_t state, uint16_t *suffix,
			   uint16_t *queue, uint32_t *queued)
{
	for (unsigned c = 0; c < KEYWORD_CLASSES; c++) {
		uint16_t *next = &k->next[state][c];
		uint16_t fallback = state ? k->next[suffix[state]][c] : 0;

		if (!*next) {
			*next = fallback;
			continue;
		}
		suffix[*next] = fallback;
		k->shorter[*next] = k->word[fallback] ? fallback : k->shorter[fallback];
		queue[(*queued)++] = *next;
	}
}

/* Mark the transitions to states in which a keyword ends. */
static void mark_hits(struct keyword_scan *k)
{
	for (uint32_t s = 0; s < k->states; s++)
		for (unsigned c = 0; c < KEYWORD_CLASSES; c++) {
			uint16_t to = k->next[s][c];

			if (k->word[to] || k->shorter[to])
				k->next[s][c] = (uint16_t)(to | KEYWORD_HIT);
		}
}

struct keyword_scan *keyword_scan_new(const char *const *texts, size_t stride, uint32_t count)
{
	struct keyword_scan *k = calloc(1, sizeof(*k));
	uint16_t *suffix = calloc(2 * KEYWORD_STATES_MAX, sizeof(*suffix));
	uint32_t room = 1, queued = 1;

	for (uint32_t i = 0; i < count; i++)
		room += (uint32_t)strlen(keyword_at(texts, stride, i));
	if (!k || !suffix || room > KEYWORD_STATES_MAX)
		goto fail;
	k->next = calloc(room, sizeof(*k->next));
	k->word = calloc(2 * (size_t)room, sizeof(*k->word));
	k->lengths = calloc(count + 1, sizeof(*k->lengths));
	if (!k->next || !k->word || !k->lengths)
		goto fail;
	k->shorter = k->word + room;
	k->states = 1;
	assign_classes(k, texts, stride, count);
	for (uint32_t i = 0; i < count; i++) {
		add_keyword(k, keyword_at(texts, stride, i), i);
		k->lengths[i] = (uint8_t)strlen(keyword_at(texts, stride, i));
	}
	for (uint32_t at = 0; at < queued; at++)
		complete_state(k, suffix[KEYWORD_STATES_MAX + at], suffix,
			       suffix + KEYWORD_STATES_MAX, &queued);
	mark_hits(k);
	free(suffix);
	return k;
fail:
	free(suffix);
	keyword_scan_free(k);
	return NULL;
}

void keyword_scan_free(struct keyword_scan *k)
{
	if (!k)
		return;
	free(k->next);
	free(k->word);
	free(k->lengths);
	free(k);
}
