/* SPDX-License-Identifier: Apache-2.0 */
/* Reads rule files: YAML with positions, then the checks of Prometheus. */
#include "rules/rule_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/config.h"
#include "query/promql/syntax/promql_literal.h"
#include "query/promql/syntax/promql_parser.h"
#include "rules/template/rule_template.h"
#include "signal/metric/metric_labels.h"

struct reader {
	struct rule_file *file;
	struct config config;
	struct rule_group_def *group;
	const struct config_node *group_labels;
	uint32_t rule; /* of the group, from 1; 0: none */
	struct str rule_name;
	unsigned flags;
	struct err *e; /* the first error */
	int rc;	       /* -ENOMEM, which ends it */
};

/* ---- errors ---- */

static void note_text(struct reader *r, const char *text)
{
	struct rule_file *f = r->file;
	struct str copy;

	err_set(r->e, -EINVAL, "%s", text);
	if (f->errors.n >= RULE_ERRORS_MAX)
		return;
	if (arena_copy_str(&f->arena, str_from(text), &copy) ||
	    vec_push(&f->arena, &f->errors, copy))
		r->rc = -ENOMEM;
}

/* Note an error at the node's place, with the group and rule that are being read. */
static void note(struct reader *r, const struct config_node *n, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
static void note(struct reader *r, const struct config_node *n, const char *fmt, ...)
{
	char reason[ERR_TEXT_MAX], context[256] = "";
	struct err e = {0};
	va_list args;

	va_start(args, fmt);
	vsnprintf(reason, sizeof(reason), fmt, args);
	va_end(args);
	if (r->group && r->rule)
		snprintf(context, sizeof(context), "group \"%.*s\", rule %u, \"%.*s\": ",
			 STR_ARG(str_head(r->group->name, 64)), r->rule,
			 STR_ARG(str_head(r->rule_name, 64)));
	else if (r->group)
		snprintf(context, sizeof(context),
			 "group \"%.*s\": ", STR_ARG(str_head(r->group->name, 64)));
	config_fail(n, &e, "%s%s", context, reason);
	note_text(r, e.text);
}

/* The place of a value, for errors in it. */
static struct config_node at_value(const struct config_node *n)
{
	struct config_node at = *n;

	if (n->value_line) {
		at.line = n->value_line;
		at.column = n->value_column;
	}
	return at;
}

/* ---- values ---- */

static struct str copy_text(struct reader *r, struct str text)
{
	struct str copy = {0};

	if (!r->rc)
		r->rc = arena_copy_str(&r->file->arena, text, &copy);
	return copy;
}

/* Get a scalar; empty if it is absent or null. */
static struct str get_text(struct reader *r, const struct config_node *map, const char *key)
{
	const struct config_node *n = config_get(map, str_from(key));

	if (!n || n->kind == CONFIG_NULL)
		return (struct str){0};
	if (n->kind != CONFIG_SCALAR) {
		note(r, n, "\"%s\" must be a text", key);
		return (struct str){0};
	}
	return copy_text(r, n->text);
}

/* Get a duration in milliseconds; `initial` if it is absent. */
static int64_t get_duration(struct reader *r, const struct config_node *map, const char *key,
			    int64_t initial)
{
	const struct config_node *n = config_get(map, str_from(key));
	struct config_node at;
	int64_t ns;

	if (!n || n->kind == CONFIG_NULL)
		return initial;
	at = at_value(n);
	if (n->kind != CONFIG_SCALAR) {
		note(r, &at, "\"%s\" must be a duration such as 5m", key);
		return initial;
	}
	if (str_eq(n->text, STR("0")))
		return 0;
	if (promql_parse_duration(n->text, &ns)) {
		note(r, &at, "\"%s\": not a valid duration string: \"%.*s\"; expected 30s, 5m, 1h",
		     key, STR_ARG(str_head(n->text, 64)));
		return initial;
	}
	return ns / 1000000;
}

static uint32_t get_limit(struct reader *r, const struct config_node *map)
{
	const struct config_node *n = config_get(map, STR("limit"));
	struct config_node at;
	int64_t limit;

	if (!n || n->kind == CONFIG_NULL)
		return 0;
	at = at_value(n);
	if (n->kind != CONFIG_SCALAR || str_to_i64(n->text, &limit) || limit > UINT32_MAX) {
		note(r, &at, "\"limit\" must be a number");
		return 0;
	}
	return limit > 0 ? (uint32_t)limit : 0;
}

/* Note the keys that are not in the list. */
static void check_keys(struct reader *r, const struct config_node *map, const char *const *keys,
		       size_t count)
{
	for (const struct config_node *n = map->first; n; n = n->next) {
		bool known = false;

		for (size_t i = 0; i < count; i++)
			known |= str_eq(n->key, str_from(keys[i]));
		if (!known && !(r->flags & RULE_FILE_IGNORE_UNKNOWN))
			note(r, n, "unknown key%s",
			     config_hint(n->key, keys, count, sizeof(*keys)).text);
	}
}

/* ---- labels and annotations ---- */

static int compare_labels(const void *a, const void *b)
{
	return str_cmp(((const struct label *)a)->name, ((const struct label *)b)->name);
}

static uint32_t count_children(const struct config_node *map)
{
	uint32_t n = 0;

	for (const struct config_node *c = map ? map->first : NULL; c; c = c->next)
		n++;
	return n;
}

static void check_template(struct reader *r, const struct config_node *n, const char *what)
{
	struct config_node at = at_value(n);
	struct arena a;
	struct err e = {0};
	int rc;

	arena_init(&a, r->file->arena.budget);
	rc = rule_template_check(&a, n->text, &e);
	if (rc == -ENOMEM)
		r->rc = rc;
	else if (rc)
		note(r, &at, "%s \"%.*s\": %s", what, STR_ARG(str_head(n->key, 64)), e.text);
	arena_fini(&a);
}

/* Check one entry of "labels" or "annotations". */
static bool check_pair(struct reader *r, const struct config_node *n, bool is_label)
{
	const char *what = is_label ? "label" : "annotation";

	if (!n->key.n || n->key.n > METRIC_NAME_MAX ||
	    (is_label && str_eq(n->key, STR(METRIC_NAME_LABEL))))
		note(r, n, "invalid %s name: %.*s", what, STR_ARG(str_head(n->key, 64)));
	else if (n->kind != CONFIG_SCALAR && n->kind != CONFIG_NULL)
		note(r, n, "the value of the %s \"%.*s\" must be a text", what,
		     STR_ARG(str_head(n->key, 64)));
	else
		return true;
	return false;
}

/* Append the pairs of a map; those of `later` win over earlier ones of the same name. */
static void add_pairs(struct reader *r, const struct config_node *map, bool is_label,
		      bool is_template, struct label *out, uint32_t *n)
{
	for (const struct config_node *c = map ? map->first : NULL; c && !r->rc; c = c->next) {
		uint32_t i = 0;

		if (!check_pair(r, c, is_label))
			continue;
		if (is_template && c->kind == CONFIG_SCALAR)
			check_template(r, c, is_label ? "label" : "annotation");
		while (i < *n && !str_eq(out[i].name, c->key))
			i++;
		out[i] = (struct label){copy_text(r, c->key), copy_text(r, c->text)};
		*n += i == *n;
	}
}

/* Get a map; NULL if it is absent. */
static const struct config_node *get_map(struct reader *r, const struct config_node *map,
					 const char *key)
{
	const struct config_node *n = config_get(map, str_from(key));

	if (!n || n->kind == CONFIG_NULL || n->kind == CONFIG_MAP)
		return n;
	note(r, n, "\"%s\" must be a map of names to texts", key);
	return NULL;
}

static void read_labels(struct reader *r, const struct config_node *map, struct rule *rule)
{
	const struct config_node *labels = get_map(r, map, "labels");
	const struct config_node *annotations = get_map(r, map, "annotations");
	uint32_t room = count_children(r->group_labels) + count_children(labels);

	rule->labels = arena_alloc(&r->file->arena, room + 1, sizeof(*rule->labels));
	rule->annotations = arena_alloc(&r->file->arena, count_children(annotations) + 1,
					sizeof(*rule->annotations));
	if (!rule->labels || !rule->annotations) {
		r->rc = -ENOMEM;
		return;
	}
	if (room > METRIC_LABELS_MAX) {
		note(r, labels ? labels : map, "more than %d labels", METRIC_LABELS_MAX);
		return;
	}
	add_pairs(r, r->group_labels, true, false, rule->labels, &rule->label_count);
	add_pairs(r, labels, true, rule->kind == RULE_ALERTING, rule->labels, &rule->label_count);
	add_pairs(r, annotations, false, true, rule->annotations, &rule->annotation_count);
	qsort(rule->labels, rule->label_count, sizeof(*rule->labels), compare_labels);
	qsort(rule->annotations, rule->annotation_count, sizeof(*rule->annotations),
	      compare_labels);
}

/* ---- rules ---- */

static void read_expr(struct reader *r, const struct config_node *map, struct rule *rule)
{
	const struct config_node *n = config_get(map, STR("expr"));
	struct promql_expr expr;
	struct config_node at;
	struct err e = {0};
	struct buf b = {0};
	int rc;

	rule->expr = get_text(r, map, "expr");
	if (!rule->expr.n) {
		note(r, n ? n : map, "field 'expr' must be set in rule");
		return;
	}
	at = at_value(n);
	rc = promql_parse(&expr, rule->expr, PROMQL_ALL_SYNTAX, r->file->arena.budget, &e);
	if (rc == -ENOMEM) {
		r->rc = rc;
	} else if (rc) {
		note(r, &at, "could not parse expression: %s", e.text);
	} else {
		promql_print(&b, expr.root);
		rule->printed = copy_text(r, buf_str(&b));
		r->rc = r->rc ? r->rc : buf_error(&b);
	}
	buf_fini(&b);
	promql_expr_fini(&expr);
}

static void check_recording(struct reader *r, const struct config_node *map,
			    const struct rule *rule)
{
	static const char *const fields[] = {"annotations", "for", "keep_firing_for"};
	const struct config_node *n = config_get(map, STR("record"));

	for (size_t i = 0; i < countof(fields); i++) {
		const struct config_node *f = config_get(map, str_from(fields[i]));

		if (f && f->kind != CONFIG_NULL && (f->kind != CONFIG_MAP || f->first) &&
		    !str_eq(f->text, STR("0s")) && !str_eq(f->text, STR("0")))
			note(r, f, "invalid field '%s' in recording rule", fields[i]);
	}
	if (rule->name.n > RULE_NAME_MAX)
		note(r, n, "the name is longer than %d bytes", RULE_NAME_MAX);
	if (str_find(rule->name, '{') < rule->name.n || str_find(rule->name, '}') < rule->name.n)
		note(r, n, "braces present in the recording rule name; should it be in expr?: %.*s",
		     STR_ARG(str_head(rule->name, 64)));
}

static void read_rule(struct reader *r, const struct config_node *n, struct rule *rule)
{
	static const char *const keys[] = {"record",	      "alert",	"expr",	      "for",
					   "keep_firing_for", "labels", "annotations"};
	struct str record, alert;

	if (n->kind != CONFIG_MAP) {
		note(r, n, "a rule must be a map");
		return;
	}
	record = get_text(r, n, "record");
	alert = get_text(r, n, "alert");
	*rule = (struct rule){.kind = alert.n ? RULE_ALERTING : RULE_RECORDING,
			      .name = alert.n ? alert : record,
			      .line = n->line,
			      .column = n->column};
	r->rule_name = rule->name;
	check_keys(r, n, keys, countof(keys));
	if (record.n && alert.n)
		note(r, n, "only one of 'record' and 'alert' must be set");
	if (!record.n && !alert.n)
		note(r, n, "one of 'record' or 'alert' must be set");
	read_expr(r, n, rule);
	if (rule->kind == RULE_RECORDING && record.n)
		check_recording(r, n, rule);
	rule->hold_ms = get_duration(r, n, "for", 0);
	rule->keep_ms = get_duration(r, n, "keep_firing_for", 0);
	read_labels(r, n, rule);
}

static void read_rules(struct reader *r, const struct config_node *list)
{
	struct rule_group_def *g = r->group;
	uint32_t n = count_children(list);

	if (!list || list->kind == CONFIG_NULL)
		return;
	if (list->kind != CONFIG_LIST) {
		note(r, list, "\"rules\" must be a list");
		return;
	}
	if (n > RULE_RULES_MAX - r->file->rule_count) {
		note(r, list, "more than %d rules in a file", RULE_RULES_MAX);
		return;
	}
	g->rules = arena_zalloc(&r->file->arena, n + 1, sizeof(*g->rules));
	if (!g->rules) {
		r->rc = -ENOMEM;
		return;
	}
	for (const struct config_node *c = list->first; c && !r->rc; c = c->next) {
		r->rule = g->rule_count + 1;
		r->rule_name = STR("");
		read_rule(r, c, &g->rules[g->rule_count++]);
	}
	r->rule = 0;
	r->file->rule_count += n;
}

/* ---- groups ---- */

static void check_group_name(struct reader *r, const struct config_node *n)
{
	const struct rule_file *f = r->file;
	const struct config_node *name = config_get(n, STR("name"));

	if (!r->group->name.n)
		note(r, n, "Groupname must not be empty");
	for (uint32_t i = 0; i + 1 < f->groups.n; i++)
		if (r->group->name.n && str_eq(f->groups.at[i].name, r->group->name)) {
			note(r, name, "groupname: \"%.*s\" is repeated in the same file",
			     STR_ARG(str_head(r->group->name, 64)));
			break;
		}
}

static void read_group(struct reader *r, const struct config_node *n, struct str tenant)
{
	static const char *const keys[] = {"name",	   "interval", "limit",
					   "query_offset", "labels",   "rules"};
	struct rule_file *f = r->file;
	struct rule_group_def g = {.file = f->path, .tenant = tenant};

	if (n->kind != CONFIG_MAP) {
		note(r, n, "a group must be a map");
		return;
	}
	if (vec_push(&f->arena, &f->groups, g)) {
		r->rc = -ENOMEM;
		return;
	}
	r->group = &f->groups.at[f->groups.n - 1];
	r->group->name = get_text(r, n, "name");
	check_group_name(r, n);
	check_keys(r, n, keys, countof(keys));
	r->group->interval_ms = get_duration(r, n, "interval", 0);
	r->group->offset_ms = get_duration(r, n, "query_offset", -1);
	r->group->limit = get_limit(r, n);
	r->group_labels = get_map(r, n, "labels");
	read_rules(r, config_get(n, STR("rules")));
	r->group = NULL;
	r->group_labels = NULL;
}

static void read_groups(struct reader *r)
{
	static const char *const keys[] = {"groups", "tenant"};
	const struct config_node *list = config_get(r->config.root, STR("groups"));
	struct str tenant;

	check_keys(r, r->config.root, keys, countof(keys));
	tenant = get_text(r, r->config.root, "tenant");
	if (!list || list->kind == CONFIG_NULL)
		return;
	if (list->kind != CONFIG_LIST || count_children(list) > RULE_GROUPS_MAX) {
		note(r, list, "\"groups\" must be a list of at most %d groups", RULE_GROUPS_MAX);
		return;
	}
	for (const struct config_node *n = list->first; n && !r->rc; n = n->next)
		read_group(r, n, tenant);
}

/* ---- files ---- */

static int file_new(struct rule_file **out, const char *path, struct budget *budget)
{
	struct rule_file *f = calloc(1, sizeof(*f));
	int rc;

	if (!f)
		return -ENOMEM;
	arena_init(&f->arena, budget);
	atomic_init(&f->references, 1);
	rc = arena_copy_str(&f->arena, str_from(path), &f->path);
	if (rc)
		rule_file_unref(f);
	else
		*out = f;
	return rc;
}

/* Read the groups of a parsed configuration, or note why it could not be parsed. */
static int finish(struct reader *r, int rc, const struct err *parsed, struct rule_file **out)
{
	if (rc == -EINVAL)
		note_text(r, parsed->text);
	else if (rc)
		err_set(r->e, rc, "%s", parsed->text[0] ? parsed->text : "out of memory");
	else
		read_groups(r);
	config_fini(&r->config);
	if (r->rc || (rc && rc != -EINVAL)) {
		rule_file_unref(r->file);
		return r->rc ? err_set(r->e, r->rc, "out of memory for rules") : rc;
	}
	*out = r->file;
	return r->file->errors.n ? -EINVAL : 0;
}

int rule_file_parse(struct rule_file **out, struct str text, const char *path, unsigned flags,
		    struct budget *budget, struct err *e)
{
	struct reader r = {.flags = flags, .e = e};
	struct err parsed = {0};
	int rc = file_new(&r.file, path, budget);

	*out = NULL;
	if (rc)
		return err_set(e, rc, "out of memory for rules");
	rc = config_init(&r.config, budget);
	r.config.text_max = RULE_TEXT_MAX;
	r.config.nodes_max = RULE_NODES_MAX;
	r.config.list_max = RULE_RULES_MAX;
	if (!rc)
		rc = config_parse_plain(&r.config, text, path, &parsed);
	return finish(&r, rc, &parsed, out);
}

int rule_file_read(struct rule_file **out, const char *path, unsigned flags, struct budget *budget,
		   struct err *e)
{
	struct buf text;
	int rc;

	*out = NULL;
	buf_init(&text, budget);
	rc = config_read_text(&text, path, RULE_TEXT_MAX, e);
	if (!rc)
		rc = rule_file_parse(out, buf_str(&text), path, flags, budget, e);
	else
		err_errno(e, rc, path);
	buf_fini(&text);
	return rc;
}

struct rule_file *rule_file_ref(struct rule_file *f)
{
	atomic_fetch_add(&f->references, 1);
	return f;
}

void rule_file_unref(struct rule_file *f)
{
	if (!f || atomic_fetch_sub(&f->references, 1) != 1)
		return;
	arena_fini(&f->arena);
	free(f);
}

/* ---- comparison ---- */

static bool labels_equal(const struct label *a, uint32_t n, const struct label *b, uint32_t m)
{
	if (n != m)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!str_eq(a[i].name, b[i].name) || !str_eq(a[i].value, b[i].value))
			return false;
	return true;
}

static bool rules_equal(const struct rule *a, const struct rule *b)
{
	return a->kind == b->kind && str_eq(a->name, b->name) && str_eq(a->expr, b->expr) &&
	       a->hold_ms == b->hold_ms && a->keep_ms == b->keep_ms &&
	       labels_equal(a->labels, a->label_count, b->labels, b->label_count) &&
	       labels_equal(a->annotations, a->annotation_count, b->annotations,
			    b->annotation_count);
}

bool rule_groups_equal(const struct rule_group_def *a, const struct rule_group_def *b)
{
	if (!str_eq(a->file, b->file) || !str_eq(a->name, b->name) ||
	    !str_eq(a->tenant, b->tenant) || a->interval_ms != b->interval_ms ||
	    a->offset_ms != b->offset_ms || a->limit != b->limit || a->rule_count != b->rule_count)
		return false;
	for (uint32_t i = 0; i < a->rule_count; i++)
		if (!rules_equal(&a->rules[i], &b->rules[i]))
			return false;
	return true;
}
