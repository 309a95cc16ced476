/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates each type of policy over the spans of one trace. */
#include "pipeline/processors/tail_sampling/trace_policy.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "signal/otlp/attributes.h"

/* Field numbers of Span and Status. */
enum { SPAN_TRACE_STATE = 3, SPAN_START = 7, SPAN_END = 8, SPAN_STATUS = 15, STATUS_CODE = 3 };

/* ---- compiling ---- */

/*
 * The share of the range of 64-bit hashes. A long double holds each of them on x86; elsewhere it
 * has even more digits.
 */
static uint64_t hash_limit(double percentage)
{
	if (percentage >= 100)
		return UINT64_MAX;
	if (!(percentage > 0))
		return 0;
	return (uint64_t)((long double)UINT64_MAX * (long double)(percentage / 100));
}

static void init_rate(struct trace_rate *r, int64_t per_second, int64_t burst)
{
	r->per_second = (double)per_second;
	r->burst = r->left = burst ? (double)burst : 2 * (double)per_second;
}

static int compile_values(struct trace_policy *p, struct arena *arena, struct err *e)
{
	const struct setting_list *values = &p->settings->string.values;
	int rc = 0;

	p->regexes = arena_zalloc(arena, values->n + 1, sizeof(struct regex *));
	if (!p->regexes)
		return -ENOMEM;
	for (uint32_t i = 0; p->settings->string.regex && i < values->n && !rc; i++)
		rc = regex_new(&p->regexes[i], values->at[i], 0, e);
	return rc;
}

static struct telemetry_value *policy_counter(struct telemetry *t, const struct trace_policy *p,
					      bool sampled)
{
	char name[128];
	const struct telemetry_label labels[] = {
		{"policy", name},
		{"sampled", sampled ? "true" : "false"},
	};

	snprintf(name, sizeof(name), "%.*s", STR_ARG(p->settings->name));
	return telemetry_get(t, TELEMETRY_COUNTER,
			     "otelcol_processor_tail_sampling_count_traces_sampled",
			     "Count of traces that were sampled or not per sampling policy", labels,
			     countof(labels));
}

static const struct policy_list *policies_below(const struct policy_settings *s)
{
	switch (s->kind) {
	case POLICY_AND:
		return &s->all.list;
	case POLICY_NOT:
		return &s->none.list;
	case POLICY_DROP:
		return &s->drop.list;
	case POLICY_COMPOSITE:
		return &s->composite.list;
	default:
		return NULL;
	}
}

/* Set how many spans each policy below a composite one may keep in a second. */
static int compile_shares(struct trace_policy *p, struct arena *arena)
{
	const struct policy_settings *s = p->settings;
	uint64_t total = (uint64_t)s->composite.spans_per_second, n = s->composite.list.n;

	p->shares = arena_zalloc(arena, n + 1, sizeof(*p->shares));
	if (!p->shares)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		p->shares[i].max = total / n;
		for (uint32_t k = 0; k < s->composite.share_count; k++)
			if (str_eq(s->composite.shares[k].policy, s->composite.list.at[i].name) &&
			    s->composite.shares[k].percent)
				p->shares[i].max =
					total * (uint64_t)s->composite.shares[k].percent / 100;
	}
	return 0;
}

static int compile_condition(struct trace_policy *p, enum ottl_context context,
			     const struct config_node *list, struct ottl_program **out,
			     struct err *e)
{
	const struct ottl_options options = {.signal = SIGNAL_TRACES,
					     .context = context,
					     .error_mode = p->settings->condition.error_mode};

	return list && (list->first || list->kind == CONFIG_SCALAR)
		       ? ottl_compile(p->ottl, &options, list, out, e)
		       : 0;
}

/* Compile what only this kind of policy has. */
static int compile_kind(struct trace_policy *p, struct arena *arena, struct err *e)
{
	const struct policy_settings *s = p->settings;
	int rc;

	switch (s->kind) {
	case POLICY_SPAN_RATE:
		init_rate(&p->rate, s->spans.per_second, s->spans.burst);
		return 0;
	case POLICY_BYTE_RATE:
		init_rate(&p->rate, s->bytes.per_second, s->bytes.burst);
		return 0;
	case POLICY_STRING:
		return compile_values(p, arena, e);
	case POLICY_COMPOSITE:
		return compile_shares(p, arena);
	case POLICY_CONDITION:
		rc = compile_condition(p, OTTL_SPAN, s->condition.span, &p->span_condition, e);
		return rc ? rc
			  : compile_condition(p, OTTL_SPAN_EVENT, s->condition.span_event,
					      &p->event_condition, e);
	default:
		return 0;
	}
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the configuration */
static int compile_policies(struct trace_policy **out, uint32_t *count,
			    const struct policy_list *list, const struct trace_policy *common,
			    struct arena *arena, struct err *e)
{
	struct trace_policy *policies = arena_zalloc(arena, list->n + 1, sizeof(*policies));
	int rc = policies ? 0 : -ENOMEM;

	*out = policies;
	for (*count = 0; *count < list->n && !rc; ++*count) {
		struct trace_policy *p = &policies[*count];
		const struct policy_settings *s = &list->at[*count];
		const struct policy_list *below = policies_below(s);

		*p = *common;
		p->settings = s;
		p->threshold = hash_limit(s->probabilistic.percentage);
		rc = compile_kind(p, arena, e);
		if (!rc && below)
			rc = compile_policies(&p->below, &p->below_count, below, common, arena, e);
	}
	return rc;
}

int trace_policies_init(struct trace_policies *p, const struct policy_list *list, struct host *host,
			struct arena *arena, struct err *e)
{
	struct trace_policy common = {.profiled = &host->profiled};
	int rc;

	*p = (struct trace_policies){0};
	rc = ottl_new(&p->ottl, host->log, &host->memory);
	common.ottl = p->ottl;
	rc = rc ? rc : compile_policies(&p->at, &p->n, list, &common, arena, e);
	for (uint32_t i = 0; i < p->n && !rc; i++) {
		p->at[i].sampled = policy_counter(&host->telemetry, &p->at[i], true);
		p->at[i].not_sampled = policy_counter(&host->telemetry, &p->at[i], false);
	}
	return rc;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the configuration */
static void free_policies(struct trace_policy *policies, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct trace_policy *p = &policies[i];

		for (uint32_t k = 0; p->regexes && k < p->settings->string.values.n; k++)
			regex_free(p->regexes[k]);
		free_policies(p->below, p->below_count);
	}
}

void trace_policies_fini(struct trace_policies *p)
{
	free_policies(p->at, p->n);
	ottl_free(p->ottl);
	*p = (struct trace_policies){0};
}

/* ---- attributes ---- */

typedef bool value_test(const struct trace_policy *p, const struct value *v);

static bool has_text(const struct trace_policy *p, const struct value *v)
{
	const struct setting_list *values = &p->settings->string.values;

	if (v->kind != VALUE_STRING || !v->s.n)
		return false;
	for (uint32_t i = 0; i < values->n; i++)
		if (p->regexes[i] ? regex_match(p->regexes[i], v->s, NULL) == 1
				  : str_eq(values->at[i], v->s))
			return true;
	return false;
}

static bool has_number(const struct trace_policy *p, const struct value *v)
{
	const struct policy_settings *s = p->settings;

	if (v->kind == VALUE_DOUBLE)
		return v->d >= (double)s->numeric.min && v->d <= (double)s->numeric.max;
	return v->kind == VALUE_INT && v->i >= s->numeric.min && v->i <= s->numeric.max;
}

static bool has_boolean(const struct trace_policy *p, const struct value *v)
{
	return v->kind == VALUE_BOOL && (v->i != 0) == p->settings->boolean.value;
}

static bool message_has(const struct trace_policy *p, struct str message, uint32_t field,
			struct str key, value_test *test)
{
	struct value v;

	return otlp_attribute_find(message, field, key, &v) && test(p, &v);
}

static bool resource_has(const struct trace_policy *p, const struct otlp_resource *r,
			 struct str key, value_test *test)
{
	if (message_has(p, r->resource, OTLP_RESOURCE_ATTRIBUTES, key, test))
		return true;
	for (uint32_t i = 0; i < r->scope_count; i++)
		for (uint32_t k = 0; k < r->scopes[i].item_count; k++)
			if (message_has(p, r->scopes[i].items[k].bytes, OTLP_SPAN_ATTRIBUTES, key,
					test))
				return true;
	return false;
}

/* Return whether a span or resource of the trace has the attribute. */
static bool trace_has(const struct trace_policy *p, const struct policy_trace *view, struct str key,
		      value_test *test)
{
	for (uint32_t i = 0; i < view->tree_count; i++)
		for (uint32_t k = 0; k < view->trees[i].resource_count; k++)
			if (resource_has(p, &view->trees[i].resources[k], key, test))
				return true;
	return false;
}

/* ---- spans ---- */

/* What the policies look at in a span. */
struct span_facts {
	uint64_t start, end, status;
};

static uint64_t status_of(struct str status)
{
	struct proto_reader r = proto_reader_of(status);
	uint64_t code = 0;

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(STATUS_CODE, PROTO_VARINT))
			code = proto_varint(&r);
		else
			proto_skip(&r);
	}
	return code;
}

static struct span_facts read_span_facts(struct str span)
{
	struct proto_reader r = proto_reader_of(span);
	struct span_facts f = {0};

	while (proto_next(&r)) {
		switch (r.tag) {
		case PROTO_TAG(SPAN_START, PROTO_FIXED64):
			f.start = proto_fixed64(&r);
			break;
		case PROTO_TAG(SPAN_END, PROTO_FIXED64):
			f.end = proto_fixed64(&r);
			break;
		case PROTO_TAG(SPAN_STATUS, PROTO_BYTES):
			f.status = status_of(proto_bytes(&r));
			break;
		default:
			proto_skip(&r);
		}
	}
	return f;
}

/* Facts of all spans together. */
struct trace_facts {
	uint64_t start, end;
	unsigned statuses; /* bits */
};

static void add_facts(struct trace_facts *f, struct str span)
{
	struct span_facts s = read_span_facts(span);

	if (!f->start || s.start < f->start)
		f->start = s.start;
	if (s.end > f->end)
		f->end = s.end;
	f->statuses |= s.status < 3 ? 1u << s.status : 0;
}

static struct trace_facts gather_facts(const struct policy_trace *view)
{
	struct trace_facts f = {0};

	for (uint32_t i = 0; i < view->tree_count; i++) {
		for (uint32_t k = 0; k < view->trees[i].resource_count; k++) {
			const struct otlp_resource *r = &view->trees[i].resources[k];

			for (uint32_t n = 0; n < r->scope_count; n++)
				for (uint32_t m = 0; m < r->scopes[n].item_count; m++)
					add_facts(&f, r->scopes[n].items[m].bytes);
		}
	}
	return f;
}

static bool latency_fits(const struct policy_settings *s, const struct policy_trace *view)
{
	struct trace_facts f = gather_facts(view);
	int64_t ms = f.end > f.start ? (int64_t)((f.end - f.start) / NS_PER_MS) : 0;

	if (!s->latency.upper_threshold_ms)
		return ms >= s->latency.threshold_ms;
	return ms > s->latency.threshold_ms && ms <= s->latency.upper_threshold_ms;
}

static bool status_fits(const struct policy_settings *s, const struct policy_trace *view)
{
	unsigned statuses = gather_facts(view).statuses;

	for (uint32_t i = 0; i < s->status.codes.n; i++) {
		struct str code = s->status.codes.at[i];
		unsigned status = str_eq(code, STR("OK")) ? 1 : str_eq(code, STR("ERROR")) ? 2 : 0;

		if (statuses & 1u << status)
			return true;
	}
	return false;
}

/* ---- shares and rates ---- */

static bool hash_fits(const struct trace_policy *p, const struct policy_trace *view)
{
	uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
	struct str salt = p->settings->probabilistic.salt;

	for (size_t i = 0; i < salt.n; i++)
		hash = (hash ^ (uint8_t)salt.p[i]) * 0x100000001b3u;
	for (size_t i = 0; i < sizeof(view->key->id); i++)
		hash = (hash ^ view->key->id[i]) * 0x100000001b3u;
	return hash <= p->threshold;
}

static bool rate_fits(struct trace_rate *r, uint64_t now_ns, uint64_t amount)
{
	if (r->since_ns && now_ns > r->since_ns) {
		r->left += r->per_second * (double)(now_ns - r->since_ns) / (double)NS_PER_SECOND;
		r->left = r->left > r->burst ? r->burst : r->left;
	}
	r->since_ns = now_ns;
	if (r->left < (double)amount)
		return false;
	r->left -= (double)amount;
	return true;
}

static bool count_fits(const struct policy_settings *s, uint64_t spans)
{
	return spans >= (uint64_t)s->count.min &&
	       (!s->count.max || spans <= (uint64_t)s->count.max);
}

/* ---- trace state and conditions ---- */

/* Return whether a text like "a=1,b=2" has the key with one of the values. */
static bool state_fits(const struct policy_settings *s, struct str state)
{
	while (state.n) {
		struct str value = str_trim(str_cut(&state, ',')), key = str_cut(&value, '=');

		if (!str_eq(key, s->trace_state.key))
			continue;
		for (uint32_t i = 0; i < s->trace_state.values.n; i++)
			if (str_eq(value, s->trace_state.values.at[i]))
				return true;
	}
	return false;
}

static bool span_state_fits(const struct policy_settings *s, struct str span)
{
	struct proto_reader r = proto_reader_of(span);
	struct str state = {0};

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(SPAN_TRACE_STATE, PROTO_BYTES))
			state = proto_bytes(&r);
		else
			proto_skip(&r);
	}
	return state_fits(s, state);
}

/* Return whether a condition is true for the current span, or for one of its events. */
static bool condition_fits(const struct trace_policy *p, struct ottl_eval *ev)
{
	uint32_t events;

	if (p->span_condition && ottl_test(ev, p->span_condition, NULL) == 1)
		return true;
	events = p->event_condition ? ottl_part_count(ev) : 0;
	for (uint32_t i = 0; i < events; i++) {
		ottl_at_part(ev, i);
		if (ottl_test(ev, p->event_condition, NULL) == 1)
			return true;
	}
	return false;
}

static bool resource_fits(const struct trace_policy *p, struct ottl_eval *ev,
			  struct otlp_resource *r)
{
	for (uint32_t i = 0; i < r->scope_count; i++) {
		for (uint32_t k = 0; k < r->scopes[i].item_count; k++) {
			if (p->settings->kind == POLICY_TRACE_STATE) {
				if (span_state_fits(p->settings, r->scopes[i].items[k].bytes))
					return true;
				continue;
			}
			if (!k)
				ottl_at_scope(ev, &r->scopes[i]);
			ottl_at_item(ev, k);
			if (condition_fits(p, ev))
				return true;
		}
	}
	return false;
}

/* Evaluate trace_state or ottl_condition for each span. Without memory no condition is true. */
static bool spans_fit(const struct trace_policy *p, const struct policy_trace *view)
{
	bool conditions = p->settings->kind == POLICY_CONDITION, fits = false;

	for (uint32_t i = 0; i < view->tree_count && !fits; i++) {
		struct otlp_tree *tree = &view->trees[i];
		struct ottl_eval *ev = conditions ? ottl_begin(p->ottl, NULL, tree) : NULL;

		if (conditions && !ev)
			return false;
		for (uint32_t k = 0; k < tree->resource_count && !fits; k++) {
			if (ev)
				ottl_at_resource(ev, &tree->resources[k]);
			fits = resource_fits(p, ev, &tree->resources[k]);
		}
		if (ev)
			ottl_end(ev);
	}
	return fits;
}

/* ---- evaluating ---- */

static enum trace_verdict evaluate(struct trace_policy *p, const struct policy_trace *view);

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the configuration */
static bool all_below(struct trace_policy *p, const struct policy_trace *view)
{
	for (uint32_t i = 0; i < p->below_count; i++)
		if (evaluate(&p->below[i], view) != TRACE_SAMPLED)
			return false;
	return true;
}

/*
 * The first policy that keeps the trace decides, if the spans that it has kept in this second and
 * those of the trace are not more than its share.
 */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as the configuration */
static bool composite_fits(struct trace_policy *p, const struct policy_trace *view)
{
	uint64_t second = view->now_ns / NS_PER_SECOND;

	for (uint32_t i = 0; i < p->below_count && second != p->second; i++)
		p->shares[i].used = 0;
	p->second = second;
	for (uint32_t i = 0; i < p->below_count; i++) {
		struct trace_share *share = &p->shares[i];

		if (evaluate(&p->below[i], view) != TRACE_SAMPLED)
			continue;
		if (share->used + view->spans > share->max)
			return false;
		share->used += view->spans;
		return true;
	}
	return false;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the configuration */
static bool policy_fits(struct trace_policy *p, const struct policy_trace *view)
{
	const struct policy_settings *s = p->settings;

	switch (s->kind) {
	case POLICY_LATENCY:
		return latency_fits(s, view);
	case POLICY_STATUS:
		return status_fits(s, view);
	case POLICY_STRING:
		return trace_has(p, view, s->string.key, has_text) != s->string.invert;
	case POLICY_NUMERIC:
		return trace_has(p, view, s->numeric.key, has_number) != s->numeric.invert;
	case POLICY_BOOLEAN:
		return trace_has(p, view, s->boolean.key, has_boolean) != s->boolean.invert;
	case POLICY_PROBABILISTIC:
		return hash_fits(p, view);
	case POLICY_SPAN_RATE:
		return rate_fits(&p->rate, view->now_ns, view->spans);
	case POLICY_BYTE_RATE:
		return rate_fits(&p->rate, view->now_ns, view->bytes);
	case POLICY_SPAN_COUNT:
		return count_fits(s, view->spans);
	case POLICY_PROFILES:
		return profiled_traces_has(p->profiled, view->key);
	case POLICY_AND:
	case POLICY_DROP:
		return all_below(p, view);
	case POLICY_NOT:
		return !all_below(p, view);
	case POLICY_COMPOSITE:
		return composite_fits(p, view);
	case POLICY_CONDITION:
	case POLICY_TRACE_STATE:
		return spans_fit(p, view);
	case POLICY_ALWAYS:
	case POLICY_KINDS:
		break;
	}
	return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the configuration */
static enum trace_verdict evaluate(struct trace_policy *p, const struct policy_trace *view)
{
	if (!policy_fits(p, view))
		return TRACE_NOT_SAMPLED;
	return p->settings->kind == POLICY_DROP ? TRACE_DROPPED : TRACE_SAMPLED;
}

enum trace_verdict trace_policies_decide(const struct trace_policies *p,
					 const struct policy_trace *view)
{
	enum trace_verdict verdict = TRACE_NOT_SAMPLED;

	for (uint32_t i = 0; i < p->n; i++) {
		struct trace_policy *policy = &p->at[i];
		enum trace_verdict v = evaluate(policy, view);

		telemetry_add(v == TRACE_SAMPLED ? policy->sampled : policy->not_sampled, 1);
		if (v > verdict)
			verdict = v;
	}
	return verdict;
}
