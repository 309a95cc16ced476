/* SPDX-License-Identifier: Apache-2.0 */
/* The shared parameters of queries. */
#include "api/varve/view_query.h"

#include "api/files.h"
#include "api/merged.h"
#include "api/selection_traces.h"
#include "base/clock.h"
#include "base/time_text.h"
#include "query/label_list.h"

const struct view_names view_names_single = {"query", "from", "to", "file"};

#define DEFAULT_RANGE (3600 * NS_PER_SECOND)
#define MS_MAX 1e12 /* thirty years */

/* ---- labels and times ---- */

static int read_time_param(struct request *r, const char *name, uint64_t initial, uint64_t *ns,
			   struct err *e)
{
	struct str text;
	int rc = request_param(r, name, &text, e);

	*ns = initial;
	if (!rc && text.n)
		rc = time_parse(text, r->now_ns, ns, e);
	if (rc == -EINVAL)
		err_prefix(e, "%s", name);
	return rc;
}

static int read_range(struct selection *s, const struct view_names *names, struct request *r,
		      struct err *e)
{
	uint64_t to, from;
	int rc = read_time_param(r, names->to, s->file ? s->select.to : r->now_ns + 1, &to, e);

	if (!rc)
		rc = read_time_param(r, names->from,
				     s->file ? (s->select.from < to ? s->select.from : to)
				     : to > DEFAULT_RANGE ? to - DEFAULT_RANGE
							  : 0,
				     &from, e);
	if (rc)
		return rc;
	if (from > to)
		return err_set(e, -EINVAL, "%s is after %s", names->from, names->to);
	s->select.from = from;
	s->select.to = to;
	return 0;
}

static int read_labels(struct selection *s, const struct view_names *names, struct request *r,
		       struct err *e)
{
	struct str query, file;
	int rc = selection_init(s, r, e);

	rc = rc ? rc : request_param(r, names->file, &file, e);
	if (!rc && file.n)
		rc = selection_set_file(s, file, r, e);
	if (!rc)
		rc = request_param(r, names->query, &query, e);
	if (!rc)
		rc = selector_parse(&s->selector, str_trim(query), e);
	if (rc == -EINVAL)
		err_prefix(e, "%s", names->query);
	return rc ? rc : read_range(s, names, r, e);
}

int label_query_read(struct selection *s, struct request *r, struct err *e)
{
	return read_labels(s, &view_names_single, r, e);
}

/* ---- profile type ---- */

/* Rank how well a type matches `wanted`; 0: not at all. If `wanted` is empty, prefer CPU time. */
static unsigned type_score(struct str id, struct str wanted)
{
	struct profile_type t;

	if (!profile_type_parse(&t, id))
		return 0;
	if (!wanted.n)
		return str_eq(t.name, STR("process_cpu")) && str_eq(t.sample_type, STR("cpu")) ? 3
		       : str_eq(t.sample_type, STR("cpu"))				       ? 2
											       : 1;
	if (str_eq(id, wanted))
		return 9;
	if (str_eq(t.sample_type, wanted))
		return str_eq(t.name, STR("process_cpu")) ? 8 : 7;
	if (str_eq(t.name, wanted))
		return 6;
	if (str_starts(id, wanted) && id.n > wanted.n && id.p[wanted.n] == ':')
		return 5;
	return 0;
}

static int unknown_type_error(const struct label_list *types, struct str wanted, struct err *e)
{
	struct buf list = {0};
	int rc;

	for (uint32_t i = 0; i < types->items.n && list.n < 300; i++)
		buf_printf(&list, "%s%.*s", i ? ", " : "", STR_ARG(types->items.at[i]));
	rc = types->items.n ? err_set(e, -ENOENT,
				      "no profile type %.*s in this selection; available: %.*s",
				      STR_ARG(str_head(wanted, 80)), STR_ARG(buf_str(&list)))
			    : err_set(e, -ENOENT, "no data for this selection in this time range");
	buf_fini(&list);
	return rc;
}

/* Choose the type that matches best. With `any` a selection without data is not an error. */
static int pick_type(struct view_query *q, struct str wanted, bool any, struct request *r,
		     struct err *e)
{
	struct label_list types = {0};
	struct profile_type whole;
	struct str best = {0};
	unsigned score = 0;
	int rc;

	if (!wanted.n && q->s.file)
		wanted = file_default_type(q->s.file);
	if (profile_type_parse(&whole, wanted)) /* complete: no lookup needed */
		return selection_set_type(&q->s, wanted, r, e);
	rc = label_values_of(&types, q->s.store, &q->s.select, STR("__profile_type__"), r->arena,
			     e);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < types.items.n; i++) {
		unsigned now = type_score(types.items.at[i], wanted);

		if (now > score) {
			score = now;
			best = types.items.at[i];
		}
	}
	if (score)
		return selection_set_type(&q->s, best, r, e);
	return any && !types.items.n ? 0 : unknown_type_error(&types, wanted, e);
}

/* Read the type; a selector may contain it: "process_cpu:cpu:nanoseconds:cpu:nanoseconds{}". */
static int read_type(struct view_query *q, bool any, struct request *r, struct err *e)
{
	struct str wanted, said = selector_equal(&q->s.selector, STR("__profile_type__"));
	int rc = request_param(r, "type", &wanted, e);

	return rc ? rc : pick_type(q, wanted.n ? wanted : said, any, r, e);
}

/* ---- stacks and frames ---- */

static int read_id_params(struct view_query *q, struct request *r, struct err *e)
{
	struct texts spans, traces, profiles;
	bool children = false;
	struct str search;
	int rc = request_params(r, "span", &spans, e);

	if (!rc)
		rc = request_params(r, "trace", &traces, e);
	if (!rc)
		rc = request_params(r, "profile", &profiles, e);
	if (!rc)
		rc = selection_set_spans(&q->s, &spans, r, e);
	if (!rc)
		rc = selection_set_traces(&q->s, &traces, r, e);
	if (!rc)
		rc = selection_set_profiles(&q->s, &profiles, r, e);
	if (!rc)
		rc = request_param(r, "traces", &search, e);
	if (!rc && search.n)
		rc = selection_set_traceql(&q->s, search, r, e);
	if (!rc)
		rc = request_flag(r, "children", &children, e);
	return rc || !children ? rc : selection_add_children(&q->s, r, e);
}

/* Read milliseconds; fractions are allowed. */
static int read_ms_param(struct request *r, const char *name, uint64_t *ns, struct err *e)
{
	struct str text;
	double ms = 0;
	int rc = request_param(r, name, &text, e);

	if (!rc && text.n && (str_to_double(text, &ms) || !(ms >= 0 && ms <= MS_MAX)))
		rc = err_set(e, -EINVAL, "%s: expected milliseconds, found \"%.*s\"", name,
			     STR_ARG(str_head(text, 40)));
	if (!rc && text.n)
		*ns = (uint64_t)(ms * 1e6 + 0.5);
	return rc;
}

/* Read the filter by sample times; both sides of a difference share it. */
static int read_sample_times(struct time_filter *f, struct request *r, struct err *e)
{
	struct str from, to;
	int rc = request_param(r, "time_from", &from, e);

	if (!rc)
		rc = request_param(r, "time_to", &to, e);
	if (!rc)
		rc = read_time_param(r, "time_from", 0, &f->from, e);
	if (!rc)
		rc = read_time_param(r, "time_to", from.n ? UINT64_MAX : 0, &f->to, e);
	if (!rc && to.n && f->from >= f->to)
		rc = err_set(e, -EINVAL, "time_from is not before time_to");
	if (!rc)
		rc = read_ms_param(r, "phase_step", &f->phase_step, e);
	f->phase_to = f->phase_step;
	if (!rc)
		rc = read_ms_param(r, "phase_from", &f->phase_from, e);
	if (!rc)
		rc = read_ms_param(r, "phase_to", &f->phase_to, e);
	if (!rc && (f->phase_from || f->phase_to) && f->phase_from >= f->phase_to)
		rc = err_set(e, -EINVAL, "phase_from is not before phase_to");
	if (!rc && f->phase_to > f->phase_step)
		rc = err_set(e, -EINVAL, "phase_to is greater than phase_step");
	return rc;
}

static int read_regex(struct regex **out, const char *name, bool any_case, struct request *r,
		      struct err *e)
{
	struct str pattern;
	int rc = request_param(r, name, &pattern, e);

	if (!rc && pattern.n) {
		rc = regex_new(out, pattern, any_case ? REGEX_ANY_CASE : 0, e);
		if (rc)
			err_prefix(e, "%s", name);
	}
	return rc;
}

static int read_group(struct view_query *q, struct request *r, struct err *e)
{
	static const struct {
		struct str name;
		enum group_by group;
	} groups[] = {
		{STR_INIT(""), GROUP_FUNCTION},
		{STR_INIT("function"), GROUP_FUNCTION},
		{STR_INIT("filefunction"), GROUP_FILE_FUNCTION},
		{STR_INIT("file"), GROUP_FILE},
		{STR_INIT("module"), GROUP_MODULE},
		{STR_INIT("line"), GROUP_LINE},
		{STR_INIT("address"), GROUP_ADDRESS},
	};
	struct str text;
	int rc = request_param(r, "group", &text, e);

	for (size_t i = 0; i < countof(groups) && !rc; i++)
		if (str_eq(groups[i].name, text)) {
			q->tree.group = groups[i].group;
			return 0;
		}
	return rc ? rc
		  : err_set(e, -EINVAL,
			    "group: expected function, filefunction, file, module, line or "
			    "address, found \"%.*s\"",
			    STR_ARG(str_head(text, 40)));
}

/* Append an expression to q->frames, the cache key of the frame filters. */
static int append_frame_key(struct view_query *q, const char *name, struct request *r,
			    struct err *e)
{
	struct str pattern;
	int rc = request_param(r, name, &pattern, e);

	return rc || !pattern.n
		       ? rc
		       : arena_printf(r->arena, &q->frames, "%.*s%s %zu %.*s\n", STR_ARG(q->frames),
				      name, pattern.n, STR_ARG(pattern));
}

static int read_filters(struct view_query *q, struct request *r, struct err *e)
{
	const struct {
		const char *name;
		struct regex **out;
	} expressions[] = {
		{"focus", &q->s.focus},
		{"ignore", &q->s.ignore},
		{"hide", &q->tree.frames.hide},
		{"show", &q->tree.frames.show},
		{"show_from", &q->tree.frames.show_from},
	};
	bool any_case;
	int rc = request_flag(r, "ignore_case", &any_case, e);

	q->frames = any_case ? STR("any case\n") : (struct str){0};
	for (size_t i = 0; i < countof(expressions) && !rc; i++) {
		rc = read_regex(expressions[i].out, expressions[i].name, any_case, r, e);
		if (!rc)
			rc = append_frame_key(q, expressions[i].name, r, e);
	}
	if (!rc)
		rc = request_flag(r, "invert", &q->tree.invert, e);
	if (!rc)
		rc = read_group(q, r, e);
	if (!rc)
		rc = request_param(r, "function", &q->s.filter.function, e);
	if (!rc)
		rc = request_params(r, "call_site", &q->call_site, e);
	/* stacks are filtered before the tree is built, frames while it is built */
	q->s.filter.focus = q->s.focus;
	q->s.filter.ignore = q->s.ignore;
	q->s.filter.call_site = q->call_site.list.at;
	q->s.filter.call_site_n = q->call_site.list.n;
	return rc;
}

/* Read one version, or two separated by a dash. */
static int read_as_of(struct request *r, uint64_t as_of[2], struct err *e)
{
	struct str text, first;
	int rc = request_param(r, "as_of", &text, e);

	if (rc || !text.n)
		return rc;
	first = str_cut(&text, '-');
	if (str_to_u64(first, 10, &as_of[0]) || (text.n && str_to_u64(text, 10, &as_of[1])))
		rc = err_set(e, -EINVAL, "as_of: expected the as_of of a response, found \"%.*s\"",
			     STR_ARG(str_head(first, 40)));
	return rc;
}

static int read_view(struct view_query *q, const struct view_names *names, bool any,
		     struct request *r, struct err *e)
{
	int rc;

	*q = (struct view_query){0};
	rc = read_labels(&q->s, names, r, e);
	if (!rc)
		rc = read_as_of(r, q->s.versions.as_of, e);
	if (!rc)
		rc = read_id_params(q, r, e);
	if (!rc)
		rc = read_sample_times(&q->s.times, r, e);
	if (!rc)
		rc = read_filters(q, r, e);
	return rc ? rc : read_type(q, any, r, e);
}

int view_query_read(struct view_query *q, const struct view_names *names, struct request *r,
		    struct err *e)
{
	return read_view(q, names, false, r, e);
}

int view_query_read_any(struct view_query *q, const struct view_names *names, struct request *r,
			struct err *e)
{
	return read_view(q, names, true, r, e);
}

int view_pair_read(struct view_query sides[2], struct request *r, struct err *e)
{
	static const struct view_names names[2] = {
		{"before", "before_from", "before_to", "before_file"},
		{"after", "after_from", "after_to", "after_file"},
	};
	int rc = 0;

	for (unsigned i = 0; i < 2; i++) {
		int rc2 = view_query_read(&sides[i], &names[i], r, rc ? NULL : e);

		sides[i].s.versions.as_of[0] = sides[i].s.versions.as_of[i];
		rc = rc ? rc : rc2;
	}
	if (!rc && !str_eq(sides[0].s.type.id, sides[1].s.type.id))
		rc = err_set(e, -EINVAL, "before has %.*s, after has %.*s: set type",
			     STR_ARG(sides[0].s.type.id), STR_ARG(sides[1].s.type.id));
	return rc;
}

int view_cut_read(struct request *r, struct cut_options *o, struct texts *path, struct err *e)
{
	int rc = request_u64(r, "max_nodes", 0, &o->max_nodes, e);

	if (!rc)
		rc = request_u64(r, "width", 0, &o->width, e);
	if (!rc)
		rc = request_flag(r, "nearest", &o->nearest, e);
	if (!rc)
		rc = request_params(r, "path", path, e);
	o->path = path->list.at;
	o->path_n = path->list.n;
	return rc;
}

int view_query_check_untimed(const struct view_query *q, struct err *e)
{
	return time_filter_any(&q->s.times)
		       ? err_set(e, -EINVAL,
				 "time_from, time_to and phase_step are not supported here")
		       : 0;
}

void view_query_fini(struct view_query *q)
{
	selection_fini(&q->s);
	regex_free(q->tree.frames.hide);
	regex_free(q->tree.frames.show);
	regex_free(q->tree.frames.show_from);
}

int view_tree(struct tree *t, struct view_query *q, struct view_query *after, struct err *e)
{
	return merged_tree(t, &q->s, after ? &after->s : NULL, &q->tree, q->frames, e);
}
