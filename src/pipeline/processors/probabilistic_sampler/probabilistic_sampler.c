/* SPDX-License-Identifier: Apache-2.0 */
/* Reads of an item what the decision needs, and writes the marks of those that are kept. */
#include "pipeline/processors/probabilistic_sampler/probabilistic_sampler.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "pipeline/processors/message_edit.h"
#include "pipeline/processors/probabilistic_sampler/sampler.h"
#include "pipeline/processors/processor.h"
#include "pipeline/processors/tree_edit.h"
#include "signal/otlp/attributes.h"

/* Field numbers of Span and LogRecord. */
enum { SPAN_TRACE_ID = 1, SPAN_STATE = 3, LOG_TRACE_ID = 9 };

enum { COUNTERS = 2 * SAMPLER_POLICIES };

struct sampler_settings {
	float percentage;
	struct str mode, attribute_source, from_attribute, sampling_priority;
	int64_t hash_seed, precision;
	bool fail_closed;
};

struct sampler_processor {
	const struct sampler_settings *settings;
	struct telemetry *telemetry;
	struct sampler sampler;
	bool by_trace; /* attribute_source is traceID; also for spans */
	/* By signal and policy, dropped and sampled; made when they are first needed. */
	_Atomic(struct telemetry_value *) counters[COUNTERS];
	struct tree_editor editor;
};

/* ---- counting ---- */

static struct telemetry_value *sampler_counter(struct sampler_processor *x, enum signal_kind signal,
					       unsigned i)
{
	static const char *const names[SAMPLER_POLICIES] = {
		[POLICY_TRACE_HASH] = "trace_id_hash",
		[POLICY_TRACE_ID] = "trace_id_w3c",
		[POLICY_RANDOMNESS] = "sampling_randomness",
		[POLICY_PRIORITY] = "sampling_priority",
		[POLICY_MISSING] = "missing_randomness",
	};
	struct telemetry_value *counter = atomic_load(&x->counters[i]);
	char attribute[128];
	struct telemetry_label labels[] = {{"policy", names[i / 2]},
					   {"sampled", i % 2 ? "true" : "false"}};

	if (counter)
		return counter;
	if (i / 2 == POLICY_ATTRIBUTE) {
		snprintf(attribute, sizeof(attribute), "%.*s",
			 STR_ARG(x->settings->from_attribute));
		labels[0].value = attribute;
	}
	counter = telemetry_get(
		x->telemetry, TELEMETRY_COUNTER,
		signal == SIGNAL_TRACES
			? "otelcol_processor_probabilistic_sampler_count_traces_sampled"
			: "otelcol_processor_probabilistic_sampler_count_logs_sampled",
		signal == SIGNAL_TRACES ? "Count of traces that were sampled or not"
					: "Count of logs that were sampled or not",
		labels, countof(labels));
	atomic_store(&x->counters[i], counter);
	return counter;
}

static void add_counts(struct sampler_processor *x, enum signal_kind signal,
		       const uint32_t counts[COUNTERS])
{
	for (unsigned i = 0; i < COUNTERS; i++)
		if (counts[i])
			telemetry_add(sampler_counter(x, signal, i), counts[i]);
}

/* ---- reading ---- */

/* Return an id that is not all zero, or an empty string. */
static struct str valid_id(struct str id)
{
	static const char zeros[TRACE_ID_SIZE];

	return id.n == TRACE_ID_SIZE && memcmp(id.p, zeros, id.n) != 0 ? id : (struct str){0};
}

static bool number_of_priority(const struct value *v, double *out)
{
	if (v->kind == VALUE_STRING)
		return !str_to_double(v->s, out);
	*out = v->kind == VALUE_DOUBLE ? v->d : (double)v->i;
	return v->kind == VALUE_DOUBLE || v->kind == VALUE_INT;
}

/* The attribute sampling.priority of a span: 0 drops it, a positive number keeps it. */
static const uint64_t *span_priority(struct str span)
{
	static const uint64_t never = SAMPLING_NEVER, always = SAMPLING_ALWAYS;
	struct value v;
	double priority;

	if (!otlp_attribute_find(span, OTLP_SPAN_ATTRIBUTES, STR("sampling.priority"), &v) ||
	    !number_of_priority(&v, &priority))
		return NULL;
	if (priority == 0)
		return &never;
	return priority > 0 ? &always : NULL;
}

/* Read what the decision needs. Return the tracestate in *state. */
static void read_sampled_span(struct str span, struct sampled_item *out, struct str *state)
{
	struct proto_reader r = proto_reader_of(span);

	*state = (struct str){0};
	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(SPAN_TRACE_ID, PROTO_BYTES))
			out->trace_id = valid_id(proto_bytes(&r));
		else if (r.tag == PROTO_TAG(SPAN_STATE, PROTO_BYTES))
			*state = proto_bytes(&r);
		else
			proto_skip(&r);
	}
	out->damaged = sampling_read_state(*state, &out->marks) != 0;
	out->priority = span_priority(span);
}

/* Read a mark of a log record. Return false if it is there and cannot be read. */
static bool read_mark(struct str log, struct str key, int (*parse)(struct str, uint64_t *),
		      bool *has, uint64_t *out)
{
	struct value v;

	if (!otlp_attribute_find(log, OTLP_LOG_ATTRIBUTES, key, &v) || v.kind != VALUE_STRING ||
	    !v.s.n)
		return true;
	*has = !parse(v.s, out);
	return *has;
}

/* The bytes of the attribute that replaces the trace id. */
static int read_source(const struct sampler_processor *x, struct str log, struct scratch *s,
		       struct sampled_item *out)
{
	struct buf text = {0};
	struct value v;
	int rc;

	if (!x->settings->from_attribute.n || out->trace_id.n ||
	    !otlp_attribute_find(log, OTLP_LOG_ATTRIBUTES, x->settings->from_attribute, &v))
		return 0;
	if (v.kind == VALUE_STRING || v.kind == VALUE_BYTES) {
		out->source = v.s;
		return 0;
	}
	rc = otlp_value_text(&text, &v);
	if (!rc)
		rc = buf_error(&text);
	if (!rc)
		rc = arena_copy_str(&s->arena, buf_str(&text), &out->source);
	buf_fini(&text);
	return rc;
}

/* The attribute named by sampling_priority: a percentage for this record. */
static const uint64_t *log_priority(const struct sampler_processor *x, struct str log,
				    uint64_t *room)
{
	struct value v;
	double percentage;

	if (!x->settings->sampling_priority.n ||
	    !otlp_attribute_find(log, OTLP_LOG_ATTRIBUTES, x->settings->sampling_priority, &v) ||
	    (v.kind != VALUE_DOUBLE && v.kind != VALUE_INT))
		return NULL;
	percentage = v.kind == VALUE_DOUBLE ? v.d : (double)v.i;
	*room = sampling_threshold(percentage / 100, x->sampler.precision);
	return *room == SAMPLING_NEVER ? NULL : room;
}

static int read_sampled_log(const struct sampler_processor *x, struct str log, struct scratch *s,
			    struct sampled_item *out)
{
	struct proto_reader r = proto_reader_of(log);
	struct sampling_marks *m = &out->marks;

	out->is_log = true;
	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(LOG_TRACE_ID, PROTO_BYTES))
			out->trace_id = valid_id(proto_bytes(&r));
		else
			proto_skip(&r);
	}
	if (x->sampler.mode == SAMPLE_HASH_SEED && !x->by_trace)
		out->trace_id = (struct str){0};
	if (!read_mark(log, STR("sampling.threshold"), sampling_parse_threshold, &m->has_threshold,
		       &m->threshold) ||
	    !read_mark(log, STR("sampling.randomness"), sampling_parse_randomness,
		       &m->has_randomness, &m->randomness))
		out->damaged = true;
	return read_source(x, log, s, out);
}

/* ---- writing ---- */

static int replace_state(void *arg, struct arena *arena, struct str in, struct str *out)
{
	(void)arena;
	(void)in;
	*out = *(const struct str *)arg;
	return 0;
}

/* Return in *out the span with another tracestate. */
static int write_span(struct str span, struct str state, const struct sampling_marks *marks,
		      struct arena *arena, struct str *out)
{
	struct proto_writer w = {0};
	struct str changed;
	int rc = sampling_write_state(state, marks, arena, &changed);

	if (rc || str_eq(changed, state))
		return rc;
	if (state.n)
		return message_edit(span, SPAN_STATE, replace_state, &changed, arena, out);
	w.cap = w.start = span.n + changed.n + 12;
	w.p = arena_alloc(arena, w.cap, 1);
	if (!w.p)
		return -ENOMEM;
	proto_put_entry(&w, SPAN_STATE, changed);
	proto_put_raw(&w, span.p, span.n);
	*out = proto_writer_str(&w);
	return 0;
}

static int set_mark(struct attributes *list, struct arena *arena, struct str key, const char *text)
{
	struct str copy;
	int rc = arena_copy_str(arena, str_from(text), &copy);

	return rc ? rc : attributes_set(list, arena, key, &VALUE_OF_STR(copy));
}

static int write_log(struct str log, const struct sampling_marks *m, struct arena *arena,
		     struct str *out)
{
	char text[SAMPLING_TEXT_SIZE];
	struct attributes list;
	int rc = otlp_attributes_read(&list, log, OTLP_LOG_ATTRIBUTES, arena);

	if (!rc && m->has_randomness)
		rc = set_mark(&list, arena, STR("sampling.randomness"),
			      sampling_randomness_text(m->randomness, text));
	if (!rc && m->has_threshold)
		rc = set_mark(&list, arena, STR("sampling.threshold"),
			      sampling_threshold_text(m->threshold, text));
	return rc ? rc : otlp_attributes_replace(log, OTLP_LOG_ATTRIBUTES, &list, arena, out);
}

/* ---- sampling ---- */

static int sample_item(const struct sampler_processor *x, enum signal_kind signal,
		       struct otlp_item *item, struct scratch *s, uint32_t counts[COUNTERS])
{
	struct sampled_item sampled = {0};
	uint64_t priority;
	struct str state;
	int rc = 0;

	if (signal == SIGNAL_TRACES) {
		read_sampled_span(item->bytes, &sampled, &state);
	} else {
		rc = read_sampled_log(x, item->bytes, s, &sampled);
		sampled.priority = log_priority(x, item->bytes, &priority);
	}
	if (rc)
		return rc;
	item->dropped = !sampler_decide(&x->sampler, &sampled);
	counts[2 * sampled.policy + !item->dropped]++;
	if (item->dropped || !sampled.marked)
		return 0;
	if (signal == SIGNAL_TRACES)
		return write_span(item->bytes, state, &sampled.marks, &s->arena, &item->bytes);
	return write_log(item->bytes, &sampled.marks, &s->arena, &item->bytes);
}

static int sample_tree(void *owner, struct otlp_tree *tree, const struct delivery *d,
		       struct scratch *s, struct err *e)
{
	struct sampler_processor *x = owner;
	uint32_t counts[COUNTERS] = {0};
	int rc = 0;

	(void)d;
	(void)e;
	for (uint32_t i = 0; i < tree->resource_count && !rc; i++) {
		const struct otlp_resource *r = &tree->resources[i];

		for (uint32_t k = 0; k < r->scope_count && !rc; k++)
			for (uint32_t n = 0; n < r->scopes[k].item_count && !rc; n++)
				rc = sample_item(x, tree->signal, &r->scopes[k].items[n], s,
						 counts);
	}
	tree->changed = true;
	add_counts(x, tree->signal, counts);
	return rc;
}

static bool sampler_consume(void *instance, struct delivery *d)
{
	struct sampler_processor *x = instance;

	return tree_edit_consume(&x->editor, d);
}

/* ---- life cycle ---- */

static int read_percentage(const struct config_node *n, const char *what, void *to,
			   struct arena *arena, struct err *e)
{
	double number;

	(void)arena;
	if (n->kind != CONFIG_SCALAR || str_to_double(n->text, &number) || !isfinite(number))
		return config_fail(n, e, "%s: \"sampling_percentage\" has to be a number", what);
	if (number < 0)
		return config_fail(n, e, "%s: sampling rate is negative: %g%%", what, number);
	if (number > 0 && (double)(float)number / 100 < 1.0 / (double)SAMPLING_RANGE)
		return config_fail(n, e, "%s: sampling rate is too small: %g%%", what, number);
	*(float *)to = (float)number;
	return 0;
}

static int find_mode(struct str name, enum sampler_mode *out)
{
	static const char *const names[] = {
		[SAMPLE_HASH_SEED] = "hash_seed",
		[SAMPLE_PROPORTIONAL] = "proportional",
		[SAMPLE_EQUALIZING] = "equalizing",
	};

	for (unsigned i = 0; i < countof(names); i++) {
		if (str_eq(name, str_from(names[i]))) {
			*out = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int sampler_check(const void *settings, struct err *e)
{
	const struct sampler_settings *s = settings;
	enum sampler_mode mode;

	if (find_mode(s->mode, &mode))
		return err_set(e, -EINVAL,
			       "unsupported sampler mode \"%.*s\": use hash_seed, proportional or "
			       "equalizing",
			       STR_ARG(s->mode));
	if (!str_eq(s->attribute_source, STR("traceID")) &&
	    !str_eq(s->attribute_source, STR("record")))
		return err_set(e, -EINVAL,
			       "invalid attribute source: %.*s. Expected: traceID or record",
			       STR_ARG(s->attribute_source));
	return 0;
}

static void sampler_destroy(void *instance)
{
	struct sampler_processor *x = instance;

	scratch_pool_fini(&x->editor.pool);
	free(x);
}

static int sampler_create(void **instance, const struct component_env *env, const void *settings,
			  struct err *e)
{
	const struct sampler_settings *s = settings;
	struct sampler_processor *x = calloc(1, sizeof(*x));
	enum sampler_mode mode;

	if (!x)
		return err_errno(e, -ENOMEM, "probabilistic_sampler");
	if (find_mode(s->mode, &mode))
		mode = SAMPLE_HASH_SEED;
	x->settings = s;
	x->telemetry = &env->host->telemetry;
	x->by_trace = str_eq(s->attribute_source, STR("traceID"));
	sampler_init(&x->sampler, mode, s->percentage, (uint32_t)s->hash_seed, (int)s->precision,
		     s->fail_closed);
	x->editor = (struct tree_editor){
		.next = processor_next(env), .host = env->host, .edit = sample_tree, .owner = x};
	scratch_pool_init(&x->editor.pool, &env->host->memory);
	*instance = x;
	return 0;
}

static const struct setting settings[] = {
	SET_CUSTOM(struct sampler_settings, percentage, "sampling_percentage", read_percentage,
		   "number", "The share that is kept, in percent; 100 and more: all (0)."),
	SET_STRING(struct sampler_settings, mode, "mode", "hash_seed",
		   "hash_seed, proportional or equalizing."),
	SET_INT(struct sampler_settings, hash_seed, "hash_seed", "0", 0, UINT32_MAX, NULL,
		"Changes the hash. Collectors that sample the same traces need the same seed."),
	SET_BOOL(struct sampler_settings, fail_closed, "fail_closed", "true",
		 "Drop items whose randomness is missing or contradicts their threshold."),
	SET_INT(struct sampler_settings, precision, "sampling_precision", "4", 1, SAMPLING_DIGITS,
		"digits", "Hexadecimal digits of thresholds."),
	SET_STRING(struct sampler_settings, attribute_source, "attribute_source", "traceID",
		   "Logs: traceID or record (from_attribute only)."),
	SET_STRING(struct sampler_settings, from_attribute, "from_attribute", NULL,
		   "Logs: the attribute that is hashed for records without a trace id."),
	SET_STRING(struct sampler_settings, sampling_priority, "sampling_priority", NULL,
		   "Logs: an attribute with the percentage of its record."),
	SET_END,
};

const struct component probabilistic_sampler_processor = {
	.name = "probabilistic_sampler",
	.kind = COMPONENT_PROCESSOR,
	.mutates = true,
	.signals = SIGNAL_TRACES | SIGNAL_LOGS,
	.form = FORM_PAYLOAD,
	.help = "Keeps a share of the spans or log records.",
	.settings = settings,
	.settings_size = sizeof(struct sampler_settings),
	.check = sampler_check,
	.create = sampler_create,
	.consume = sampler_consume,
	.destroy = sampler_destroy,
};
