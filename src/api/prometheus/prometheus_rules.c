/* SPDX-License-Identifier: Apache-2.0 */
/* /rules, /alerts and /alertmanagers of Prometheus' API. */
#include <errno.h>
#include <stdio.h>

#include "api/endpoint.h"
#include "api/prometheus/prometheus_request.h"
#include "base/clock.h"
#include "rules/rules.h"
#include "signal/metric/number_text.h"

enum { MATCHERS_MAX = 256, TOKEN_SIZE = 24 };

/* Which rules are wanted. */
struct filter {
	struct request *r;
	bool recording, alerting, no_alerts;
	struct texts names, groups, files;
	struct promql_expr *selectors;
	uint32_t selector_count;
	uint64_t group_limit; /* 0: none */
	struct str token;
};

/* ---- parts of answers ---- */

static void put_text(struct json_writer *w, const char *key, struct str value)
{
	json_put_key(w, str_from(key));
	json_put_string(w, value);
}

static void put_seconds(struct json_writer *w, const char *key, double seconds)
{
	json_put_key(w, str_from(key));
	json_put_double(w, seconds);
}

/* A time as RFC 3339; the zero time of Go if there is none. */
static void put_time(struct json_writer *w, const char *key, int64_t ms)
{
	char text[CLOCK_TEXT_SIZE] = "0001-01-01T00:00:00Z";

	if (ms)
		clock_format((uint64_t)ms * NS_PER_MS, text);
	put_text(w, key, str_from(text));
}

static void put_labels(struct json_writer *w, const char *key, const struct label *labels,
		       uint32_t n)
{
	json_put_key(w, str_from(key));
	json_open_object(w);
	for (uint32_t i = 0; i < n; i++) {
		json_put_key(w, labels[i].name);
		json_put_string(w, labels[i].value);
	}
	json_close_object(w);
}

/* A number with an exponent: "1e+00". */
static void put_value(struct json_writer *w, double value)
{
	char text[40] = "NaN";
	double read = 0;

	if (value - value != 0 && value == value)
		snprintf(text, sizeof(text), "%s", value > 0 ? "+Inf" : "-Inf");
	for (int digits = 0; digits < 18 && value - value == 0; digits++) {
		snprintf(text, sizeof(text), "%.*e", digits, value);
		if (!str_to_double(str_from(text), &read) && read == value)
			break;
	}
	put_text(w, "value", str_from(text));
}

static void put_alert(struct json_writer *w, const struct alert *a)
{
	json_open_object(w);
	put_labels(w, "labels", a->labels, a->label_count);
	put_labels(w, "annotations", a->annotations, a->annotation_count);
	put_text(w, "state", str_from(alert_state_name(a->state)));
	put_time(w, "activeAt", a->active_ms);
	if (a->keep_since_ms)
		put_time(w, "keepFiringSince", a->keep_since_ms);
	put_value(w, a->value);
	json_close_object(w);
}

static void put_alerts(struct json_writer *w, const struct live_rule *rule)
{
	for (uint32_t i = 0; i < rule->state.alerts.n; i++)
		if (rule->state.alerts.at[i].state != ALERT_INACTIVE)
			put_alert(w, &rule->state.alerts.at[i]);
}

/* The state of a rule is that of its most advanced alert. */
static enum alert_state rule_state_of(const struct live_rule *rule)
{
	enum alert_state state = ALERT_INACTIVE;

	for (uint32_t i = 0; i < rule->state.alerts.n; i++)
		if (rule->state.alerts.at[i].state > state)
			state = rule->state.alerts.at[i].state;
	return state;
}

static void put_alerting(struct json_writer *w, const struct live_rule *rule, bool no_alerts)
{
	const struct rule *def = rule->def;

	put_text(w, "state", str_from(alert_state_name(rule_state_of(rule))));
	put_text(w, "name", def->name);
	put_text(w, "query", def->printed);
	put_seconds(w, "duration", (double)def->hold_ms / 1000);
	put_seconds(w, "keepFiringFor", (double)def->keep_ms / 1000);
	put_labels(w, "labels", def->labels, def->label_count);
	put_labels(w, "annotations", def->annotations, def->annotation_count);
	json_put_key(w, STR("alerts"));
	json_open_array(w);
	if (!no_alerts)
		put_alerts(w, rule);
	json_close_array(w);
}

static void put_rule(struct json_writer *w, const struct live_rule *rule, bool no_alerts)
{
	static const char *const health[] = {"unknown", "ok", "err"};
	const struct rule *def = rule->def;

	json_open_object(w);
	if (def->kind == RULE_ALERTING) {
		put_alerting(w, rule, no_alerts);
	} else {
		put_text(w, "name", def->name);
		put_text(w, "query", def->printed);
		if (def->label_count)
			put_labels(w, "labels", def->labels, def->label_count);
	}
	put_text(w, "health", str_from(health[rule->health]));
	if (rule->error)
		put_text(w, "lastError", str_from(rule->error));
	put_seconds(w, "evaluationTime", (double)rule->duration_ns / 1e9);
	put_time(w, "lastEvaluation", rule->evaluated_ms);
	put_text(w, "type", def->kind == RULE_ALERTING ? STR("alerting") : STR("recording"));
	json_close_object(w);
}

/* ---- filters ---- */

static int read_type(struct filter *f, struct err *e)
{
	struct str type;
	int rc = request_param(f->r, "type", &type, e);

	if (rc)
		return rc;
	f->recording = !type.n || str_eq(type, STR("record"));
	f->alerting = !type.n || str_eq(type, STR("alert"));
	if (f->recording || f->alerting)
		return 0;
	return err_set(
		e, -EINVAL,
		"invalid parameter \"type\": not supported value \"%.*s\"; expected alert or "
		"record",
		STR_ARG(str_head(type, 64)));
}

static int read_flag(struct filter *f, struct err *e)
{
	struct str text;
	int rc = request_param(f->r, "exclude_alerts", &text, e);

	if (rc || !text.n || str_eq(text, STR("false")) || str_eq(text, STR("0")))
		return rc;
	f->no_alerts = str_eq(text, STR("true")) || str_eq(text, STR("1"));
	return f->no_alerts ? 0
			    : err_set(e, -EINVAL,
				      "invalid parameter \"exclude_alerts\": error converting "
				      "exclude_alerts: expected true or false");
}

static int read_selectors(struct filter *f, struct err *e)
{
	struct texts texts = {0};
	int rc = request_params(f->r, "match[]", &texts, e);

	if (!rc && texts.list.n > MATCHERS_MAX)
		rc = err_set(e, -EINVAL, "more than %d selectors", MATCHERS_MAX);
	if (rc || !texts.list.n)
		return rc;
	f->selectors = arena_zalloc(f->r->arena, texts.list.n, sizeof(*f->selectors));
	if (!f->selectors)
		return -ENOMEM;
	for (uint32_t i = 0; i < texts.list.n && !rc; i++) {
		rc = promql_parse_selector(&f->selectors[i], texts.list.at[i], f->r->limits.budget,
					   e);
		if (rc == -EINVAL)
			err_prefix(e, "invalid parameter \"match[]\"");
		f->selector_count++;
	}
	return rc;
}

static int read_paging(struct filter *f, struct err *e)
{
	struct str text;
	int rc = request_param(f->r, "group_next_token", &f->token, e);

	if (!rc)
		rc = request_param(f->r, "group_limit", &text, e);
	if (rc)
		return rc;
	if (!text.n && f->token.n)
		return err_set(e, -EINVAL,
			       "invalid parameter \"group_limit\": group_limit needs to be present "
			       "in order to paginate over the groups");
	if (text.n && (str_to_u64(text, 10, &f->group_limit) || !f->group_limit))
		return err_set(e, -EINVAL,
			       "invalid parameter \"group_limit\": group_limit needs to be a valid "
			       "number greater than zero");
	return 0;
}

static int read_filter(struct filter *f, struct request *r, struct err *e)
{
	int rc = prometheus_read_form(r);

	*f = (struct filter){.r = r};
	if (!rc)
		rc = read_type(f, e);
	if (!rc)
		rc = read_flag(f, e);
	if (!rc)
		rc = request_params(r, "rule_name[]", &f->names, e);
	if (!rc)
		rc = request_params(r, "rule_group[]", &f->groups, e);
	if (!rc)
		rc = request_params(r, "file[]", &f->files, e);
	if (!rc)
		rc = read_selectors(f, e);
	return rc ? rc : read_paging(f, e);
}

static void filter_fini(struct filter *f)
{
	for (uint32_t i = 0; i < f->selector_count; i++)
		promql_expr_fini(&f->selectors[i]);
}

static bool is_listed(const struct texts *t, struct str text)
{
	for (uint32_t i = 0; i < t->list.n; i++)
		if (str_eq(t->list.at[i], text))
			return true;
	return !t->list.n;
}

static struct str label_of(const struct rule *rule, struct str name)
{
	return label_set_get((struct label_set){rule->labels, rule->label_count}, name);
}

/* Return 1 if the labels of the rule match a selector, 0 if not, or -errno. */
static int matches(const struct filter *f, const struct rule *rule, struct err *e)
{
	int rc = !f->selector_count;

	for (uint32_t i = 0; i < f->selector_count && !rc; i++) {
		const promql_matchers *m = &f->selectors[i].root->selector.matchers;

		rc = 1;
		for (uint32_t k = 0; k < m->n && rc == 1; k++)
			rc = promql_matches(&m->at[k], label_of(rule, m->at[k].name), e);
	}
	return rc;
}

static int wants_rule(const struct filter *f, const struct rule *rule, struct err *e)
{
	if (rule->kind == RULE_ALERTING ? !f->alerting : !f->recording)
		return 0;
	return is_listed(&f->names, rule->name) ? matches(f, rule, e) : 0;
}

/* Of another tenant? Without tenants there is only one. */
static bool is_visible(const struct request *r, const struct rule_group *g)
{
	return !r->api || !r->api->options.tenants || str_eq(g->def->tenant, r->tenant);
}

/* ---- /rules ---- */

/* Open the group; its rules follow. */
static void open_group(struct json_writer *w, const struct rule_group *g)
{
	json_open_object(w);
	put_text(w, "name", g->def->name);
	put_text(w, "file", g->def->file);
	json_put_key(w, STR("rules"));
	json_open_array(w);
}

static void close_group(struct json_writer *w, const struct rule_group *g)
{
	json_close_array(w);
	put_seconds(w, "interval",
		    (double)rule_group_interval(g->def, g->settings->interval_ms) / 1000);
	json_put_key(w, STR("limit"));
	json_put_u64(w, g->def->limit);
	put_seconds(w, "evaluationTime", (double)g->stats.duration_ns / 1e9);
	put_time(w, "lastEvaluation", g->stats.evaluated_ms);
	json_close_object(w);
}

/* Write the rules of a group that are wanted. Return 1, 0 if there is none, or -errno. */
static int put_group(struct json_writer *w, const struct filter *f, struct rule_group *g,
		     struct err *e)
{
	bool open = false;
	int rc = 0;

	pthread_mutex_lock(&g->mu);
	for (uint32_t i = 0; i < g->def->rule_count && rc >= 0; i++) {
		rc = wants_rule(f, g->rules[i].def, e);
		if (rc != 1)
			continue;
		if (!open)
			open_group(w, g);
		open = true;
		put_rule(w, &g->rules[i], f->no_alerts);
	}
	if (open)
		close_group(w, g);
	pthread_mutex_unlock(&g->mu);
	return rc < 0 ? rc : open;
}

/* The token of a page names its first group: FNV-1a of file and name. */
static struct str token_of(const struct rule_group *g, char out[TOKEN_SIZE])
{
	const struct str parts[] = {g->def->file, STR(";"), g->def->name};
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < countof(parts); i++)
		for (size_t k = 0; k < parts[i].n; k++)
			h = (h ^ (unsigned char)parts[i].p[k]) * UINT64_C(0x100000001b3);
	snprintf(out, TOKEN_SIZE, "%016llx", (unsigned long long)h);
	return str_from(out);
}

/* Write the groups; *next is the token of the next page, or empty. */
static int put_groups(struct json_writer *w, const struct filter *f, struct rules *rules,
		      char next[TOKEN_SIZE], struct err *e)
{
	bool found = !f->token.n;
	uint64_t n = 0;
	int rc = 0;

	next[0] = 0;
	for (uint32_t i = 0; i < rules_count(rules) && rc >= 0; i++) {
		struct rule_group *g = rules_group(rules, i);
		char token[TOKEN_SIZE];

		found |= str_eq(f->token, token_of(g, token));
		if (!found || !is_visible(f->r, g) || !is_listed(&f->groups, g->def->name) ||
		    !is_listed(&f->files, g->def->file))
			continue;
		if (f->group_limit && n >= f->group_limit) {
			memcpy(next, token, TOKEN_SIZE);
			break;
		}
		rc = put_group(w, f, g, e);
		n += rc > 0;
	}
	if (!found)
		return err_set(e, -EINVAL,
			       "invalid parameter \"group_next_token\": invalid group_next_token "
			       "\"%.*s\": were the rules changed?",
			       STR_ARG(str_head(f->token, 64)));
	return rc < 0 ? rc : 0;
}

static struct rules *rules_of(const struct request *r)
{
	return r->api ? r->api->options.rules : NULL;
}

int prometheus_rules(struct request *r, struct reply *out, struct err *e)
{
	struct rules *rules = rules_of(r);
	struct json_writer w;
	struct filter f;
	char next[TOKEN_SIZE] = "";
	int rc = read_filter(&f, r, e);

	if (!rc) {
		w = prometheus_open(out);
		json_open_object(&w);
		json_put_key(&w, STR("groups"));
		json_open_array(&w);
		if (rules) {
			rules_lock(rules);
			rc = put_groups(&w, &f, rules, next, e);
			rules_unlock(rules);
		}
		json_close_array(&w);
		if (next[0])
			put_text(&w, "groupNextToken", str_from(next));
		json_close_object(&w);
	}
	filter_fini(&f);
	return rc ? rc : prometheus_close(&w, r, false);
}

int prometheus_alerts(struct request *r, struct reply *out, struct err *e)
{
	struct rules *rules = rules_of(r);
	struct json_writer w = prometheus_open(out);

	(void)e;
	json_open_object(&w);
	json_put_key(&w, STR("alerts"));
	json_open_array(&w);
	if (rules)
		rules_lock(rules);
	for (uint32_t i = 0; rules && i < rules_count(rules); i++) {
		struct rule_group *g = rules_group(rules, i);

		if (!is_visible(r, g))
			continue;
		pthread_mutex_lock(&g->mu);
		for (uint32_t k = 0; k < g->def->rule_count; k++)
			put_alerts(&w, &g->rules[k]);
		pthread_mutex_unlock(&g->mu);
	}
	if (rules)
		rules_unlock(rules);
	json_close_array(&w);
	json_close_object(&w);
	return prometheus_close(&w, r, false);
}

int prometheus_alertmanagers(struct request *r, struct reply *out, struct err *e)
{
	struct rules *rules = rules_of(r);
	struct json_writer w = prometheus_open(out);
	struct str url;

	(void)e;
	json_open_object(&w);
	json_put_key(&w, STR("activeAlertmanagers"));
	json_open_array(&w);
	if (rules)
		rules_lock(rules);
	for (uint32_t i = 0; rules && (url = rules_alertmanager_url(rules, i)).n; i++) {
		json_open_object(&w);
		put_text(&w, "url", url);
		json_close_object(&w);
	}
	if (rules)
		rules_unlock(rules);
	json_close_array(&w);
	json_put_key(&w, STR("droppedAlertmanagers"));
	json_open_array(&w);
	json_close_array(&w);
	json_close_object(&w);
	return prometheus_close(&w, r, false);
}
