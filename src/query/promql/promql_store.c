/* SPDX-License-Identifier: Apache-2.0 */
/* A cursor of the store, whose columns are passed on as they are; then the series of profiles. */
#include "query/promql/promql_store.h"

#include <stdlib.h>

#include "query/promql/profiles/promql_profiles.h"

struct promql_cursor {
	const struct store_metric_ops *ops;
	struct store_metric_cursor *cursor;
	struct profile_cursor *profiles; /* NULL: none are selected */
	struct arena arena;
	struct store_matchers set;
	VEC(struct promql_label) labels; /* of the current series */
};

int promql_store_matchers(struct store_matchers *out, const struct promql_matcher *matchers,
			  uint32_t n, struct arena *a)
{
	static const enum matcher_op ops[] = {
		[PROMQL_MATCH_EQ] = MATCH_EQUAL,
		[PROMQL_MATCH_NE] = MATCH_NOT_EQUAL,
		[PROMQL_MATCH_RE] = MATCH_REGEX,
		[PROMQL_MATCH_NRE] = MATCH_NOT_REGEX,
	};
	struct matcher *at = arena_zalloc(a, n, sizeof(*at));

	if (!at && n)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		at[i] = (struct matcher){.op = ops[matchers[i].type],
					 .name = matchers[i].name,
					 .value = matchers[i].value,
					 .regex = matchers[i].regex};
	*out = (struct store_matchers){at, n};
	return 0;
}

static void store_close(struct promql_cursor *c)
{
	if (!c)
		return;
	c->ops->close(c->cursor);
	profile_cursor_close(c->profiles);
	arena_fini(&c->arena);
	free(c);
}

static int store_select(struct promql_source *source, const struct promql_select *select,
			struct promql_cursor **out, struct err *e)
{
	const struct promql_store *s = (const struct promql_store *)source;
	struct promql_cursor *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return err_set(e, -ENOMEM, "out of memory");
	c->ops = s->store->ops->metrics;
	arena_init(&c->arena, s->limits.budget);
	rc = promql_store_matchers(&c->set, select->matchers, select->matcher_count, &c->arena);
	if (rc) {
		err_set(e, rc, "out of memory");
	} else {
		const struct store_metric_select in = {.tenant = s->tenant,
						       .sets = &c->set,
						       .set_count = 1,
						       .from = select->from_ms,
						       .to = select->to_ms,
						       .limits = s->limits};

		rc = c->ops->open(s->store, &in, &c->cursor, e);
	}
	if (!rc && promql_selects_profiles(select->matchers, select->matcher_count))
		rc = profile_cursor_open(&c->profiles,
					 &(struct profile_source){s->store, s->tenant, s->limits},
					 select, e);
	if (rc)
		store_close(c);
	else
		*out = c;
	return rc;
}

static int store_next(struct promql_cursor *c, struct promql_samples *out, struct err *e)
{
	struct store_metric_series s;
	int rc = c->ops->next(c->cursor, &s, e);

	if (!rc && c->profiles)
		return profile_cursor_next(c->profiles, out, e);
	if (rc <= 0)
		return rc;
	c->labels.n = 0;
	rc = vec_reserve(&c->arena, &c->labels, s.label_count);
	if (rc)
		return err_set(e, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < s.label_count; i++)
		c->labels.at[c->labels.n++] =
			(struct promql_label){s.labels[i].name, s.labels[i].value};
	*out = (struct promql_samples){.labels = c->labels.at,
				       .label_count = c->labels.n,
				       .count = s.count,
				       .histogram_count = s.histogram_count,
				       .times = s.times,
				       .values = s.values,
				       .histogram_times = s.histogram_times,
				       .histograms = s.histograms};
	return 1;
}

void promql_store_init(struct promql_store *s, struct store *store, struct str tenant,
		       const struct store_limits *limits)
{
	*s = (struct promql_store){.source = {store_select, store_next, store_close},
				   .store = store,
				   .tenant = tenant,
				   .limits = *limits};
}
