/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files of unit tests: YAML with positions. */
#include "rules/test/rule_test_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/time_text.h"
#include "config/config.h"
#include "query/promql/syntax/promql_literal.h"

struct reader {
	struct rule_test_file *f;
	struct config config;
	uint32_t series;
	uint64_t values;
	unsigned flags;
	struct err *e;
};

/* ---- values ---- */

static bool is_null(const struct config_node *n)
{
	return !n || n->kind == CONFIG_NULL;
}

static int check_keys(const struct reader *r, const struct config_node *map, const char *what,
		      const char *const *keys, size_t count)
{
	if (map->kind != CONFIG_MAP)
		return config_fail(map, r->e, "%s must be a map", what);
	for (const struct config_node *n = map->first; n; n = n->next) {
		bool known = false;

		for (size_t i = 0; i < count; i++)
			known |= str_eq(n->key, str_from(keys[i]));
		if (!known && !(r->flags & RULE_FILE_IGNORE_UNKNOWN))
			return config_fail(n, r->e, "%s: unknown key%s", what,
					   config_hint(n->key, keys, count, sizeof(*keys)).text);
	}
	return 0;
}

static int get_text(struct reader *r, const struct config_node *map, const char *key,
		    struct str *out)
{
	const struct config_node *n = config_get(map, str_from(key));

	*out = (struct str){0};
	if (is_null(n))
		return 0;
	if (n->kind != CONFIG_SCALAR)
		return config_fail(n, r->e, "\"%s\" must be a text", key);
	return arena_copy_str(&r->f->arena, n->text, out);
}

static int get_duration(struct reader *r, const struct config_node *map, const char *key,
			int64_t initial, int64_t *out)
{
	const struct config_node *n = config_get(map, str_from(key));
	int64_t ns;

	*out = initial;
	if (is_null(n))
		return 0;
	if (n->kind == CONFIG_SCALAR && str_eq(n->text, STR("0"))) {
		*out = 0;
		return 0;
	}
	if (n->kind != CONFIG_SCALAR || promql_parse_duration(n->text, &ns))
		return config_fail(n, r->e, "\"%s\": not a valid duration string: \"%.*s\"", key,
				   STR_ARG(str_head(n->text, 64)));
	*out = ns / 1000000;
	return 0;
}

/* Get a number, also as YAML writes it: .inf, .nan. */
static int get_number(struct reader *r, const struct config_node *map, const char *key, double *out)
{
	const struct config_node *n = config_get(map, str_from(key));
	struct str text = n ? n->text : (struct str){0};
	bool negative = text.n && text.p[0] == '-';

	*out = 0;
	if (is_null(n))
		return 0;
	if (text.n && (text.p[0] == '-' || text.p[0] == '+'))
		text = str_from_at(text, 1);
	if (text.n > 1 && text.p[0] == '.' && (text.p[1] < '0' || text.p[1] > '9'))
		text = str_from_at(text, 1);
	if (n->kind != CONFIG_SCALAR || promql_parse_number(text, out))
		return config_fail(n, r->e, "\"%s\" must be a number", key);
	if (negative)
		*out = -*out;
	return 0;
}

/* Get a list; *first is its first entry, NULL if there is none. At most `max` entries. */
static int get_list(struct reader *r, const struct config_node *map, const char *key, uint32_t max,
		    const struct config_node **first)
{
	const struct config_node *n = config_get(map, str_from(key));
	uint32_t count = 0;

	*first = NULL;
	if (is_null(n))
		return 0;
	if (n->kind != CONFIG_LIST)
		return config_fail(n, r->e, "\"%s\" must be a list", key);
	for (const struct config_node *c = n->first; c; c = c->next)
		if (++count > max)
			return config_fail(c, r->e, "\"%s\" has more than %u entries", key, max);
	*first = n->first;
	return 0;
}

static int compare_labels(const void *a, const void *b)
{
	return str_cmp(((const struct label *)a)->name, ((const struct label *)b)->name);
}

/* Get a map of texts, sorted by name. */
static int get_labels(struct reader *r, const struct config_node *map, const char *key,
		      struct label **out, uint32_t *count)
{
	const struct config_node *n = config_get(map, str_from(key));
	uint32_t room = 0;
	int rc = 0;

	*count = 0;
	if (!is_null(n) && n->kind != CONFIG_MAP)
		return config_fail(n, r->e, "\"%s\" must be a map of names to texts", key);
	for (const struct config_node *c = n ? n->first : NULL; c; c = c->next)
		room++;
	*out = arena_alloc(&r->f->arena, room + 1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	for (const struct config_node *c = n ? n->first : NULL; c && !rc; c = c->next) {
		struct label *l = &(*out)[(*count)++];

		if (c->kind != CONFIG_SCALAR && c->kind != CONFIG_NULL)
			return config_fail(c, r->e, "the value must be a text");
		rc = arena_copy_str(&r->f->arena, c->key, &l->name);
		if (!rc)
			rc = arena_copy_str(&r->f->arena, c->text, &l->value);
	}
	qsort(*out, *count, sizeof(**out), compare_labels);
	return rc;
}

static int get_texts(struct reader *r, const struct config_node *map, const char *key, uint32_t max,
		     struct str **out, uint32_t *count)
{
	const struct config_node *n;
	int rc = get_list(r, map, key, max, &n);
	VEC(struct str) list = {0};

	for (; n && !rc; n = n->next) {
		struct str text;

		if (n->kind != CONFIG_SCALAR)
			return config_fail(n, r->e, "\"%s\" must be a list of texts", key);
		rc = arena_copy_str(&r->f->arena, n->text, &text);
		if (!rc)
			rc = vec_push(&r->f->arena, &list, text);
	}
	*out = list.at;
	*count = list.n;
	return rc;
}

/* ---- tests ---- */

static int read_series(struct reader *r, const struct config_node *n, struct rule_test *t)
{
	static const char *const keys[] = {"series", "values"};
	struct series_line *line = arena_zalloc(&r->f->arena, 1, sizeof(*line));
	struct str series, values, text;
	struct err e = {0};
	int rc = line ? check_keys(r, n, "input_series", keys, countof(keys)) : -ENOMEM;

	if (!rc)
		rc = get_text(r, n, "series", &series);
	if (!rc)
		rc = get_text(r, n, "values", &values);
	if (rc)
		return rc;
	if (++r->series > RULE_TEST_SERIES_MAX)
		return config_fail(n, r->e, "more than %d series", RULE_TEST_SERIES_MAX);
	rc = arena_printf(&r->f->arena, &text, "%.*s %.*s", STR_ARG(series), STR_ARG(values));
	if (rc)
		return rc;
	rc = series_parse(line, text, &r->f->arena, &e);
	if (rc)
		return rc == -ENOMEM ? rc : config_fail(n, r->e, "%s", e.text);
	r->values += line->values.n;
	if (r->values > RULE_TEST_VALUES_MAX)
		return config_fail(n, r->e, "more than %d values", RULE_TEST_VALUES_MAX);
	return vec_push(&r->f->arena, &t->series, line);
}

static int read_alerts(struct reader *r, const struct config_node *n, struct rule_test *t)
{
	static const char *const keys[] = {"eval_time", "alertname", "exp_alerts"};
	static const char *const expected_keys[] = {"exp_labels", "exp_annotations"};
	struct rule_test_alerts a = {0};
	const struct config_node *c = NULL;
	int rc = check_keys(r, n, "alert_rule_test", keys, countof(keys));

	if (!rc)
		rc = get_duration(r, n, "eval_time", 0, &a.at_ms);
	if (!rc)
		rc = get_text(r, n, "alertname", &a.name);
	if (!rc && !a.name.n)
		rc = config_fail(n, r->e,
				 "an item under alert_rule_test misses required attribute "
				 "alertname");
	if (!rc)
		rc = get_list(r, n, "exp_alerts", RULE_TEST_CASES_MAX, &c);
	for (; c && !rc; c = c->next) {
		struct rule_test_expected x = {0};

		rc = check_keys(r, c, "exp_alerts", expected_keys, countof(expected_keys));
		if (!rc)
			rc = get_labels(r, c, "exp_labels", &x.labels, &x.label_count);
		if (!rc)
			rc = get_labels(r, c, "exp_annotations", &x.annotations,
					&x.annotation_count);
		if (!rc)
			rc = vec_push(&r->f->arena, &a.expected, x);
	}
	return rc ? rc : vec_push(&r->f->arena, &t->alerts, a);
}

static int compare_promql_labels(const void *a, const void *b)
{
	return str_cmp(((const struct promql_label *)a)->name,
		       ((const struct promql_label *)b)->name);
}

/* Parse the labels of a sample, such as up{job="a"}. */
static int parse_metric(struct reader *r, const struct config_node *n, struct str text,
			struct rule_test_sample *s)
{
	struct series_line line;
	struct err e = {0};
	int rc = series_parse(&line, text, &r->f->arena, &e);

	if (!rc && line.values.n)
		rc = err_set(&e, -EINVAL, "unexpected values after the labels");
	if (rc)
		return rc == -ENOMEM ? rc
				     : config_fail(n, r->e, "labels \"%.*s\": %s",
						   STR_ARG(str_head(text, 128)), e.text);
	s->labels = arena_alloc(&r->f->arena, line.label_count + 1, sizeof(*s->labels));
	if (!s->labels)
		return -ENOMEM;
	for (uint32_t i = 0; i < line.label_count; i++)
		if (line.labels[i].value.n)
			s->labels[s->label_count++] = line.labels[i];
	qsort(s->labels, s->label_count, sizeof(*s->labels), compare_promql_labels);
	return 0;
}

static int parse_histogram(struct reader *r, const struct config_node *n, struct str text,
			   struct rule_test_sample *s)
{
	struct series_line line;
	struct err e = {0};
	struct str with_labels;
	int rc = arena_printf(&r->f->arena, &with_labels, "{} %.*s", STR_ARG(text));

	if (!rc)
		rc = series_parse(&line, with_labels, &r->f->arena, &e);
	if (!rc && (line.values.n != 1 || !line.values.at[0].histogram))
		rc = err_set(&e, -EINVAL, "expected one histogram");
	if (rc)
		return rc == -ENOMEM ? rc : config_fail(n, r->e, "\"histogram\": %s", e.text);
	s->histogram = line.values.at[0].histogram;
	return 0;
}

static int read_sample(struct reader *r, const struct config_node *n, struct rule_test_query *q)
{
	static const char *const keys[] = {"labels", "value", "histogram"};
	struct rule_test_sample s = {0};
	struct str labels = {0}, histogram = {0};
	int rc = check_keys(r, n, "exp_samples", keys, countof(keys));

	if (!rc)
		rc = get_text(r, n, "labels", &labels);
	if (!rc)
		rc = get_text(r, n, "histogram", &histogram);
	if (!rc)
		rc = get_number(r, n, "value", &s.value);
	if (!rc)
		rc = parse_metric(r, n, labels, &s);
	if (!rc && histogram.n)
		rc = parse_histogram(r, n, histogram, &s);
	return rc ? rc : vec_push(&r->f->arena, &q->expected, s);
}

static int read_query(struct reader *r, const struct config_node *n, struct rule_test *t)
{
	static const char *const keys[] = {"expr", "eval_time", "exp_samples"};
	struct rule_test_query q = {0};
	const struct config_node *c = NULL;
	int rc = check_keys(r, n, "promql_expr_test", keys, countof(keys));

	if (!rc)
		rc = get_text(r, n, "expr", &q.expr);
	if (!rc)
		rc = get_duration(r, n, "eval_time", 0, &q.at_ms);
	if (!rc)
		rc = get_list(r, n, "exp_samples", RULE_TEST_CASES_MAX, &c);
	for (; c && !rc; c = c->next)
		rc = read_sample(r, c, &q);
	return rc ? rc : vec_push(&r->f->arena, &t->queries, q);
}

/* Get the time at which the test begins: seconds since 1970, or RFC 3339. */
static int get_start(struct reader *r, const struct config_node *map, int64_t *out)
{
	const struct config_node *n = config_get(map, STR("start_timestamp"));
	double seconds;
	uint64_t ns;

	*out = 0;
	if (is_null(n))
		return 0;
	if (n->kind == CONFIG_SCALAR && !str_to_double(n->text, &seconds) && seconds >= 0 &&
	    seconds < 1e11)
		*out = (int64_t)llround(seconds * 1000);
	else if (n->kind == CONFIG_SCALAR && !time_parse(n->text, 0, &ns, NULL))
		*out = (int64_t)(ns / NS_PER_MS);
	else
		return config_fail(n, r->e,
				   "\"start_timestamp\" must be seconds since 1970, or a time such "
				   "as 2026-11-15T09:37:00Z");
	return 0;
}

/* Read the entries of a list of a test. */
typedef int entry_reader(struct reader *r, const struct config_node *n, struct rule_test *t);

static int read_test(struct reader *r, const struct config_node *n)
{
	static const char *const keys[] = {"name",
					   "interval",
					   "input_series",
					   "alert_rule_test",
					   "promql_expr_test",
					   "external_labels",
					   "external_url",
					   "start_timestamp"};
	static const struct {
		const char *key;
		uint32_t max;
		entry_reader *read;
	} lists[] = {{"input_series", RULE_TEST_SERIES_MAX, read_series},
		     {"alert_rule_test", RULE_TEST_CASES_MAX, read_alerts},
		     {"promql_expr_test", RULE_TEST_CASES_MAX, read_query}};
	struct rule_test t = {0};
	int rc = check_keys(r, n, "tests", keys, countof(keys));

	if (!rc)
		rc = get_text(r, n, "name", &t.name);
	if (!rc)
		rc = get_duration(r, n, "interval", r->f->interval_ms, &t.interval_ms);
	if (!rc && t.interval_ms <= 0)
		t.interval_ms = r->f->interval_ms;
	if (!rc)
		rc = get_start(r, n, &t.start_ms);
	if (!rc)
		rc = get_labels(r, n, "external_labels", &t.external_labels, &t.external_count);
	if (!rc)
		rc = get_text(r, n, "external_url", &t.external_url);
	for (size_t i = 0; i < countof(lists) && !rc; i++) {
		const struct config_node *c;

		rc = get_list(r, n, lists[i].key, lists[i].max, &c);
		for (; c && !rc; c = c->next)
			rc = lists[i].read(r, c, &t);
	}
	return rc ? rc : vec_push(&r->f->arena, &r->f->tests, t);
}

/* ---- files ---- */

static int get_fuzzy(struct reader *r, const struct config_node *map)
{
	const struct config_node *n = config_get(map, STR("fuzzy_compare"));

	if (is_null(n) || str_eq(n->text, STR("false")))
		return 0;
	if (!str_eq(n->text, STR("true")))
		return config_fail(n, r->e, "\"fuzzy_compare\" must be true or false");
	r->f->fuzzy = true;
	return 0;
}

static int check_order(struct reader *r)
{
	for (uint32_t i = 0; i < r->f->group_order.n; i++)
		for (uint32_t k = 0; k < i; k++)
			if (str_eq(r->f->group_order.at[i], r->f->group_order.at[k]))
				return config_fail(
					config_get(r->config.root, STR("group_eval_order")), r->e,
					"group name repeated in evaluation order: %.*s",
					STR_ARG(str_head(r->f->group_order.at[i], 64)));
	return 0;
}

static int read_root(struct reader *r)
{
	static const char *const keys[] = {"rule_files", "evaluation_interval", "group_eval_order",
					   "tests", "fuzzy_compare"};
	enum { LIST_MAX = 1000, MINUTE_MS = 60000 };
	const struct config_node *root = r->config.root, *n = NULL;
	struct rule_test_file *f = r->f;
	int rc = check_keys(r, root, "the file", keys, countof(keys));

	if (!rc)
		rc = get_texts(r, root, "rule_files", LIST_MAX, &f->rule_files.at,
			       &f->rule_files.n);
	if (!rc)
		rc = get_texts(r, root, "group_eval_order", LIST_MAX, &f->group_order.at,
			       &f->group_order.n);
	if (!rc)
		rc = check_order(r);
	if (!rc)
		rc = get_duration(r, root, "evaluation_interval", MINUTE_MS, &f->interval_ms);
	if (!rc && f->interval_ms <= 0)
		f->interval_ms = MINUTE_MS;
	if (!rc)
		rc = get_fuzzy(r, root);
	if (!rc)
		rc = get_list(r, root, "tests", RULE_TESTS_MAX, &n);
	for (; n && !rc; n = n->next)
		rc = read_test(r, n);
	return rc;
}

static int begin(struct reader *r, struct rule_test_file *f, const char *path,
		 struct budget *budget, struct err *e)
{
	int rc;

	*f = (struct rule_test_file){0};
	arena_init(&f->arena, budget);
	*r = (struct reader){.f = f, .e = e};
	rc = arena_copy_str(&f->arena, str_from(path), &f->path);
	if (!rc)
		rc = config_init(&r->config, budget);
	r->config.text_max = RULE_TEXT_MAX;
	r->config.nodes_max = RULE_NODES_MAX;
	r->config.list_max = RULE_TEST_SERIES_MAX;
	return rc;
}

static int finish(struct reader *r, int rc)
{
	if (!rc)
		rc = read_root(r);
	config_fini(&r->config);
	return rc ? err_errno(r->e, rc, "read the tests") : 0;
}

int rule_test_file_parse(struct rule_test_file *f, struct str text, const char *path,
			 unsigned flags, struct budget *budget, struct err *e)
{
	struct reader r;
	int rc = begin(&r, f, path, budget, e);

	r.flags = flags;
	return finish(&r, rc ? rc : config_parse_plain(&r.config, text, path, e));
}

int rule_test_file_read(struct rule_test_file *f, const char *path, unsigned flags,
			struct budget *budget, struct err *e)
{
	struct buf text;
	int rc;

	*f = (struct rule_test_file){0};
	buf_init(&text, budget);
	rc = config_read_text(&text, path, RULE_TEXT_MAX, e);
	if (!rc)
		rc = rule_test_file_parse(f, buf_str(&text), path, flags, budget, e);
	else
		err_errno(e, rc, path);
	buf_fini(&text);
	return rc;
}

void rule_test_file_fini(struct rule_test_file *f)
{
	arena_fini(&f->arena);
	*f = (struct rule_test_file){0};
}
