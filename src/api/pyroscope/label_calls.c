/* SPDX-License-Identifier: Apache-2.0 */
/* Calls about metadata: profile types, labels, series, statistics. */
#include "api/pyroscope/querier.h"
#include "api/pyroscope/responses.h"
#include "base/clock.h"
#include "query/label_list.h"

static const param_layout profile_types_layout = {[1] = PARAM_START, [2] = PARAM_END};
static const param_layout label_names_layout = {
	[1] = PARAM_MATCHERS, [2] = PARAM_START, [3] = PARAM_END};
static const param_layout label_values_layout = {
	[1] = PARAM_NAME, [2] = PARAM_MATCHERS, [3] = PARAM_START, [4] = PARAM_END};
static const param_layout series_layout = {
	[1] = PARAM_MATCHERS, [2] = PARAM_LABEL_NAMES, [3] = PARAM_START, [4] = PARAM_END};
static const param_layout analyze_layout = {
	[2] = PARAM_START, [3] = PARAM_END, [4] = PARAM_SELECTOR};

/* Return whether a name is valid without UTF-8 support: [A-Za-z_][A-Za-z0-9_]*. */
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
	struct query_params params;
	int rc = query_params_read(&params, r->body, profile_types_layout, r, e);
	int rc2 = query_params_select_labels(&s, &params, true, r, e);

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
	return response_finish(out, &w);
}

static int put_name_list(struct reply *out, const struct label_list *names, bool all,
			 struct request *r)
{
	struct proto_writer w;

	proto_writer_init(&w, r->limits.budget);
	for (uint32_t i = names->items.n; i-- > 0;)
		if (all || is_plain_name(names->items.at[i]))
			proto_put_entry(&w, 1, names->items.at[i]);
	return response_finish(out, &w);
}

int querier_label_names(struct request *r, struct reply *out, struct err *e)
{
	struct label_list names = {0};
	struct selection s;
	struct query_params params;
	int rc = query_params_read(&params, r->body, label_names_layout, r, e);
	int rc2 = query_params_select_labels(&s, &params, false, r, e);

	rc = rc ? rc : rc2;
	if (!rc)
		rc = label_names_of(&names, r->store, &s.select, r->arena, e);
	selection_fini(&s);
	return rc ? rc : put_name_list(out, &names, r->utf8_labels, r);
}

int querier_label_values(struct request *r, struct reply *out, struct err *e)
{
	struct label_list values = {0};
	struct selection s;
	struct query_params params;
	int rc = query_params_read(&params, r->body, label_values_layout, r, e);
	int rc2 = query_params_select_labels(&s, &params, false, r, e);

	rc = rc ? rc : rc2;
	if (!rc && !params.name.n)
		rc = err_set(e, -EINVAL, "name is required");
	if (!rc)
		rc = label_values_of(&values, r->store, &s.select, params.name, r->arena, e);
	selection_fini(&s);
	return rc ? rc : put_name_list(out, &values, true, r);
}

/* Return the labels with plain names only, for clients without UTF-8 support. */
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
	struct query_params params;
	int rc = query_params_read(&params, r->body, series_layout, r, e);
	int rc2 = query_params_select_labels(&s, &params, false, r, e);

	rc = rc ? rc : rc2;
	if (!rc)
		rc = label_sets_of(&sets, r->store, &s.select, params.label_names.list.at,
				   params.label_names.list.n, r->arena, e);
	selection_fini(&s);
	if (rc)
		return rc;
	proto_writer_init(&w, r->limits.budget);
	for (uint32_t i = sets.sets.n; i-- > 0;) {
		struct label_set set = sets.sets.at[i];
		size_t end = proto_mark(&w);

		if (!params.label_names.list.n && !r->utf8_labels)
			set = plain_labels(set, r->arena);
		if (!set.n)
			continue;
		response_put_labels(&w, 1, set);
		proto_put_header(&w, 2, end);
	}
	return response_finish(out, &w);
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
	return response_finish(out, &w);
}

static int count_one_series(void *ctx, uint32_t series, const struct store_series *s)
{
	(void)series;
	(void)s;
	++*(uint64_t *)ctx;
	return 0;
}

/* Report the scope of a query; only the number of its series is filled in. */
int querier_analyze_query(struct request *r, struct reply *out, struct err *e)
{
	struct selection s;
	struct proto_writer w;
	struct query_params params;
	uint64_t series = 0;
	size_t end;
	int rc = query_params_read(&params, r->body, analyze_layout, r, e);
	int rc2 = query_params_select_labels(&s, &params, true, r, e);

	rc = rc ? rc : rc2;
	if (!rc)
		rc = selector_parse(&s.selector, params.selector, e);
	if (!rc)
		rc = r->store->ops->series(r->store, &s.select, count_one_series, &series, e);
	selection_fini(&s);
	if (rc)
		return rc;
	proto_writer_init(&w, r->limits.budget);
	end = proto_mark(&w);
	proto_put_uint(&w, 3, series);
	proto_put_header(&w, 2, end);
	return response_finish(out, &w);
}
