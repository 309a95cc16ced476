/* SPDX-License-Identifier: Apache-2.0 */
/* Rows are found linearly: there are few, and SANITIZE_ROWS_MAX at most. */
#include "cli/sanitize_report.h"

#include <stdio.h>

enum { HINT_FROM = 12 }; /* texts of fewer bytes are masked completely */

void sanitize_report_init(struct sanitize_report *r)
{
	*r = (struct sanitize_report){0};
	arena_init(&r->arena, NULL);
}

void sanitize_report_fini(struct sanitize_report *r)
{
	arena_fini(&r->arena);
}

/* Copy printable ASCII; other bytes become "?". */
static void copy_shown(char *out, size_t size, struct str text)
{
	size_t n = min_size(text.n, size - 1);

	for (size_t i = 0; i < n; i++)
		out[i] = (char)(text.p[i] < ' ' || text.p[i] > '~' ? '?' : text.p[i]);
	out[n] = 0;
}

static void make_hint(char out[SANITIZE_HINT], struct str found)
{
	char head[3] = "";

	if (found.n >= HINT_FROM)
		copy_shown(head, sizeof(head), found);
	snprintf(out, SANITIZE_HINT, "%s******** (%zu bytes)", head, found.n);
}

/* A key may contain a secret itself. */
static void copy_key(char out[SANITIZE_KEY_SHOWN], enum sanitize_place place, struct str key)
{
	struct sanitizer *z = NULL;
	uint32_t counts[64] = {0};
	struct arena arena;
	struct str shown;

	out[0] = 0;
	if (!key.n || place == SANITIZE_KEYS)
		return;
	arena_init(&arena, NULL);
	if (!sanitizer_new(&z, &(struct sanitize_options){.groups = SANITIZE_DEFAULT_GROUPS},
			   NULL)) {
		struct sanitize_run run = {.z = z, .arena = &arena, .counts = counts};
		int verdict = sanitize_text(&run, SANITIZE_KEYS, (struct str){0}, key, &shown);

		if (verdict == SANITIZE_KEEP || verdict == SANITIZE_CHANGED)
			copy_shown(out, SANITIZE_KEY_SHOWN, shown);
	}
	sanitizer_free(z);
	arena_fini(&arena);
}

void sanitize_report_add(void *arg, const char *rule, enum sanitize_place place, struct str key,
			 struct str found)
{
	struct sanitize_report *r = arg;
	struct sanitize_report_row row = {.rule = rule, .place = place, .count = 1};

	r->total++;
	copy_key(row.key, place, key);
	for (uint32_t i = 0; i < r->rows.n; i++) {
		struct sanitize_report_row *at = &r->rows.at[i];

		if (at->rule == rule && at->place == place && !strcmp(at->key, row.key)) {
			at->count++;
			return;
		}
	}
	make_hint(row.hint, found);
	if (r->rows.n < SANITIZE_ROWS_MAX && vec_push(&r->arena, &r->rows, row))
		return; /* only counted */
}

void sanitize_report_write(const struct sanitize_report *r, const char *path, struct buf *out)
{
	size_t rule = 4, key = 3;

	buf_printf(out, "%s: %llu finding%s\n", path, (unsigned long long)r->total,
		   r->total == 1 ? "" : "s");
	if (!r->rows.n)
		return;
	for (uint32_t i = 0; i < r->rows.n; i++) {
		rule = max_size(rule, strlen(r->rows.at[i].rule));
		key = max_size(key, strlen(r->rows.at[i].key));
	}
	buf_printf(out, "%8s  %-*s  %-9s  %-*s  %s\n", "count", (int)rule, "rule", "place",
		   (int)key, "key", "first text, masked");
	for (uint32_t i = 0; i < r->rows.n; i++) {
		const struct sanitize_report_row *at = &r->rows.at[i];

		buf_printf(out, "%8llu  %-*s  %-9s  %-*s  %s\n", (unsigned long long)at->count,
			   (int)rule, at->rule,
			   sanitize_place_names[__builtin_ctz((unsigned)at->place)], (int)key,
			   at->key, at->hint);
	}
}
