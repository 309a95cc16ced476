/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the spans of a trace that have samples, and adds the attribute to them by which Grafana links
 * a span to its profile.
 */
#include "api/tempo/profile_links.h"

#include "base/clock.h"
#include "signal/otlp/attributes.h"
#include "wire/text.h"

#define LINK_ATTRIBUTE STR("pyroscope.profile.id")

/* A profile may begin this long before its sample. */
#define PROFILE_NS (3600 * NS_PER_SECOND)

/* Clocks of hosts may differ by this much. */
#define SKEW_NS (60 * NS_PER_SECOND)

struct link_visit {
	struct profile_links *links;
	const uint8_t *trace_id;
};

static uint64_t span_number(const uint8_t id[SPAN_ID_SIZE])
{
	uint64_t n;

	memcpy(&n, id, sizeof(n));
	return n;
}

int profile_links_init(struct profile_links *l, struct budget *budget)
{
	*l = (struct profile_links){0};
	arena_init(&l->arena, budget);
	return map_init(&l->spans, &l->arena, 64);
}

void profile_links_fini(struct profile_links *l)
{
	arena_fini(&l->arena);
}

static int visit_samples(void *ctx, const struct store_samples *s)
{
	const struct link_visit *v = ctx;
	int rc = 0;

	for (uint32_t i = 0; !rc && s->links && i < s->n; i++) {
		bool added;

		if (memcmp(s->links[i].trace_id, v->trace_id, TRACE_ID_SIZE) != 0 ||
		    !span_id_is_set(s->links[i].span_id, SPAN_ID_SIZE))
			continue;
		if (!map_at(&v->links->spans, span_number(s->links[i].span_id), &added))
			return -ENOMEM;
		v->links->n += added;
	}
	return rc;
}

int profile_links_find(struct profile_links *l, struct request *r,
		       const uint8_t trace_id[TRACE_ID_SIZE], uint64_t from, uint64_t to,
		       struct err *e)
{
	struct link_visit v = {l, trace_id};
	struct selector all;
	struct store_select sel = {
		.tenant = r->tenant,
		.selector = &all,
		.from = from > PROFILE_NS ? from - PROFILE_NS : 0,
		.to = to < UINT64_MAX - SKEW_NS ? to + SKEW_NS : UINT64_MAX,
		.trace_id = trace_id,
		.limits = r->limits,
	};
	int rc;

	selector_init(&all);
	rc = r->store->ops->scan(r->store, &sel, NULL, visit_samples, &v, e);
	selector_fini(&all);
	return rc;
}

/* Append the attribute to the details of a span. */
static int add_link(struct profile_links *l, struct span *s)
{
	struct proto_writer w;
	struct value id;
	char hex[2 * SPAN_ID_SIZE], *details;
	struct str added;
	int rc;

	hex_digits(hex, str_of((const char *)s->span_id, SPAN_ID_SIZE));
	id = VALUE_OF_STR(str_of(hex, sizeof(hex)));
	proto_writer_init(&w, l->arena.budget);
	otlp_attribute_write(&w, OTLP_SPAN_ATTRIBUTES, LINK_ATTRIBUTE, &id);
	rc = proto_writer_error(&w);
	added = rc ? STR("") : proto_writer_str(&w);
	details = rc ? NULL : arena_alloc(&l->arena, s->details.n + added.n, 1);
	if (details) {
		if (s->details.n)
			memcpy(details, s->details.p, s->details.n);
		memcpy(details + s->details.n, added.p, added.n);
		s->details = str_of(details, s->details.n + added.n);
	}
	proto_writer_fini(&w);
	return rc ? rc : details ? 0 : -ENOMEM;
}

int profile_links_add(struct profile_links *l, const struct span_batch *in, struct span_batch *out)
{
	uint32_t n = in->spans.n;
	struct span *spans = arena_alloc(&l->arena, n + 1u, sizeof(*spans));
	uint64_t ignored;
	struct value v;
	int rc = spans ? 0 : -ENOMEM;

	*out = *in;
	for (uint32_t i = 0; !rc && i < n; i++) {
		spans[i] = in->spans.at[i];
		if (map_get(&l->spans, span_number(spans[i].span_id), &ignored) &&
		    !otlp_attribute_find(spans[i].details, OTLP_SPAN_ATTRIBUTES, LINK_ATTRIBUTE,
					 &v))
			rc = add_link(l, &spans[i]);
	}
	out->spans.at = spans;
	return rc;
}
