/* SPDX-License-Identifier: Apache-2.0 */
/* The operator recombine: consecutive entries of a file become one. */
#include <errno.h>
#include <stdlib.h>

#include "pipeline/receivers/filelog/operators/recombiner.h"

struct recombine_settings {
	struct operator_common common;
	struct entry_field combine, source;
	struct str is_first, is_last, with, overwrite;
	int64_t max_entries, max_unmatched, max_sources;
	uint64_t max_bytes, flush_after;
};

struct recombine_state {
	struct recombiner *recombiner;
	struct expr *expr;
	bool is_first;
};

static const struct setting recombine_table[] = {
	OPERATOR_COMMON(struct recombine_settings, common),
	SET_CUSTOM(struct recombine_settings, combine, "combine_field", operator_field_read,
		   "field", "The field with the text."),
	SET_STRING(struct recombine_settings, is_first, "is_first_entry", NULL,
		   "An expression that is true for the first entry of a group."),
	SET_STRING(struct recombine_settings, is_last, "is_last_entry", NULL,
		   "An expression that is true for the last entry of a group."),
	SET_STRING(struct recombine_settings, with, "combine_with", "\n",
		   "Text between two texts."),
	SET_INT(struct recombine_settings, max_entries, "max_batch_size", "1000", 0, 1000000,
		"entries", "Entries of a group at most; 0: no limit."),
	SET_INT(struct recombine_settings, max_unmatched, "max_unmatched_batch_size", "100", 0,
		1000000, "entries",
		"Entries of a group at most, before one is the first or last; 0: no limit."),
	SET_STRING(struct recombine_settings, overwrite, "overwrite_with", "newest",
		   "The entry whose other fields count: oldest or newest."),
	SET_DURATION(struct recombine_settings, flush_after, "force_flush_period", "5s",
		     "How long a group waits for more entries."),
	SET_CUSTOM(struct recombine_settings, source, "source_identifier", operator_field_read,
		   "field", "What separates groups; default: the file."),
	SET_INT(struct recombine_settings, max_sources, "max_sources", "1000", 1, 100000, "sources",
		"Groups at most at the same time."),
	SET_BYTES(struct recombine_settings, max_bytes, "max_log_size", "0",
		  "The longest text; 0: 16 MiB."),
	SET_END,
};

static int recombine_check(const struct recombine_settings *s, struct err *e)
{
	if (!s->combine.set)
		return err_set(e, -EINVAL, "missing required key \"combine_field\"");
	if (!s->is_first.n == !s->is_last.n)
		return err_set(
			e, -EINVAL,
			"exactly one of \"is_first_entry\" and \"is_last_entry\" must be set");
	if (!str_eq(s->overwrite, STR("oldest")) && !str_eq(s->overwrite, STR("newest")))
		return err_set(e, -EINVAL, "\"overwrite_with\" has to be oldest or newest");
	return 0;
}

static int recombine_create(void **state, const void *settings, struct operator_build *b,
			    struct err *e)
{
	const struct recombine_settings *s = settings;
	struct recombine_state *r = calloc(1, sizeof(*r));
	struct recombiner_options options = {.field = s->combine,
					     .with = s->with,
					     .max_entries = (uint32_t)s->max_entries,
					     .max_unmatched = (uint32_t)s->max_unmatched,
					     .max_sources = (uint32_t)s->max_sources,
					     .max_bytes = s->max_bytes,
					     .flush_after = s->flush_after,
					     .keep_oldest = str_eq(s->overwrite, STR("oldest"))};
	int rc;

	if (!r)
		return -ENOMEM;
	*state = r;
	r->is_first = s->is_first.n > 0;
	rc = recombine_check(s, e);
	if (!rc)
		rc = expr_compile(&r->expr, r->is_first ? s->is_first : s->is_last, EXPR_BOOL,
				  b->arena, e);
	return rc ? rc : recombiner_new(&r->recombiner, &options);
}

static void recombine_destroy(void *state)
{
	struct recombine_state *r = state;

	expr_free(r->expr);
	recombiner_free(r->recombiner);
	free(r);
}

/* Return what separates groups: the configured field, the path, or the file. */
static int recombine_source(const struct recombine_settings *s, struct operator_run *run,
			    struct log_entry *entry, struct str *out)
{
	static const struct entry_field path = {
		.set = true, .root = ENTRY_ATTRIBUTES, .n = 1, .keys = {STR_INIT("log.file.path")}};
	const struct log_node *value = entry_field_get(entry, s->source.set ? &s->source : &path);

	if (operator_text(value, out) && out->n)
		return 0;
	*out = STR("");
	if (!entry->origin)
		return 0;
	return arena_printf(run->arena, out, "file %llu", (unsigned long long)entry->origin->id);
}

static int recombine_process(struct op *op, struct operator_run *run, struct log_entry *entry,
			     struct err *e)
{
	const struct recombine_settings *s = (const void *)op->settings;
	struct recombine_state *r = op->state;
	enum recombiner_place place = RECOMBINE_MIDDLE;
	struct str source;
	bool matched;
	int rc = expr_test(r->expr, entry, run->arena, &matched, e);

	if (!rc)
		rc = recombine_source(s, run, entry, &source);
	if (rc)
		return rc;
	if (matched)
		place = r->is_first ? RECOMBINE_FIRST : RECOMBINE_LAST;
	return recombiner_add(r->recombiner, run, &op->next, entry, source, place, e);
}

static void recombine_flush(struct op *op, struct operator_run *run, bool all)
{
	recombiner_flush(((struct recombine_state *)op->state)->recombiner, run, &op->next, all);
}

static void recombine_held(const struct op *op)
{
	recombiner_held(((const struct recombine_state *)op->state)->recombiner);
}

const struct operator_type recombine_operator = {
	.name = "recombine",
	.table = recombine_table,
	.settings_size = sizeof(struct recombine_settings),
	.create = recombine_create,
	.process = recombine_process,
	.flush = recombine_flush,
	.held = recombine_held,
	.destroy = recombine_destroy,
};
