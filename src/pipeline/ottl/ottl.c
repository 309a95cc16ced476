/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: lists of lines that were compiled for a context; and evaluators in reserve. */
#include "pipeline/ottl/ottl.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "pipeline/ottl/ottl_call.h"
#include "pipeline/ottl/ottl_expression.h"
#include "pipeline/ottl/ottl_resolve.h"

/*
 * Memory that evaluators in reserve hold stays charged to the budget: at most this part of it, and
 * at most this many bytes.
 */
enum { RESERVE_PART = 16, RESERVE_BYTES = 16 * MIB };

struct ottl_program {
	enum ottl_context context;
	enum ottl_error_mode error_mode;
	VEC(struct ottl_line) lines;
	VEC(struct ottl_line) guard;
};

struct ottl {
	const struct log *log;
	struct budget *budget;
	struct arena arena; /* of programs */
	uint32_t sites;	    /* calls in all programs */
	size_t reserve_limit;
	pthread_mutex_t mu; /* guards what follows */
	struct ottl_eval *reserve;
	size_t reserved; /* bytes that `reserve` holds */
};

int ottl_new(struct ottl **out, const struct log *log, struct budget *budget)
{
	struct ottl *o = calloc(1, sizeof(*o));

	if (!o)
		return -ENOMEM;
	o->log = log;
	o->budget = budget;
	o->reserve_limit =
		min_size(budget ? budget->limit / RESERVE_PART : SIZE_MAX, RESERVE_BYTES);
	arena_init(&o->arena, NULL);
	pthread_mutex_init(&o->mu, NULL);
	*out = o;
	return 0;
}

static void free_eval(struct ottl_eval *ev)
{
	ottl_eval_fini(ev);
	free(ev);
}

void ottl_free(struct ottl *o)
{
	if (!o)
		return;
	while (o->reserve) {
		struct ottl_eval *ev = o->reserve;

		o->reserve = ev->next;
		free_eval(ev);
	}
	pthread_mutex_destroy(&o->mu);
	arena_fini(&o->arena);
	free(o);
}

int ottl_error_mode_read(const struct config_node *n, enum ottl_error_mode *mode, struct err *e)
{
	static const char *const names[] = {"ignore", "silent", "propagate"};

	for (unsigned i = 0; i < countof(names); i++) {
		if (n->kind != CONFIG_SCALAR || !str_eq(n->text, str_from(names[i])))
			continue;
		*mode = (enum ottl_error_mode)i;
		return 0;
	}
	return config_fail(n, e,
			   "error_mode: unknown error mode \"%.*s\": expected ignore, silent "
			   "or propagate",
			   STR_ARG(n->text));
}

/* ---- compilation ---- */

/* Set the error of a text, with its place in the configuration. */
static int fail_text(const struct config_node *n, bool statement, const struct err *why,
		     struct err *e)
{
	return config_fail(n, e, "unable to parse OTTL %s \"%.*s\": %s",
			   statement ? "statement" : "condition", STR_ARG(str_head(n->text, 160)),
			   why->text);
}

static int parse_line(struct ottl *o, const struct ottl_options *options,
		      const struct config_node *n, struct ottl_line *out, struct err *e)
{
	struct err why = {0};
	struct str text;
	int rc;

	if (n->kind != CONFIG_SCALAR)
		return config_fail(n, e, "expected the text of a %s",
				   options->statements ? "statement" : "condition");
	rc = arena_copy_str(&o->arena, n->text, &text);
	if (!rc)
		rc = ottl_parse(out, text, options->statements, &o->arena, &why);
	if (rc == -EINVAL) {
		err_prefix(&why, "%s has invalid syntax",
			   options->statements ? "statement" : "condition");
		return fail_text(n, options->statements, &why, e);
	}
	return rc ? err_errno(e, rc, "compile OTTL") : 0;
}

static int resolve_line(struct ottl *o, const struct ottl_options *options,
			enum ottl_context context, const struct config_node *n,
			struct ottl_line *line, struct err *e)
{
	struct err why = {0};
	struct ottl_resolver r = {.options = options,
				  .context = context,
				  .prefixed = options->context == OTTL_INFER,
				  .arena = &o->arena,
				  .sites = &o->sites,
				  .e = &why};
	int rc = ottl_resolve(&r, line);

	if (rc == -EINVAL)
		return fail_text(n, options->statements, &why, e);
	return rc ? err_errno(e, rc, "compile OTTL") : 0;
}

/* The texts of a list, or one text. */
static const struct config_node *first_text(const struct config_node *list)
{
	return list->kind == CONFIG_LIST ? list->first : list;
}

static const struct config_node *next_text(const struct config_node *list,
					   const struct config_node *n)
{
	return list->kind == CONFIG_LIST ? n->next : NULL;
}

static enum ottl_context item_context_of(enum signal_kind signal)
{
	static const enum ottl_context contexts[SIGNALS] = {OTTL_PROFILE, OTTL_SPAN, OTTL_METRIC,
							    OTTL_LOG};

	return contexts[signal_index(signal)];
}

/*
 * Parse all texts. With OTTL_INFER, set p->context: to that of items if no path names one, so that
 * paths without a prefix are reported.
 */
static int parse_lines(struct ottl *o, const struct ottl_options *options,
		       const struct config_node *list, struct ottl_program *p, struct err *e)
{
	enum ottl_context inferred = OTTL_CONTEXTS;
	int rc = 0;

	for (const struct config_node *n = first_text(list); n && !rc; n = next_text(list, n)) {
		struct ottl_line line;

		rc = parse_line(o, options, n, &line, e);
		if (!rc && vec_push(&o->arena, &p->lines, line))
			rc = err_errno(e, -ENOMEM, "compile OTTL");
		if (!rc)
			inferred = ottl_infer(&line, inferred);
	}
	if (rc || options->context != OTTL_INFER)
		return rc;
	p->context = inferred == OTTL_CONTEXTS ? item_context_of(options->signal) : inferred;
	return 0;
}

/* Return whether items of the signal have this context. */
static bool signal_has(enum signal_kind signal, enum ottl_context c)
{
	static const unsigned contexts[SIGNALS] = {
		OTTL_IN(OTTL_PROFILE),
		OTTL_IN(OTTL_SPAN) | OTTL_IN(OTTL_SPAN_EVENT),
		OTTL_IN(OTTL_METRIC) | OTTL_IN(OTTL_DATA_POINT),
		OTTL_IN(OTTL_LOG),
	};

	return c == OTTL_RESOURCE || c == OTTL_SCOPE || contexts[signal_index(signal)] & OTTL_IN(c);
}

int ottl_compile(struct ottl *o, const struct ottl_options *options, const struct config_node *list,
		 struct ottl_program **out, struct err *e)
{
	struct ottl_program *p = arena_zalloc(&o->arena, 1, sizeof(*p));
	uint32_t i = 0;
	int rc;

	if (!p)
		return err_errno(e, -ENOMEM, "compile OTTL");
	p->context = options->context;
	p->error_mode = options->error_mode;
	rc = parse_lines(o, options, list, p, e);
	if (!rc && !signal_has(options->signal, p->context))
		rc = config_fail(list, e, "context \"%s\" does not exist for %s",
				 ottl_context_names[p->context],
				 signal_names[signal_index(options->signal)]);
	for (const struct config_node *n = first_text(list); n && !rc; n = next_text(list, n))
		rc = resolve_line(o, options, p->context, n, &p->lines.at[i++], e);
	*out = p;
	return rc;
}

int ottl_compile_guard(struct ottl *o, struct ottl_program *p, const struct ottl_options *options,
		       const struct config_node *list, struct err *e)
{
	struct ottl_options conditions = *options;
	int rc = 0;

	conditions.statements = false;
	for (const struct config_node *n = first_text(list); n && !rc; n = next_text(list, n)) {
		struct ottl_line line;

		rc = parse_line(o, &conditions, n, &line, e);
		if (!rc)
			rc = resolve_line(o, &conditions, p->context, n, &line, e);
		if (!rc && vec_push(&o->arena, &p->guard, line))
			rc = err_errno(e, -ENOMEM, "compile OTTL");
	}
	return rc;
}

enum ottl_context ottl_program_context(const struct ottl_program *p)
{
	return p->context;
}

/* ---- evaluators ---- */

static size_t held_bytes(const struct ottl_eval *ev)
{
	return arena_bytes(&ev->kept) + arena_bytes(&ev->scratch) + ev->writer.cap;
}

static struct ottl_eval *new_eval(struct ottl *o)
{
	struct ottl_eval *ev = calloc(1, sizeof(*ev));

	if (!ev)
		return NULL;
	ev->owner = o;
	arena_init(&ev->kept, o->budget);
	arena_init(&ev->scratch, o->budget);
	proto_writer_init(&ev->writer, o->budget);
	ev->regex_count = o->sites;
	ev->regexes = calloc(max_size(o->sites, 1), sizeof(*ev->regexes));
	if (!ev->regexes) {
		free_eval(ev);
		return NULL;
	}
	return ev;
}

struct ottl_eval *ottl_begin(struct ottl *o, const struct delivery *d, struct otlp_tree *tree)
{
	struct ottl_eval *ev;

	pthread_mutex_lock(&o->mu);
	ev = o->reserve;
	if (ev) {
		o->reserve = ev->next;
		o->reserved -= held_bytes(ev);
	}
	pthread_mutex_unlock(&o->mu);
	if (ev && ev->regex_count < o->sites) { /* older than a program */
		free_eval(ev);
		ev = NULL;
	}
	if (!ev)
		ev = new_eval(o);
	if (!ev)
		return NULL;
	ev->delivery = d;
	ev->tree = tree;
	ev->resource = NULL;
	ev->scope = NULL;
	ev->item = NULL;
	ev->parts = (struct ottl_parts){0};
	ev->cache = (struct ottl_slot){0};
	memset(ev->at, 0, sizeof(ev->at));
	ev->added = 0;
	ev->changed = false;
	ev->rc = 0;
	return ev;
}

void ottl_end(struct ottl_eval *ev)
{
	struct ottl *o = ev->owner;
	size_t held;

	arena_reset(&ev->kept);
	arena_reset(&ev->scratch);
	held = held_bytes(ev);
	pthread_mutex_lock(&o->mu);
	if (o->reserved + held <= o->reserve_limit) {
		o->reserved += held;
		ev->next = o->reserve;
		o->reserve = ev;
		ev = NULL;
	}
	pthread_mutex_unlock(&o->mu);
	if (ev)
		free_eval(ev);
}

struct arena *ottl_arena(struct ottl_eval *ev)
{
	return &ev->kept;
}

/* ---- running ---- */

/*
 * Handle the failure of a line by the error mode. Return 0 if the next line follows, else the
 * error, whose text names the line.
 */
static int line_failed(struct ottl_eval *ev, const struct ottl_program *p,
		       const struct ottl_line *line, int rc, struct err *why, struct err *e)
{
	const char *kind = line->editor ? "statement" : "condition";

	if (rc == -ENOMEM)
		return err_errno(e, -ENOMEM, "OTTL");
	if (p->error_mode == OTTL_PROPAGATE)
		return err_set(e, -EINVAL, "failed to execute %s: %.*s, %s", kind,
			       STR_ARG(str_head(line->text, 160)), why->text);
	if (p->error_mode == OTTL_IGNORE)
		log_warn(ev->owner->log,
			 line->editor ? "failed to execute statement"
				      : "failed to evaluate condition",
			 LOG_STR(kind, line->text), LOG_ERR(why));
	return 0;
}

/* Return 1 if one of the conditions is true. */
static int any_true(struct ottl_eval *ev, const struct ottl_program *p,
		    const struct ottl_line *lines, uint32_t count, struct err *e)
{
	for (uint32_t i = 0; i < count; i++) {
		struct err why;
		int rc;

		why.code = 0;
		why.text[0] = '\0';
		ev->e = &why;
		rc = ottl_eval_condition(ev, lines[i].condition);
		if (rc < 0)
			rc = line_failed(ev, p, &lines[i], rc, &why, e);
		if (rc)
			return rc;
	}
	return 0;
}

int ottl_test(struct ottl_eval *ev, const struct ottl_program *conditions, struct err *e)
{
	return any_true(ev, conditions, conditions->lines.at, conditions->lines.n, e);
}

static int run_line(struct ottl_eval *ev, const struct ottl_line *line)
{
	struct ottl_value ignored;
	int rc = line->condition ? ottl_eval_condition(ev, line->condition) : 1;

	return rc <= 0 ? rc : ottl_call(ev, line->editor, &ignored);
}

int ottl_run(struct ottl_eval *ev, const struct ottl_program *p, struct err *e)
{
	int rc = 1;

	ev->cache = (struct ottl_slot){0};
	if (p->guard.n)
		rc = any_true(ev, p, p->guard.at, p->guard.n, e);
	if (rc <= 0)
		return rc;
	rc = 0;
	for (uint32_t i = 0; i < p->lines.n && !rc; i++) {
		struct err why;

		why.code = 0;
		why.text[0] = '\0';
		ev->e = &why;
		rc = run_line(ev, &p->lines.at[i]);
		if (rc)
			rc = line_failed(ev, p, &p->lines.at[i], rc, &why, e);
	}
	return rc;
}
