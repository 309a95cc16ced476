/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the checks: reports, and checks of indices, attribute lists and recorded events. */
#include "format/otlp/check/checker.h"

#include <stdarg.h>
#include <stdio.h>

const char *check_text(struct otlp_checker *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(c->text, sizeof(c->text), fmt, args);
	va_end(args);
	return c->text;
}

static void report_finding(struct otlp_checker *c, enum otlp_check_level level, const char *text,
			   const char *path, va_list args)
{
	char where[256];
	int n = snprintf(where, sizeof(where), "%s", c->prefix);

	vsnprintf(where + n, sizeof(where) - (size_t)n, path, args);
	c->broken += level == OTLP_MUST;
	c->report(c->arg, level, where, text);
}

void check_must(struct otlp_checker *c, const char *text, const char *path, ...)
{
	va_list args;

	va_start(args, path);
	report_finding(c, OTLP_MUST, text, path, args);
	va_end(args);
}

void check_should(struct otlp_checker *c, const char *text, const char *path, ...)
{
	va_list args;

	va_start(args, path);
	report_finding(c, OTLP_SHOULD, text, path, args);
	va_end(args);
}

uint32_t check_rows(const struct otlp_checker *c, enum otlp_table table)
{
	switch (table) {
	case TABLE_MAPPINGS:
		return c->b.mappings.n;
	case TABLE_LOCATIONS:
		return c->b.locations.n;
	case TABLE_FUNCTIONS:
		return c->b.functions.n;
	case TABLE_LINKS:
		return c->b.links.n;
	case TABLE_STRINGS:
		return c->b.strings.n;
	case TABLE_ATTRIBUTES:
		return c->b.attributes.n;
	case TABLE_STACKS:
		return c->b.stacks.n;
	default:
		return 0;
	}
}

bool check_index(struct otlp_checker *c, enum otlp_table table, uint32_t index, const char *path,
		 ...)
{
	uint32_t rows = check_rows(c, table);
	va_list args;

	if (likely(index < rows)) {
		c->used[table][index] = 1;
		return true;
	}
	va_start(args, path);
	report_finding(c, OTLP_MUST,
		       check_text(c, "index %d is out of range [0..%u)", (int32_t)index, rows),
		       path, args);
	va_end(args);
	return false;
}

void check_attributes(struct otlp_checker *c, const uint32_t *ids, uint32_t n, const char *path)
{
	const struct profile_batch *b = &c->b;

	c->mark++;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t key, class;

		if (!check_index(c, TABLE_ATTRIBUTES, ids[i], "%s[%u]", path, i))
			continue;
		key = b->attributes.at[ids[i]].key;
		if (!check_index(c, TABLE_STRINGS, key, "%s[%u].key_strindex", path, i))
			continue;
		class = c->string_class[key];
		if (c->marks[class] == c->mark) {
			check_must(c,
				   check_text(c, "duplicate key \"%.*s\", previously seen at [%u]",
					      STR_ARG(str_head(string_of(b, key), 100)),
					      c->mark_at[class]),
				   "%s[%u].key_strindex", path, i);
			continue;
		}
		c->marks[class] = c->mark;
		c->mark_at[class] = i;
	}
}

static void report_event(struct otlp_checker *c, const struct check_event *e, const char *path)
{
	switch (e->event) {
	case EVENT_STRING_USED:
		check_must(c,
			   check_text(c, "string index %d is out of range [0..%u)",
				      (int32_t)e->number, c->b.strings.n),
			   "%s", path);
		break;
	case EVENT_LINK:
		break;
	case EVENT_PROFILE_ID:
		check_must(c,
			   check_text(c, "has %llu bytes, must have 16",
				      (unsigned long long)e->number),
			   "%s.profile_id", path);
		break;
	case EVENT_UTF8:
		check_must(c, "text is not UTF-8", "%s", path);
		break;
	case EVENT_KEY_TWICE:
		check_must(c, "key and key_strindex are both set", "%s", path);
		break;
	case EVENT_REPEATED_KEY:
		check_must(c, "duplicate attribute key", "%s.attributes", path);
		break;
	}
}

void check_events(struct otlp_checker *c, enum otlp_place place, uint32_t owner, const char *path)
{
	uint32_t *next = &c->events[place].next;

	for (; *next < c->events[place].all.n; ++*next) {
		const struct check_event *e = &c->events[place].all.at[*next];

		if (e->owner > owner)
			return;
		report_event(c, e, path);
	}
}
