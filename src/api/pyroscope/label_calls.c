/* SPDX-License-Identifier: Apache-2.0 */
/* Calls about what there is: profile types, labels, series, statistics. */
#include "api/pyroscope/querier.h"
#include "api/pyroscope/responses.h"
#include "base/clock.h"
#include "query/label_list.h"

static const ask_layout profile_types_layout = {[1] = ASK_START, [2] = ASK_END};
static const ask_layout label_names_layout = {[1] = ASK_MATCHERS, [2] = ASK_START, [3] = ASK_END};
static const ask_layout label_values_layout = {
	[1] = ASK_NAME, [2] = ASK_MATCHERS, [3] = ASK_START, [4] = ASK_END};
static const ask_layout series_layout = {
	[1] = ASK_MATCHERS, [2] = ASK_LABEL_NAMES, [3] = ASK_START, [4] = ASK_END};
static const ask_layout analyze_layout = {[2] = ASK_START, [3] = ASK_END, [4] = ASK_SELECTOR};

/* A name as Prometheus used to have them: [A-Za-z_][A-Za-z0-9_]*. */
static bool is_plain_name(struct str name)
{
	bool plain = name.n > 0;

	for (size_t i = 0; i < name.n && plain; i++) {
		char c = name.p[i];

		plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
			(i && c >= '0' && c <= '9');
	}
	return plain;
}

int querier_profile_types(struct request *r, struct reply *out, struct err *e)
{
	struct label_list types = {0};
	struct selection s;
	struct proto_writer w;
	struct ask ask;
	int rc = ask_read(&ask, r->body, profile_types_layout, r, e);
	int rc2 = ask_select_labels(&s, &ask, true, r, e);

	rc = rc ? rc : rc2;
	if (!rc)
		rc = label_values_of(&types, r->store, &s.select, STR("__profile_type__"), r->arena,
				     e);
	selection_fini(&s);
	if (rc)
		return rc;
	proto_writer_init(&w, r->limits.budget);
	for (uint32_t i = types.items.n; i-- > 0;) {
		struct profile_type t;
		size_t end = proto_mark(&w);

		if (!profile_type_parse(&t, types.items.at[i]))
			continue;
		proto_put_bytes(&w, 7, t.period_unit);
		proto_put_bytes(&w, 6, t.period_type);
		proto_put_bytes(&w, 5, t.sample_unit);
		proto_put_bytes(&w, 4, t.sample_type);
		proto_put_bytes(&w, 2, t.name);
		proto_put_bytes(&w, 1, types.items.at[i]);
		proto_put_header(&w, 1, end);
	}
	return answer_take(out, &w);
}

static int put_names(struct reply *out, const struct label_list *names, bool all, struct request *r)
{
	struct proto_writer w;

	proto_writer_init(&w, r->limits.budget);
	for (uint32_t i = names->items.n; i-- > 0;)
		if (all || is_plain_name(names->items.at[i]))
			proto_put_entry(&w, 1, names->items.at[i]);
	return answer_take(out, &w);
}

int querier_label_names(struct request *r, struct reply *out, struct err *e)
{
	struct label_list names = {0};
	struct selection s;
	struct ask ask;
	int rc = ask_read(&ask, r->body, label_names_layout, r, e);
	int rc2 = ask_select_labels(&s, &ask, false, r, e);

	rc = rc ? rc : rc2;
	if (!rc)
		rc = label_names_of(&names, r->store, &s.select, r->arena, e);
	selection_fini(&s);
	return rc ? rc : put_names(out, &names, r->utf8_labels, r);
}

int querier_label_values(struct request *r, struct reply *out, struct err *e)
{
	struct label_list values = {0};
	struct selection s;
	struct ask ask;
	int rc = ask_read(&ask, r->body, label_values_layout, r, e);
	int rc2 = ask_select_labels(&s, &ask, false, r, e);

	rc = rc ? rc : rc2;
	if (!rc && !ask.name.n)
		rc = err_set(e, -EINVAL, "name is required");
	if (!rc)
		rc = label_values_of(&values, r->store, &s.select, ask.name, r->arena, e);
	selection_fini(&s);
	return rc ? rc : put_names(out, &values, true, r);
}

/* Without the labels whose names old readers do not understand. */
static struct label_set plain_labels(struct label_set set, struct arena *arena)
{
	struct label *at = arena_alloc(arena, set.n + 1, sizeof(*at));
	uint32_t n = 0;

	for (uint32_t i = 0; at && i < set.n; i++)
		if (is_plain_name(set.at[i].name))
			at[n++] = set.at[i];
	return (struct label_set){at, n};
}

int querier_series(struct request *r, struct reply *out, struct err *e)
{
	struct label_sets sets = {0};
	struct selection s;
	struct proto_writer w;
	struct ask ask;
	int rc = ask_read(&ask, r->body, series_layout, r, e);
	int rc2 = ask_select_labels(&s, &ask, false, r, e);

	rc = rc ? rc : rc2;
	if (!rc)
		rc = label_sets_of(&sets, r->store, &s.select, ask.label_names.list.at,
				   ask.label_names.list.n, r->arena, e);
	selection_fini(&s);
	if (rc)
		return rc;
	proto_writer_init(&w, r->limits.budget);
	for (uint32_t i = sets.sets.n; i-- > 0;) {
		struct label_set set = sets.sets.at[i];
		size_t end = proto_mark(&w);

		if (!ask.label_names.list.n && !r->utf8_labels)
			set = plain_labels(set, r->arena);
		if (!set.n)
			continue;
		answer_put_labels(&w, 1, set);
		proto_put_header(&w, 2, end);
	}
	return answer_take(out, &w);
}

int querier_profile_stats(struct request *r, struct reply *out, struct err *e)
{
	struct store_stats stats;
	struct proto_writer w;
	int rc = r->store->ops->stats(r->store, r->tenant, &stats, e);

	if (rc)
		return rc;
	proto_writer_init(&w, r->limits.budget);
	proto_put_uint(&w, 3, stats.newest / NS_PER_MS);
	proto_put_uint(&w, 2, stats.oldest / NS_PER_MS);
	proto_put_uint(&w, 1, stats.profiles > 0);
	return answer_take(out, &w);
}

static int count_series(void *ctx, uint32_t series, const struct store_series *s)
{
	(void)series;
	(void)s;
	++*(uint64_t *)ctx;
	return 0;
}

/* How much a query would look at: here only the number of its series is worth telling. */
int querier_analyze_query(struct request *r, struct reply *out, struct err *e)
{
	struct selection s;
	struct proto_writer w;
	struct ask ask;
	uint64_t series = 0;
	size_t end;
	int rc = ask_read(&ask, r->body, analyze_layout, r, e);
	int rc2 = ask_select_labels(&s, &ask, true, r, e);

	rc = rc ? rc : rc2;
	if (!rc)
		rc = selector_parse(&s.selector, ask.selector, e);
	if (!rc)
		rc = r->store->ops->series(r->store, &s.select, count_series, &series, e);
	selection_fini(&s);
	if (rc)
		return rc;
	proto_writer_init(&w, r->limits.budget);
	end = proto_mark(&w);
	proto_put_uint(&w, 3, series);
	proto_put_header(&w, 2, end);
	return answer_take(out, &w);
}
