/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans are copied from the first change on. Resources and scopes, and equal services of adjacent
 * spans, are examined once.
 */
#include "signal/sanitize/sanitize_spans.h"

#include "signal/sanitize/sanitize_otlp.h"

struct span_walk {
	struct sanitize_run *run;
	struct str service, sanitized; /* the last one, and what became of it */
	int verdict;		       /* on it */
	int *resources, *scopes;       /* verdicts, by index */
};

typedef int examine_fields(struct sanitize_run *r, struct str fields, struct str *out);

/* Examine the message and the schema URL of a resource or scope. Return a verdict or -ENOMEM. */
static int examine_origin(struct sanitize_run *r, examine_fields *examine,
			  const struct span_origin *from, struct span_origin *to)
{
	int of_message = examine(r, from->message, &to->message);
	int of_url = sanitize_text(r, SANITIZE_OTHER, (struct str){0}, from->schema_url,
				   &to->schema_url);

	if (of_message == -ENOMEM || of_url < 0)
		return -ENOMEM;
	if (of_message == SANITIZE_REMOVE_ITEM || of_url == SANITIZE_REMOVE_ITEM)
		return SANITIZE_REMOVE_ITEM;
	if (of_url == SANITIZE_KEEP)
		to->schema_url = from->schema_url;
	else if (of_url == SANITIZE_REMOVE)
		to->schema_url = STR("");
	if (of_message == SANITIZE_KEEP)
		to->message = from->message;
	else if (of_message != SANITIZE_CHANGED) /* damaged, or too deep to be examined */
		to->message = STR("");
	return of_message || of_url ? SANITIZE_CHANGED : SANITIZE_KEEP;
}

/*
 * Examine the messages of resources or scopes; *at is replaced if one changes. Sets *changed. Return
 * 0 or -ENOMEM.
 */
static int examine_origins(struct sanitize_run *r, examine_fields *examine, struct span_origin **at,
			   uint32_t n, int **verdicts, bool *changed)
{
	struct span_origin *copy = arena_alloc(r->arena, n + 1u, sizeof(*copy));
	bool any = false;

	*verdicts = arena_zalloc(r->arena, n + 1u, sizeof(**verdicts));
	if (!copy || !*verdicts)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		int verdict = examine_origin(r, examine, &(*at)[i], &copy[i]);

		if (verdict < 0)
			return verdict;
		(*verdicts)[i] = verdict;
		any |= verdict != SANITIZE_KEEP;
	}
	if (any)
		*at = copy;
	*changed |= any;
	return 0;
}

static int examine_service(struct span_walk *w, struct str *service)
{
	if (!w->service.p || w->service.p != service->p || w->service.n != service->n) {
		w->service = *service;
		w->verdict = sanitize_text(w->run, SANITIZE_VALUES, STR("service.name"), *service,
					   &w->sanitized);
		if (w->verdict == SANITIZE_REMOVE)
			w->sanitized = STR("unknown_service");
	}
	*service = w->verdict > 0 ? w->sanitized : *service;
	return w->verdict;
}

/* A name that has grown keeps the limit of names, and whole characters. */
static struct str cut_name(struct str name)
{
	size_t n = min_size(name.n, SPAN_NAME_MAX);

	while (n && n < name.n && ((unsigned char)name.p[n] & 0xc0) == 0x80)
		n--;
	return str_head(name, n);
}

/* Return whether a rule removes what the span belongs to. */
static bool origin_is_removed(const struct span_walk *w, const struct span *s)
{
	return (s->resource && w->resources[s->resource - 1] == SANITIZE_REMOVE_ITEM) ||
	       (s->scope && w->scopes[s->scope - 1] == SANITIZE_REMOVE_ITEM);
}

/* Return SANITIZE_KEEP, SANITIZE_CHANGED, SANITIZE_REMOVE_ITEM or -ENOMEM. */
static int examine_details(struct span_walk *w, struct span *s)
{
	struct str details;
	int verdict = sanitize_otlp_span(w->run, s->details, &details);

	if (verdict == -ENOMEM || verdict == SANITIZE_REMOVE_ITEM || verdict == SANITIZE_KEEP)
		return verdict;
	/* too deep or damaged: what cannot be examined is not kept */
	s->details = verdict == SANITIZE_CHANGED ? details : STR("");
	return SANITIZE_CHANGED;
}

/* Return SANITIZE_KEEP, SANITIZE_CHANGED, SANITIZE_REMOVE_ITEM or -ENOMEM. */
static int examine_span(struct span_walk *w, struct span *s)
{
	int of_service = examine_service(w, &s->service);
	int of_name, of_details;
	struct str name;

	if (origin_is_removed(w, s))
		return SANITIZE_REMOVE_ITEM;
	if (of_service < 0 || of_service == SANITIZE_REMOVE_ITEM)
		return of_service;
	of_name = sanitize_text(w->run, SANITIZE_SPANS, (struct str){0}, s->name, &name);
	if (of_name < 0 || of_name == SANITIZE_REMOVE_ITEM)
		return of_name;
	if (of_name == SANITIZE_REMOVE)
		name = (struct str){0};
	s->name = cut_name(name);
	of_details = examine_details(w, s);
	if (of_details < 0 || of_details == SANITIZE_REMOVE_ITEM)
		return of_details;
	return of_service || of_name || of_details ? SANITIZE_CHANGED : SANITIZE_KEEP;
}

/* Examine the spans, which are copied from the first change on. */
static int examine_spans(struct span_walk *w, const struct span_batch *b, struct span_batch *out,
			 uint32_t *removed, bool *changed)
{
	bool copied = false;

	for (uint32_t i = 0; i < b->spans.n; i++) {
		struct span s = b->spans.at[i];
		int verdict = examine_span(w, &s);

		if (verdict < 0)
			return verdict;
		if (verdict && !copied) {
			struct span *copy = arena_alloc(w->run->arena, b->spans.n, sizeof(*copy));

			if (!copy)
				return -ENOMEM;
			memcpy(copy, b->spans.at, i * sizeof(*copy));
			out->spans.at = copy;
			copied = true;
		}
		if (verdict == SANITIZE_REMOVE_ITEM)
			(*removed)++;
		else if (copied)
			out->spans.at[i - *removed] = s;
	}
	*changed |= copied;
	return 0;
}

int sanitize_spans(struct sanitize_run *r, const struct span_batch *b, struct span_batch *out,
		   uint32_t *removed)
{
	struct span_walk w = {.run = r};
	bool changed = false;
	int rc;

	*out = *b;
	out->arena = (struct arena){0};
	*removed = 0;
	rc = examine_origins(r, sanitize_otlp_resource, &out->resources.at, b->resources.n,
			     &w.resources, &changed);
	if (!rc)
		rc = examine_origins(r, sanitize_otlp_scope, &out->scopes.at, b->scopes.n,
				     &w.scopes, &changed);
	if (!rc)
		rc = examine_spans(&w, b, out, removed, &changed);
	if (rc)
		return rc;
	out->spans.n = b->spans.n - *removed;
	return changed ? SANITIZE_CHANGED : SANITIZE_KEEP;
}
