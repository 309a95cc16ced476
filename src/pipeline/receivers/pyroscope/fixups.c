/* SPDX-License-Identifier: Apache-2.0 */
/* Changes that Pyroscope's server makes to received profiles. */
#include "pipeline/receivers/pyroscope/fixups.h"

#include <errno.h>
#include <xxhash.h>

#include "base/clock.h"
#include "wire/text.h"

#define YEAR_1971_NS (365 * 86400 * NS_PER_SECOND)

int fixup_resource(struct profile_batch *b, const struct keyvalue *attributes, uint32_t n)
{
	struct list list = {b->keyvalues.n, n};
	int rc = vec_reserve(&b->arena, &b->keyvalues, n);

	if (rc)
		return rc;
	if (n)
		memcpy(b->keyvalues.at + b->keyvalues.n, attributes, n * sizeof(*attributes));
	b->keyvalues.n += n;
	for (uint32_t i = 0; i < b->resources.n; i++)
		b->resources.at[i].attributes = list;
	return 0;
}

void fixup_time(struct profile_batch *b, uint64_t from, uint64_t until)
{
	for (uint32_t i = 0; i < b->profiles.n; i++) {
		struct profile *p = &b->profiles.at[i];

		if (p->time_unix_nano >= YEAR_1971_NS)
			continue;
		p->time_unix_nano = from;
		if (!p->duration_nano && from && until > from)
			p->duration_nano = until - from;
	}
}

static bool has_time(const struct profile *p)
{
	return p->time_unix_nano >= YEAR_1971_NS;
}

void fixup_shift(struct profile_batch *b, uint64_t from)
{
	uint64_t first = UINT64_MAX;

	for (uint32_t i = 0; i < b->profiles.n; i++)
		if (has_time(&b->profiles.at[i]))
			first = min_size(first, b->profiles.at[i].time_unix_nano);
	if (first == UINT64_MAX || first == from)
		return;
	for (uint32_t i = 0; i < b->profiles.n; i++)
		if (has_time(&b->profiles.at[i]))
			b->profiles.at[i].time_unix_nano += from - first;
	for (uint32_t i = 0; i < b->times.n; i++)
		if (b->times.at[i])
			b->times.at[i] += from - first;
}

void fixup_outside(struct profile_batch *b, uint64_t from, uint64_t until)
{
	uint64_t first = UINT64_MAX, end = 0;

	for (uint32_t i = 0; i < b->profiles.n; i++) {
		const struct profile *p = &b->profiles.at[i];

		if (!has_time(p))
			continue;
		first = min_size(first, p->time_unix_nano);
		end = max_size(end, p->time_unix_nano + p->duration_nano);
	}
	if (end && (end < from || first > until))
		fixup_shift(b, from);
}

int fixup_trace(struct profile_batch *b, const struct link *link)
{
	static const uint8_t none[sizeof(link->trace_id)];
	int rc;

	for (uint32_t i = 1; i < b->links.n; i++)
		if (memcmp(b->links.at[i].trace_id, none, sizeof(none)) == 0)
			memcpy(b->links.at[i].trace_id, link->trace_id, sizeof(none));
	rc = vec_push(&b->arena, &b->links, *link);
	for (uint32_t i = 0; i < b->sample_count && !rc; i++)
		if (!b->sample_link[i])
			b->sample_link[i] = b->links.n - 1;
	return rc;
}

int fixup_script_names(struct profile_batch *b, bool keep_absolute)
{
	int rc = 0;

	for (uint32_t i = 1; i < b->functions.n && !rc; i++) {
		struct function *f = &b->functions.at[i];
		struct str file = string_of(b, f->filename), name;

		if (keep_absolute && str_starts(file, STR("/")))
			continue;
		rc = arena_printf(&b->arena, &name, "%.*s %.*s", STR_ARG(file),
				  STR_ARG(string_of(b, f->name)));
		if (!rc)
			rc = vec_push(&b->arena, &b->strings, name);
		if (!rc)
			f->name = b->strings.n - 1;
	}
	return rc;
}

int fixup_type_dashes(struct profile_batch *b)
{
	for (uint32_t i = 0; i < b->profiles.n; i++) {
		struct str type = string_of(b, b->profiles.at[i].sample_type.type), copy;

		if (str_find(type, '-') == type.n)
			continue;
		if (arena_copy_str(&b->arena, type, &copy))
			return -ENOMEM;
		for (size_t k = 0; k < copy.n; k++)
			if (copy.p[k] == '-')
				((char *)(uintptr_t)copy.p)[k] = '_';
		if (vec_push(&b->arena, &b->strings, copy))
			return -ENOMEM;
		b->profiles.at[i].sample_type.type = b->strings.n - 1;
	}
	return 0;
}

/* ---- attributes of samples ---- */

static const struct str recorded[] = {STR_INIT("thread.name"), STR_INIT("thread.id"),
				      STR_INIT("thread.state"), STR_INIT("object.class"),
				      STR_INIT("context_id")};

/* The action for an attribute: keep it, drop it, or replace it by link number (action - LINK). */
enum { KEEP = 0, DROP = 1, LINK = 2 };

static bool is_span(const struct profile_batch *b, const struct attribute *a, struct link *link)
{
	struct str key = string_of(b, a->key);
	size_t n;

	if (!str_eq(key, STR("profile_id")) && !str_eq(key, STR("span_id")))
		return false;
	return a->value.kind == VALUE_STRING && a->value.s.n == 16 &&
	       !hex_decode(a->value.s, link->span_id, sizeof(link->span_id), &n);
}

static bool is_recorded(const struct profile_batch *b, const struct attribute *a)
{
	for (size_t i = 0; i < countof(recorded); i++)
		if (str_eq(string_of(b, a->key), recorded[i]))
			return true;
	return false;
}

/* Choose the action for each attribute; *out is NULL when all are kept. Return 0 or -ENOMEM. */
static int choose_actions(struct profile_batch *b, bool recording, uint32_t **out)
{
	uint32_t *actions = NULL;

	*out = NULL;
	for (uint32_t i = 1; i < b->attributes.n; i++) {
		struct link link = {0};
		bool span = is_span(b, &b->attributes.at[i], &link);

		if (!span && !(recording && is_recorded(b, &b->attributes.at[i])))
			continue;
		if (!actions)
			actions = arena_zalloc(&b->arena, b->attributes.n, sizeof(*actions));
		if (!actions || (span && vec_push(&b->arena, &b->links, link)))
			return -ENOMEM;
		actions[i] = span ? LINK + b->links.n - 1 : DROP;
	}
	*out = actions;
	return 0;
}

int fixup_sample_attributes(struct profile_batch *b, bool recording)
{
	uint32_t *actions, to = 0, begin = 0;
	int rc = b->sample_attributes.n ? choose_actions(b, recording, &actions) : 0;

	if (rc || !b->sample_attributes.n || !actions)
		return rc;
	for (uint32_t i = 0; i < b->sample_count; i++) {
		uint32_t end = b->sample_attributes_at[i + 1];

		for (; begin < end; begin++) {
			uint32_t id = b->sample_attributes.at[begin];

			if (actions[id] == KEEP)
				b->sample_attributes.at[to++] = id;
			else if (actions[id] >= LINK && !b->sample_link[i])
				b->sample_link[i] = actions[id] - LINK;
		}
		b->sample_attributes_at[i + 1] = to;
	}
	b->sample_attributes.n = to;
	return 0;
}

/* ---- ids ---- */

/* "123e4567-e89b-12d3-a456-426614174000", or the same without dashes. */
static bool read_uuid(struct str text, uint8_t out[PROFILE_ID_SIZE])
{
	char hex[2 * PROFILE_ID_SIZE];
	size_t n = 0;

	if (text.n != 32 && text.n != 36)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		bool dash_place = text.n == 36 && (i == 8 || i == 13 || i == 18 || i == 23);

		if (dash_place != (text.p[i] == '-'))
			return false;
		if (!dash_place)
			hex[n++] = text.p[i];
	}
	return !hex_decode(str_of(hex, n), out, PROFILE_ID_SIZE, &n);
}

void fixup_ids(struct profile_batch *b, struct str id)
{
	uint8_t bytes[PROFILE_ID_SIZE];

	if (!id.n)
		return;
	if (!read_uuid(id, bytes)) {
		/* a stable hash: a retry may arrive after a restart */
		XXH128_canonical_t hash;

		XXH128_canonicalFromHash(&hash, XXH3_128bits(id.p, id.n));
		memcpy(bytes, hash.digest, sizeof(bytes));
	}
	for (uint32_t i = 0; i < b->profiles.n; i++) {
		uint8_t *to = b->profiles.at[i].id;

		memcpy(to, bytes, sizeof(bytes));
		for (size_t k = 0; k < sizeof(i); k++)
			to[PROFILE_ID_SIZE - 1 - k] ^= (uint8_t)(i >> (8 * k));
	}
}
