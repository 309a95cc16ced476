/* SPDX-License-Identifier: Apache-2.0 */
/* The samples that a query selects; ids of profiles that were sent without one. */
#include "api/selection.h"

#include <stdio.h>

#include "api/files.h"
#include "base/clock.h"
#include "pipeline/caller.h"
#include "query/span_tree.h"
#include "wire/text.h"

/* Append a service as a pattern that matches only it. */
static void put_literal(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (strchr("\\^$.[]|()?*+{}", text.p[i]))
			buf_put_char(out, '\\');
		buf_put_char(out, text.p[i]);
	}
}

/* Require one of the services of the caller's token. */
static int add_caller_services(struct selection *s, const struct request *r, struct err *e)
{
	struct str services =
		r->sender && r->sender->caller ? r->sender->caller->services : (struct str){0};
	struct buf pattern = {0};
	int rc = 0;

	if (!services.n)
		return 0;
	while (services.n) {
		if (pattern.n)
			buf_put_char(&pattern, '|');
		put_literal(&pattern, str_cut(&services, ','));
	}
	rc = buf_error(&pattern);
	if (!rc)
		rc = selector_add(&s->selector, MATCH_REGEX, STR("service_name"), buf_str(&pattern),
				  e);
	buf_fini(&pattern);
	return rc;
}

int selection_init(struct selection *s, const struct request *r, struct err *e)
{
	*s = (struct selection){
		.store = r->store,
		.kept = r->kept,
		.select = {.tenant = r->tenant, .limits = r->limits, .to = UINT64_MAX},
	};
	selector_init(&s->selector);
	s->select.selector = &s->selector;
	return add_caller_services(s, r, e);
}

void selection_release(struct selection *s)
{
	struct kept_entry *held = take_ptr(&s->held);

	if (held && s->kept)
		kept_unref(s->kept, held);
	else if (held)
		held->free(held);
}

void selection_allow_largest(struct selection *s, uint64_t max_nodes)
{
	enum { NODES_MAX = 1 << 16, SPARE = 4 };

	s->wide = max_nodes && max_nodes <= NODES_MAX;
	s->largest = s->wide ? (uint32_t)max_nodes * SPARE : 0;
}

void selection_fini(struct selection *s)
{
	selector_fini(&s->selector);
	regex_free(s->focus);
	regex_free(s->ignore);
	selection_release(s);
	files_release(s->files, s->file);
}

int selection_set_file(struct selection *s, struct str id, struct request *r, struct err *e)
{
	const struct caller *caller = r->sender ? r->sender->caller : NULL;
	int rc;

	if (caller && caller->services.n)
		return err_set(e, -EPERM, "file: a token for some services cannot query files");
	rc = r->files ? files_open(r->files, r, id, &s->file, e)
		      : err_set(e, -EOPNOTSUPP, "file: not supported by this server");

	if (rc)
		return rc;
	s->files = r->files;
	s->store = &s->file->store.store;
	s->select.from = s->file->store.first;
	/* the end of a range is exclusive */
	s->select.to = s->file->store.end == UINT64_MAX ? UINT64_MAX : s->file->store.end + 1;
	return 0;
}

int selection_set_type(struct selection *s, struct str id, struct request *r, struct err *e)
{
	struct str text;
	int rc;

	if (!profile_type_parse(&s->type, id))
		return err_set(e, -EINVAL,
			       "profile-type selection must be of the form "
			       "<name>:<sample-type>:<sample-unit>:<period-type>:<period-unit>"
			       "(:delta), got(%u): \"%.*s\"",
			       (unsigned)id.n, STR_ARG(str_head(id, 200)));
	/* series are stored with five parts */
	rc = arena_printf(r->arena, &text, "%.*s:%.*s:%.*s:%.*s:%.*s", STR_ARG(s->type.name),
			  STR_ARG(s->type.sample_type), STR_ARG(s->type.sample_unit),
			  STR_ARG(s->type.period_type), STR_ARG(s->type.period_unit));
	if (rc)
		return rc;
	s->type.id = text;
	s->select.average = profile_type_is_gauge(text);
	return selector_add(&s->selector, MATCH_EQUAL, STR("__profile_type__"), text, e);
}

static uint64_t ms_to_ns(int64_t ms)
{
	uint64_t ns;

	if (ms <= 0)
		return 0;
	return __builtin_mul_overflow((uint64_t)ms, NS_PER_MS, &ns) ? UINT64_MAX : ns;
}

int selection_set_range(struct selection *s, int64_t start_ms, int64_t end_ms, struct err *e)
{
	if (!start_ms || !end_ms)
		return err_set(e, -EINVAL, "missing time range in the query");
	if (start_ms > end_ms)
		return err_set(e, -EINVAL, "start (%lld) is after end (%lld)", (long long)start_ms,
			       (long long)end_ms);
	s->select.from = ms_to_ns(start_ms);
	s->select.to = end_ms == INT64_MAX ? UINT64_MAX : ms_to_ns(end_ms + 1);
	return 0;
}

/* ---- ids ---- */

static int parse_hex_id(struct str text, uint8_t *out, size_t size, const char *what, struct err *e)
{
	size_t n = 0;

	if (hex_decode(text, out, size, &n) || n != size)
		return err_set(e, -EINVAL, "%s: expected %zu hex digits, found \"%.*s\"", what,
			       size * 2, STR_ARG(str_head(text, 60)));
	return 0;
}

int selection_set_spans(struct selection *s, const struct texts *ids, struct request *r,
			struct err *e)
{
	uint8_t(*spans)[8] = arena_alloc(r->arena, ids->list.n + 1, sizeof(*spans));
	int rc = spans ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < ids->list.n && !rc; i++)
		rc = parse_hex_id(ids->list.at[i], spans[i], sizeof(*spans), "span id", e);
	s->select.spans = (const uint8_t(*)[8])spans;
	s->select.span_count = ids->list.n;
	return rc;
}

int selection_add_children(struct selection *s, struct request *r, struct err *e)
{
	struct store_span_select sel = {.tenant = s->select.tenant,
					.traces = s->traces,
					.trace_count = s->trace_n,
					.ids = s->select.spans,
					.id_count = s->select.span_count,
					.limits = s->select.limits};
	struct span_tree tree;
	int rc;

	if (!s->select.span_count)
		return 0;
	span_tree_range(s->select.from, s->select.to, &sel);
	rc = span_tree_init(&tree, r->limits.budget);
	if (!rc)
		rc = span_tree_of_ids(&tree, s->store, &sel, e);
	if (!rc)
		rc = span_tree_below(&tree, s->select.spans, s->select.span_count, r->arena,
				     &s->select.spans, &s->select.span_count);
	if (!rc && !tree.nodes.n && sel.limits.missing)
		sel.limits.missing->structure = true;
	span_tree_fini(&tree);
	return rc;
}

/* Parse ids of 16 bytes; dashes are ignored. */
static int parse_long_ids(const uint8_t (**out)[16], const struct texts *ids, struct request *r,
			  const char *what, struct err *e)
{
	uint8_t(*at)[16] = arena_alloc(r->arena, ids->list.n + 1, sizeof(*at));
	int rc = at ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < ids->list.n && !rc; i++) {
		char digits[2 * sizeof(*at) + 1];
		struct str text = ids->list.at[i];
		size_t n = 0;

		for (size_t k = 0; k < text.n && n < sizeof(digits); k++)
			if (text.p[k] != '-')
				digits[n++] = text.p[k];
		rc = parse_hex_id(str_of(digits, n), at[i], sizeof(*at), what, e);
	}
	*out = (const uint8_t(*)[16])at;
	return rc;
}

int selection_set_traces(struct selection *s, const struct texts *ids, struct request *r,
			 struct err *e)
{
	s->trace_n = ids->list.n;
	return parse_long_ids(&s->traces, ids, r, "trace id", e);
}

int selection_set_profiles(struct selection *s, const struct texts *ids, struct request *r,
			   struct err *e)
{
	s->profile_n = ids->list.n;
	return parse_long_ids(&s->profiles, ids, r, "profile id", e);
}

/* ---- ids derived from time and series ---- */

/* FNV-1a: stable across processes, so that clients may store an id. */
static uint64_t labels_digest(struct label_set labels)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (uint32_t i = 0; i < labels.n; i++) {
		const struct str texts[2] = {labels.at[i].name, labels.at[i].value};

		for (unsigned t = 0; t < 2; t++) {
			for (size_t k = 0; k < texts[t].n; k++)
				hash = (hash ^ (uint8_t)texts[t].p[k]) * 0x100000001b3u;
			hash = (hash ^ 0xff) * 0x100000001b3u;
		}
	}
	return hash;
}

/*
 * UUID v8: 64 bits of time (48 before and 12 after the version, 4 after the variant), 58 of digest.
 */
static void derive_id(uint8_t out[PROFILE_ID_SIZE], uint64_t time, uint64_t digest)
{
	for (unsigned i = 0; i < 6; i++)
		out[i] = (uint8_t)(time >> (56 - 8 * i));
	out[6] = (uint8_t)(0x80 | (time >> 12 & 15));
	out[7] = (uint8_t)(time >> 4);
	out[8] = (uint8_t)(0x80 | (time & 15) << 2 | (digest >> 56 & 3));
	for (unsigned i = 0; i < 7; i++)
		out[9 + i] = (uint8_t)(digest >> (48 - 8 * i));
}

/* Get the time of a derived id. Return false if the id is not a derived one. */
static bool derived_time(const uint8_t id[PROFILE_ID_SIZE], uint64_t *time)
{
	*time = 0;
	for (unsigned i = 0; i < 6; i++)
		*time = *time << 8 | id[i];
	*time = *time << 16 | (uint64_t)(id[6] & 15) << 12 | (uint64_t)id[7] << 4 |
		(id[8] >> 2 & 15);
	return id[6] >> 4 == 8 && id[8] >> 6 == 2;
}

const char *profile_id_format(const uint8_t id[PROFILE_ID_SIZE], uint64_t time,
			      struct label_set labels, char out[PROFILE_ID_TEXT])
{
	static const uint8_t none[PROFILE_ID_SIZE];
	uint8_t derived[PROFILE_ID_SIZE];
	size_t n = 0;

	derive_id(derived, time, labels_digest(labels));
	if (memcmp(id, none, sizeof(none)) == 0)
		id = derived;
	for (unsigned i = 0; i < PROFILE_ID_SIZE; i++)
		n += (size_t)snprintf(out + n, PROFILE_ID_TEXT - n, "%s%02x",
				      i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
	return out;
}

/* Finds the series of a derived id; `exact` matches its labels once it is found. */
struct series_finder {
	const uint8_t *id;
	uint64_t time;
	struct selector exact;
	bool found;
};

static int match_derived_id(void *ctx, uint32_t series, const struct store_series *s)
{
	struct series_finder *f = ctx;
	uint8_t derived[PROFILE_ID_SIZE];
	int rc = 0;

	(void)series;
	derive_id(derived, f->time, labels_digest(s->labels));
	if (f->found || memcmp(derived, f->id, sizeof(derived)) != 0)
		return 0;
	f->found = true;
	for (uint32_t i = 0; i < s->labels.n && !rc; i++)
		rc = selector_add(&f->exact, MATCH_EQUAL, s->labels.at[i].name,
				  s->labels.at[i].value, NULL);
	return rc;
}

/* Query the profile of a derived id by series and time, if it is in the selection. */
static int query_derived(const struct selection *s, selection_query *query, void *ctx,
			 struct err *e)
{
	struct store_select one = s->select;
	struct series_finder f = {.id = one.profile_id};
	int rc;

	if (!derived_time(one.profile_id, &f.time) || f.time < one.from || f.time >= one.to)
		return 0;
	one.profile_id = NULL;
	one.from = f.time;
	one.to = f.time + 1;
	selector_init(&f.exact);
	rc = s->store->ops->series(s->store, &one, match_derived_id, &f, e);
	one.selector = &f.exact;
	if (!rc && f.found)
		rc = query(s, &one, ctx, e);
	selector_fini(&f.exact);
	return rc;
}

/* ---- queries ---- */

int selection_each(struct selection *s, selection_query *query, void *ctx, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < (s->profile_n ? s->profile_n : 1) && !rc; i++) {
		s->select.profile_id = s->profile_n ? s->profiles[i] : NULL;
		for (uint32_t k = 0; k < (s->trace_n ? s->trace_n : 1) && !rc; k++) {
			s->select.trace_id = s->trace_n ? s->traces[k] : NULL;
			rc = query(s, &s->select, ctx, e);
			if (!rc && s->profile_n)
				rc = query_derived(s, query, ctx, e);
		}
	}
	s->select.profile_id = s->select.trace_id = NULL;
	return rc;
}

int selection_check_samples(const struct selection *s, struct err *e)
{
	return s->select.average
		       ? err_set(e, -EINVAL,
				 "%.*s is a gauge: its samples have no times and no spans",
				 STR_ARG(str_head(s->type.id, 100)))
		       : 0;
}
