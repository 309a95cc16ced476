/* SPDX-License-Identifier: Apache-2.0 */
/* Storage and invariants of span batches, and the names of span kinds and statuses. */
#include "signal/span_batch.h"

const char *const span_kind_names[SPAN_KINDS] = {
	[SPAN_KIND_UNSPECIFIED] = "",	   [SPAN_KIND_INTERNAL] = "internal",
	[SPAN_KIND_SERVER] = "server",	   [SPAN_KIND_CLIENT] = "client",
	[SPAN_KIND_PRODUCER] = "producer", [SPAN_KIND_CONSUMER] = "consumer",
};

const char *const span_status_names[SPAN_STATUSES] = {
	[SPAN_STATUS_UNSET] = "unset",
	[SPAN_STATUS_OK] = "ok",
	[SPAN_STATUS_ERROR] = "error",
};

void span_batch_init(struct span_batch *b, struct budget *budget)
{
	*b = (struct span_batch){0};
	arena_init(&b->arena, budget);
}

void span_batch_reset(struct span_batch *b)
{
	arena_reset(&b->arena);
	b->spans.at = NULL;
	b->spans.n = b->spans.cap = 0;
	b->resources.at = NULL;
	b->resources.n = b->resources.cap = 0;
	b->scopes.at = NULL;
	b->scopes.n = b->scopes.cap = 0;
	b->rejected = 0;
	b->reason[0] = '\0';
}

void span_batch_fini(struct span_batch *b)
{
	arena_fini(&b->arena);
	*b = (struct span_batch){0};
}

static bool is_valid_text(struct str s)
{
	return s.n <= SPAN_NAME_MAX && str_utf8_valid(s) == s.n;
}

int span_batch_check(const struct span_batch *b, struct err *e)
{
	for (uint32_t i = 0; i < b->spans.n; i++) {
		const struct span *s = &b->spans.at[i];

		if (!span_id_is_set(s->trace_id, sizeof(s->trace_id)) ||
		    !span_id_is_set(s->span_id, sizeof(s->span_id)))
			return err_set(e, -EINVAL, "span %u has no id", i);
		if (s->end < s->start || s->kind >= SPAN_KINDS || s->status >= SPAN_STATUSES)
			return err_set(e, -EINVAL, "a value of span %u is out of range", i);
		if (!is_valid_text(s->name) || !is_valid_text(s->service))
			return err_set(e, -EINVAL, "the text of span %u is not well-formed", i);
		if (s->resource > b->resources.n || s->scope > b->scopes.n ||
		    s->details.n > SPAN_DETAILS_MAX)
			return err_set(e, -EINVAL, "the details of span %u are out of range", i);
	}
	return 0;
}
