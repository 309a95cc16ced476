/* SPDX-License-Identifier: Apache-2.0 */
/* Spans are copied from the first change on; equal services of adjacent spans are examined once. */
#include "signal/sanitize/sanitize_spans.h"

struct span_walk {
	struct sanitize_run *run;
	struct str service, sanitized; /* the last one, and what became of it */
	int verdict;		       /* on it */
};

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

/* Return SANITIZE_KEEP, SANITIZE_CHANGED, SANITIZE_REMOVE_ITEM or -ENOMEM. */
static int examine_span(struct span_walk *w, struct span *s)
{
	int of_service = examine_service(w, &s->service);
	struct str name;
	int of_name;

	if (of_service < 0 || of_service == SANITIZE_REMOVE_ITEM)
		return of_service;
	of_name = sanitize_text(w->run, SANITIZE_SPANS, (struct str){0}, s->name, &name);
	if (of_name < 0 || of_name == SANITIZE_REMOVE_ITEM)
		return of_name;
	if (of_name == SANITIZE_REMOVE)
		name = (struct str){0};
	s->name = cut_name(name);
	return of_service || of_name ? SANITIZE_CHANGED : SANITIZE_KEEP;
}

int sanitize_spans(struct sanitize_run *r, const struct span_batch *b, struct span_batch *out,
		   uint32_t *removed)
{
	struct span_walk w = {.run = r};
	bool changed = false;

	*out = *b;
	out->arena = (struct arena){0};
	*removed = 0;
	for (uint32_t i = 0; i < b->spans.n; i++) {
		struct span s = b->spans.at[i];
		int verdict = examine_span(&w, &s);

		if (verdict < 0)
			return verdict;
		if (verdict && !changed) {
			struct span *copy = arena_alloc(r->arena, b->spans.n, sizeof(*copy));

			if (!copy)
				return -ENOMEM;
			memcpy(copy, b->spans.at, i * sizeof(*copy));
			out->spans.at = copy;
			changed = true;
		}
		if (verdict == SANITIZE_REMOVE_ITEM)
			(*removed)++;
		else if (changed)
			out->spans.at[i - *removed] = s;
	}
	out->spans.n = b->spans.n - *removed;
	return changed ? SANITIZE_CHANGED : SANITIZE_KEEP;
}
