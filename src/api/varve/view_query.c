/* SPDX-License-Identifier: Apache-2.0 */
#include "api/files.h"
#include "api/merged.h"
#include "api/varve/varve.h"
#include "base/clock.h"
#include "base/time_text.h"

const struct view_names view_names_single = {"query", "from", "to", "file"};

#define DEFAULT_RANGE (3600 * NS_PER_SECOND)
#define MS_MAX 1e12 /* thirty years */

/* ---- labels and times ---- */

static int read_time(struct request *r, const char *name, uint64_t initial, uint64_t *ns,
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
	int rc = read_time(r, names->to, s->file ? s->select.to : r->now_ns + 1, &to, e);

	if (!rc)
		rc = read_time(r, names->from,
			       s->file		    ? (s->select.from < to ? s->select.from : to)
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
	int rc;

	selection_init(s, r);
	rc = request_param(r, names->file, &file, e);
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

int ask_labels(struct selection *s, struct request *r, struct err *e)
{
	return read_labels(s, &view_names_single, r, e);
}

/* ---- which type ---- */

/* How well a type answers to what was said: 0 not at all. Without a wish CPU time comes first. */
static unsigned type_fits(struct str id, struct str wanted)
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

static int no_such_type(const struct label_list *types, struct str wanted, struct err *e)
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

/* `any`: that there is no type at all is an answer, too. */
static int pick_type(struct view_ask *a, struct str wanted, bool any, struct request *r,
		     struct err *e)
{
	struct label_list types = {0};
	struct profile_type whole;
	struct str best = {0};
	unsigned fits = 0;
	int rc;

	if (!wanted.n && a->s.file)
		wanted = file_default_type(a->s.file);
	if (profile_type_parse(&whole, wanted)) /* nothing to find out */
		return selection_set_type(&a->s, wanted, r, e);
	rc = label_values_of(&types, a->s.store, &a->s.select, STR("__profile_type__"), r->arena,
			     e);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < types.items.n; i++) {
		unsigned now = type_fits(types.items.at[i], wanted);

		if (now > fits) {
			fits = now;
			best = types.items.at[i];
		}
	}
	if (fits)
		return selection_set_type(&a->s, best, r, e);
	return any && !types.items.n ? 0 : no_such_type(&types, wanted, e);
}

/* A selector can name a type by itself: "process_cpu:cpu:nanoseconds:cpu:nanoseconds{}". */
static int read_type(struct view_ask *a, bool any, struct request *r, struct err *e)
{
	struct str wanted, said = selector_equal(&a->s.selector, STR("__profile_type__"));
	int rc = request_param(r, "type", &wanted, e);

	return rc ? rc : pick_type(a, wanted.n ? wanted : said, any, r, e);
}

/* ---- stacks and frames ---- */

static int read_ids(struct view_ask *a, struct request *r, struct err *e)
{
	struct texts spans, traces, profiles;
	bool children = false;
	int rc = request_params(r, "span", &spans, e);

	if (!rc)
		rc = request_params(r, "trace", &traces, e);
	if (!rc)
		rc = request_params(r, "profile", &profiles, e);
	if (!rc)
		rc = selection_set_spans(&a->s, &spans, r, e);
	if (!rc)
		rc = selection_set_traces(&a->s, &traces, r, e);
	if (!rc)
		rc = selection_set_profiles(&a->s, &profiles, r, e);
	if (!rc)
		rc = request_flag(r, "children", &children, e);
	return rc || !children ? rc : selection_add_children(&a->s, r, e);
}

/* Milliseconds, fractions allowed. */
static int read_ms(struct request *r, const char *name, uint64_t *ns, struct err *e)
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

/* When a sample was taken, by its own clock; both sides of a difference share it. */
static int read_moments(struct time_filter *f, struct request *r, struct err *e)
{
	struct str from, to;
	int rc = request_param(r, "time_from", &from, e);

	if (!rc)
		rc = request_param(r, "time_to", &to, e);
	if (!rc)
		rc = read_time(r, "time_from", 0, &f->from, e);
	if (!rc)
		rc = read_time(r, "time_to", from.n ? UINT64_MAX : 0, &f->to, e);
	if (!rc && to.n && f->from >= f->to)
		rc = err_set(e, -EINVAL, "time_from is not before time_to");
	if (!rc)
		rc = read_ms(r, "phase_step", &f->phase_step, e);
	f->phase_to = f->phase_step;
	if (!rc)
		rc = read_ms(r, "phase_from", &f->phase_from, e);
	if (!rc)
		rc = read_ms(r, "phase_to", &f->phase_to, e);
	if (!rc && (f->phase_from || f->phase_to) && f->phase_from >= f->phase_to)
		rc = err_set(e, -EINVAL, "phase_from is not before phase_to");
	if (!rc && f->phase_to > f->phase_step)
		rc = err_set(e, -EINVAL, "phase_to is more than phase_step");
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

static int read_group(struct view_ask *a, struct request *r, struct err *e)
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
			a->tree.group = groups[i].group;
			return 0;
		}
	return rc ? rc
		  : err_set(e, -EINVAL,
			    "group: expected function, filefunction, file, module, line or "
			    "address, found \"%.*s\"",
			    STR_ARG(str_head(text, 40)));
}

/* The same as text, by which a tree is found again. */
static int note_expression(struct view_ask *a, const char *name, struct request *r, struct err *e)
{
	struct str pattern;
	int rc = request_param(r, name, &pattern, e);

	return rc || !pattern.n
		       ? rc
		       : arena_printf(r->arena, &a->frames, "%.*s%s %zu %.*s\n", STR_ARG(a->frames),
				      name, pattern.n, STR_ARG(pattern));
}

static int read_filters(struct view_ask *a, struct request *r, struct err *e)
{
	const struct {
		const char *name;
		struct regex **out;
	} expressions[] = {
		{"focus", &a->s.focus},
		{"ignore", &a->s.ignore},
		{"hide", &a->tree.frames.hide},
		{"show", &a->tree.frames.show},
		{"show_from", &a->tree.frames.show_from},
	};
	bool any_case;
	int rc = request_flag(r, "ignore_case", &any_case, e);

	a->frames = any_case ? STR("any case\n") : (struct str){0};
	for (size_t i = 0; i < countof(expressions) && !rc; i++) {
		rc = read_regex(expressions[i].out, expressions[i].name, any_case, r, e);
		if (!rc)
			rc = note_expression(a, expressions[i].name, r, e);
	}
	if (!rc)
		rc = request_flag(r, "invert", &a->tree.invert, e);
	if (!rc)
		rc = read_group(a, r, e);
	if (!rc)
		rc = request_param(r, "function", &a->s.filter.function, e);
	if (!rc)
		rc = request_params(r, "call_site", &a->call_site, e);
	/* Whole stacks are chosen before the tree is made, frames while it is. */
	a->s.filter.focus = a->s.focus;
	a->s.filter.ignore = a->s.ignore;
	a->s.filter.call_site = a->call_site.list.at;
	a->s.filter.call_site_n = a->call_site.list.n;
	return rc;
}

/* One version, or two with a dash between them. */
static int read_as_of(struct request *r, uint64_t as_of[2], struct err *e)
{
	struct str text, first;
	int rc = request_param(r, "as_of", &text, e);

	if (rc || !text.n)
		return rc;
	first = str_cut(&text, '-');
	if (str_to_u64(first, 10, &as_of[0]) || (text.n && str_to_u64(text, 10, &as_of[1])))
		rc = err_set(e, -EINVAL, "as_of: expected that of an answer, found \"%.*s\"",
			     STR_ARG(str_head(first, 40)));
	return rc;
}

static int read_view(struct view_ask *a, const struct view_names *names, bool any,
		     struct request *r, struct err *e)
{
	int rc;

	*a = (struct view_ask){0};
	rc = read_labels(&a->s, names, r, e);
	if (!rc)
		rc = read_as_of(r, a->s.moment.as_of, e);
	if (!rc)
		rc = read_ids(a, r, e);
	if (!rc)
		rc = read_moments(&a->s.times, r, e);
	if (!rc)
		rc = read_filters(a, r, e);
	return rc ? rc : read_type(a, any, r, e);
}

int view_ask_read(struct view_ask *a, const struct view_names *names, struct request *r,
		  struct err *e)
{
	return read_view(a, names, false, r, e);
}

int view_ask_read_any(struct view_ask *a, const struct view_names *names, struct request *r,
		      struct err *e)
{
	return read_view(a, names, true, r, e);
}

int view_pair_read(struct view_ask sides[2], struct request *r, struct err *e)
{
	static const struct view_names names[2] = {
		{"before", "before_from", "before_to", "before_file"},
		{"after", "after_from", "after_to", "after_file"},
	};
	int rc = 0;

	for (unsigned i = 0; i < 2; i++) {
		int rc2 = view_ask_read(&sides[i], &names[i], r, rc ? NULL : e);

		sides[i].s.moment.as_of[0] = sides[i].s.moment.as_of[i];
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

int view_ask_untimed(const struct view_ask *a, struct err *e)
{
	return time_filter_any(&a->s.times)
		       ? err_set(e, -EINVAL,
				 "time_from, time_to and phase_step are not supported here")
		       : 0;
}

void view_ask_fini(struct view_ask *a)
{
	selection_fini(&a->s);
	regex_free(a->tree.frames.hide);
	regex_free(a->tree.frames.show);
	regex_free(a->tree.frames.show_from);
}

int view_tree(struct tree *t, struct view_ask *a, struct view_ask *after, struct request *r,
	      struct err *e)
{
	(void)r;
	return merged_tree(t, &a->s, after ? &after->s : NULL, &a->tree, a->frames, e);
}
