/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups are in a hash table by their source. A group keeps one entry in an arena of its own, and the
 * combined text. It counts as a holder of each file that its entries are from, so that the position
 * of the file is not stored before the group is passed on.
 */
#include "pipeline/receivers/filelog/operators/recombiner.h"

#include <errno.h>
#include <stdlib.h>

#include "base/container/hash.h"

enum { GROUP_BUCKETS = 256, GROUP_ORIGINS = 4, SOURCE_MAX = 4096 };

struct group {
	struct group *next;
	struct str source; /* owned */
	struct arena arena;
	struct log_entry entry;
	struct buf text;
	uint32_t entries;
	uint64_t since; /* clock_monotonic_ns() */
	bool matched;	/* has a first or last entry */
	uint32_t origin_count;
	struct group_origin {
		struct log_origin *origin;
		uint64_t from;
	} origins[GROUP_ORIGINS];
};

struct recombiner {
	struct recombiner_options options;
	struct group *buckets[GROUP_BUCKETS];
	uint32_t count;
	size_t bytes;
};

int recombiner_new(struct recombiner **out, const struct recombiner_options *options)
{
	struct recombiner *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->options = *options;
	if (!r->options.max_bytes || r->options.max_bytes > RECOMBINER_TEXT_MAX)
		r->options.max_bytes = RECOMBINER_TEXT_MAX;
	*out = r;
	return 0;
}

/* ---- groups ---- */

static struct group **group_slot(struct recombiner *r, struct str source)
{
	struct group **at = &r->buckets[hash32(source) % GROUP_BUCKETS];

	while (*at && !str_eq((*at)->source, source))
		at = &(*at)->next;
	return at;
}

bool recombiner_has(const struct recombiner *r, struct str source)
{
	const struct group *g = r->buckets[hash32(source) % GROUP_BUCKETS];

	while (g && !str_eq(g->source, source))
		g = g->next;
	return g != NULL;
}

static void group_free(struct group *g)
{
	if (!g)
		return;
	for (uint32_t i = 0; i < g->origin_count; i++)
		g->origins[i].origin->held--;
	arena_fini(&g->arena);
	buf_fini(&g->text);
	free((char *)g->source.p);
	free(g);
}

static struct group *group_new(struct str source, uint64_t now)
{
	struct group *g = calloc(1, sizeof(*g));
	char *copy = malloc(source.n + 1);

	if (!g || !copy) {
		free(g);
		free(copy);
		return NULL;
	}
	memcpy(copy, source.p ? source.p : "", source.n);
	g->source = str_of(copy, source.n);
	g->since = now;
	arena_init(&g->arena, NULL);
	return g;
}

/* Note the file of an entry. Return false if there is no room for one more. */
static bool note_origin(struct group *g, const struct log_entry *entry)
{
	if (!entry->origin)
		return true;
	for (uint32_t i = 0; i < g->origin_count; i++)
		if (g->origins[i].origin == entry->origin)
			return true;
	if (g->origin_count == GROUP_ORIGINS)
		return false;
	g->origins[g->origin_count++] = (struct group_origin){entry->origin, entry->offset};
	entry->origin->held++;
	return true;
}

/* Pass on a group and free it. */
static void pass_group(struct recombiner *r, struct operator_run *run,
		       const struct operator_targets *to, struct group **at)
{
	struct group *g = *at;
	struct log_node text = LOG_NODE_STR(buf_str(&g->text));
	struct err why = {0};

	*at = g->next;
	r->count--;
	r->bytes -= min_size(r->bytes, g->text.n);
	if (entry_field_set(&g->entry, &r->options.field, &text, &g->arena, &why)) {
		run->dropped++;
		log_warn(run->log, "combined log entry dropped", LOG_ERR(&why));
	} else {
		operator_pass(run, to, &g->entry);
	}
	group_free(g);
}

void recombiner_flush(struct recombiner *r, struct operator_run *run,
		      const struct operator_targets *to, bool all)
{
	for (unsigned i = 0; i < GROUP_BUCKETS && r->count; i++) {
		struct group **at = &r->buckets[i];

		while (*at) {
			if (all || run->monotonic - (*at)->since >= r->options.flush_after)
				pass_group(r, run, to, at);
			else
				at = &(*at)->next;
		}
	}
}

void recombiner_held(const struct recombiner *r)
{
	for (unsigned i = 0; i < GROUP_BUCKETS; i++)
		for (const struct group *g = r->buckets[i]; g; g = g->next)
			for (uint32_t k = 0; k < g->origin_count; k++) {
				struct log_origin *o = g->origins[k].origin;

				if (g->origins[k].from < o->held_from)
					o->held_from = g->origins[k].from;
			}
}

void recombiner_free(struct recombiner *r)
{
	for (unsigned i = 0; r && i < GROUP_BUCKETS; i++)
		while (r->buckets[i]) {
			struct group *g = r->buckets[i];

			r->buckets[i] = g->next;
			group_free(g);
		}
	free(r);
}

/* ---- entries ---- */

static bool group_is_full(const struct recombiner *r, const struct group *g)
{
	const struct recombiner_options *o = &r->options;

	return g->text.n >= o->max_bytes || (o->max_entries && g->entries >= o->max_entries) ||
	       (!g->matched && o->max_unmatched && g->entries >= o->max_unmatched);
}

/* Keep the entry's other fields, and append its text. */
static int append_entry(struct recombiner *r, struct group *g, struct log_entry *entry,
			struct str text)
{
	int rc = 0;

	if (!g->entries || !r->options.keep_oldest) {
		arena_reset(&g->arena);
		/* the text is replaced when the group is passed on: do not copy it */
		entry_field_remove(entry, &r->options.field, NULL);
		rc = log_entry_copy(&g->entry, &g->arena, entry);
	}
	r->bytes -= min_size(r->bytes, g->text.n);
	if (g->text.n)
		buf_put_str(&g->text, r->options.with);
	buf_put_str(&g->text, text);
	r->bytes += g->text.n;
	g->entries++;
	return rc ? rc : buf_error(&g->text);
}

/* Find or make the group for an entry. NULL without memory. */
static struct group **group_for(struct recombiner *r, struct operator_run *run,
				const struct operator_targets *to, const struct log_entry *entry,
				struct str source, enum recombiner_place place)
{
	struct group **at = group_slot(r, source);

	if (*at && (place == RECOMBINE_FIRST || !note_origin(*at, entry))) {
		pass_group(r, run, to, at);
		at = group_slot(r, source);
	}
	if (*at)
		return at;
	if ((r->options.max_sources && r->count >= r->options.max_sources) ||
	    r->bytes >= RECOMBINER_BYTES_MAX) {
		recombiner_flush(r, run, to, true);
		at = group_slot(r, source);
	}
	*at = group_new(source, run->monotonic);
	if (!*at)
		return NULL;
	r->count++;
	note_origin(*at, entry);
	return at;
}

int recombiner_add(struct recombiner *r, struct operator_run *run,
		   const struct operator_targets *to, struct log_entry *entry, struct str source,
		   enum recombiner_place place, struct err *e)
{
	struct str text;
	struct group **at;
	int rc;

	if (!operator_text(entry_field_get(entry, &r->options.field), &text))
		return err_set(e, -EINVAL, "the entry has no text in the field to combine");
	at = group_for(r, run, to, entry, str_head(source, SOURCE_MAX), place);
	rc = at ? append_entry(r, *at, entry, text) : -ENOMEM;
	if (rc)
		return err_errno(e, rc, "combine log entries");
	(*at)->matched |= place != RECOMBINE_MIDDLE;
	if (place == RECOMBINE_LAST || group_is_full(r, *at))
		pass_group(r, run, to, at);
	return OPERATOR_TAKEN;
}
