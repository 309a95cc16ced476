/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processor sanitize: a secret is planted in every text of every signal, as payload and decoded,
 * and nothing that is forwarded may contain it.
 */
#include <errno.h>
#include <unistd.h>

#include "format/otlp/otlp.h"
#include "format/otlp/schema.h"
#include "format/otlp/traces.h"
#include "pipeline/convert/profile_payload.h"
#include "pipeline/processors/sanitize/sanitize_processor.h"
#include "signal/otlp/validate.h"
#include "signal/profile/profile_builder.h"
#include "signal/profile/profile_rows.h"
#include "test/component.h"
#include "test/sink.h"

/* The token passes GitHub's checksum; the templates have @ where it is planted. */
#define PLANTED "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"
#define TOKEN "[REDACTED_SECRET]"

#define VALUES                                                                                     \
	"[{\"key\":\"@k\",\"value\":{\"stringValue\":\"@\"}},"                                     \
	"{\"key\":\"list\",\"value\":{\"arrayValue\":{\"values\":[{\"stringValue\":\"@\"},"        \
	"{\"kvlistValue\":{\"values\":[{\"key\":\"@\",\"value\":{\"stringValue\":\"@\"}}]}}]}}},"  \
	"{\"key\":\"password\",\"value\":{\"stringValue\":\"plain-password\"}},"                   \
	"{\"key\":\"count\",\"value\":{\"intValue\":\"7\"}}]"
#define SOURCE                                                                                     \
	"\"resource\":{\"attributes\":" VALUES ",\"entityRefs\":[{\"schemaUrl\":\"@\",\"type\":"   \
	"\"@\",\"idKeys\":[\"@\"],\"descriptionKeys\":[\"@\"]}]},\"schemaUrl\":\"@\","
#define SCOPE                                                                                      \
	"\"scope\":{\"name\":\"@\",\"version\":\"@\",\"attributes\":" VALUES "},"                  \
	"\"schemaUrl\":\"@\","
#define TRACE_ID "\"traceId\":\"0102030405060708090a0b0c0d0e0f10\","
#define SPAN_ID "\"spanId\":\"0102030405060708\","
#define EXEMPLARS                                                                                  \
	"\"exemplars\":[{\"timeUnixNano\":\"1\",\"asInt\":\"1\"," SPAN_ID TRACE_ID                 \
	"\"filteredAttributes\":" VALUES "}],"

static const char traces[] =
	"{\"resourceSpans\":[{" SOURCE "\"scopeSpans\":[{" SCOPE "\"spans\":[{" TRACE_ID SPAN_ID
	"\"traceState\":\"a=@\",\"name\":\"@\",\"startTimeUnixNano\":\"1\",\"endTimeUnixNano\":"
	"\"2\",\"attributes\":" VALUES ",\"events\":[{\"timeUnixNano\":\"1\",\"name\":\"@\","
	"\"attributes\":" VALUES "}],\"links\":[{" TRACE_ID SPAN_ID
	"\"traceState\":\"@\",\"attributes\":" VALUES
	"}],\"status\":{\"message\":\"@\",\"code\":2}},"
	"{" TRACE_ID SPAN_ID "\"name\":\"harmless\",\"startTimeUnixNano\":\"1\","
	"\"endTimeUnixNano\":\"2\"}]}]}]}";
static const char logs[] =
	"{\"resourceLogs\":[{" SOURCE "\"scopeLogs\":[{" SCOPE "\"logRecords\":[{\"timeUnixNano\":"
	"\"1\",\"severityText\":\"@\",\"body\":{\"stringValue\":\"login with @ failed\"},"
	"\"attributes\":" VALUES ",\"eventName\":\"@\"},{\"body\":{\"kvlistValue\":{\"values\":"
	"[{\"key\":\"password\",\"value\":{\"stringValue\":\"plain-password\"}}]}}}]}]}]}";
static const char metrics[] =
	"{\"resourceMetrics\":[{" SOURCE "\"scopeMetrics\":[{" SCOPE "\"metrics\":["
	"{\"name\":\"@\",\"description\":\"@\",\"unit\":\"@\",\"metadata\":" VALUES
	",\"gauge\":{\"dataPoints\":[{\"timeUnixNano\":\"1\",\"asInt\":\"1\"," EXEMPLARS
	"\"attributes\":" VALUES "}]}},"
	"{\"name\":\"s\",\"sum\":{\"aggregationTemporality\":2,\"dataPoints\":[{\"timeUnixNano\":"
	"\"1\",\"asInt\":\"1\",\"attributes\":" VALUES "}]}},"
	"{\"name\":\"h\",\"histogram\":{\"aggregationTemporality\":2,\"dataPoints\":[{" EXEMPLARS
	"\"timeUnixNano\":\"1\",\"count\":\"0\",\"attributes\":" VALUES "}]}},"
	"{\"name\":\"e\",\"exponentialHistogram\":{\"aggregationTemporality\":2,\"dataPoints\":"
	"[{" EXEMPLARS "\"timeUnixNano\":\"1\",\"count\":\"0\",\"attributes\":" VALUES "}]}},"
	"{\"name\":\"q\",\"summary\":{\"dataPoints\":[{\"timeUnixNano\":\"1\",\"count\":\"0\","
	"\"attributes\":" VALUES "}]}}]}]}]}";

struct sanitize_fixture {
	struct host host;
	struct test_sink sink;
	struct component_env env;
	struct test_component x;
	struct delivery_result result;
	struct arena arena;
	struct err e;
};

static int fixture_setup(void **state)
{
	struct sanitize_fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	test_sink_init(&f->sink);
	arena_init(&f->arena, NULL);
	f->env = (struct component_env){.id = "sanitize", .host = &f->host};
	return host_init(&f->host, 1, 64 * MIB, NULL, &f->e);
}

static int fixture_teardown(void **state)
{
	struct sanitize_fixture *f = *state;

	test_sink_fini(&f->sink);
	arena_fini(&f->arena);
	assert_int_equal(f->host.memory.used, 0);
	host_fini(&f->host);
	free(f);
	return 0;
}

static void create(struct sanitize_fixture *f, enum signal_kind signal, struct consumer *next,
		   const char *yaml)
{
	memset(f->env.next, 0, sizeof(f->env.next));
	f->env.next[signal_index(signal)] = next;
	assert_ok_err(test_component_new(&f->x, &sanitize_processor, &f->env, yaml), &f->x.e);
}

static void note_result(struct delivery *d, const struct delivery_result *r)
{
	((struct sanitize_fixture *)d->owner)->result = *r;
}

/* Return how often a text occurs. */
static unsigned occurrences(struct str text, const char *part)
{
	unsigned n = 0;

	for (;;) {
		size_t at = str_find_str(text, str_from(part));

		if (at == text.n)
			return n;
		n++;
		text = str_from_at(text, at + strlen(part));
	}
}

/* Make a request of a template, with the secret in place of each @. */
static struct payload *payload_of(struct sanitize_fixture *f, enum signal_kind signal,
				  const char *json)
{
	struct buf text = {0}, message = {0};
	struct payload *p;
	uint32_t items;

	for (; *json; json++)
		if (*json == '@')
			buf_put_str(&text, STR(PLANTED));
		else
			buf_put_char(&text, *json);
	assert_ok_err(schema_json_to_proto(&message, otlp_request_schema(signal), buf_str(&text),
					   &f->arena, &f->e),
		      &f->e);
	assert_ok_err(otlp_validate(signal, buf_str(&message), &items, &f->e), &f->e);
	p = payload_take(signal, items, &message);
	assert_non_null(p);
	buf_fini(&text);
	return p;
}

/* Pass a payload, which is released, and return the bytes that were forwarded. */
static struct str pass(struct sanitize_fixture *f, struct payload *p, const char *yaml)
{
	struct delivery d = {.signal = p->signal, .payload = p, .done = note_result, .owner = f};
	struct buf joined = {0};
	struct str out = {0};

	test_sink_clear(&f->sink);
	create(f, p->signal, &f->sink.consumer, yaml);
	f->result = (struct delivery_result){.rc = 1};
	sanitize_processor.consume(f->x.instance, &d);
	assert_int_equal(f->result.rc, 0);
	test_component_free(&f->x);
	payload_release(p);
	if (f->sink.count)
		assert_ok(
			arena_copy_str(&f->arena, payload_str(f->sink.payloads[0], &joined), &out));
	buf_fini(&joined);
	return out;
}

static int64_t counted(struct sanitize_fixture *f, const char *rule)
{
	const struct telemetry_label label = {"rule", rule};

	return atomic_load(&telemetry_get(&f->host.telemetry, TELEMETRY_COUNTER,
					  "varve_sanitize_redacted_total", "", &label, 1)
				    ->at);
}

static void every_text_of_a_payload_is_examined(void **state)
{
	static const struct {
		enum signal_kind signal;
		const char *json;
	} table[] = {{SIGNAL_TRACES, traces}, {SIGNAL_LOGS, logs}, {SIGNAL_METRICS, metrics}};
	struct sanitize_fixture *f = *state;

	for (size_t i = 0; i < countof(table); i++) {
		struct payload *p = payload_of(f, table[i].signal, table[i].json);
		uint32_t items = p->items, after;
		int64_t before = counted(f, "github-token");
		struct str out = pass(f, p, "{}");
		unsigned planted = occurrences(str_from(table[i].json), "@");

		assert_int_equal(occurrences(out, PLANTED), 0);
		assert_int_equal(occurrences(out, "ghp_"), 0);
		assert_int_equal(occurrences(out, "plain-password"), 0);
		assert_int_equal(counted(f, "github-token") - before, planted);
		assert_true(occurrences(out, TOKEN) >= planted);
		assert_ok_err(otlp_validate(table[i].signal, out, &after, &f->e), &f->e);
		assert_int_equal(after, items);
		assert_int_equal(f->sink.payloads[0]->items, items);
	}
}

static void a_harmless_payload_is_passed_on_as_it_is(void **state)
{
	struct sanitize_fixture *f = *state;
	struct payload *p = payload_of(f, SIGNAL_LOGS,
				       "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{"
				       "\"body\":{\"stringValue\":\"started in 5 ms\"}}]}]}]}");
	const char *bytes = p->slices[0].bytes.p;
	struct payload *kept = payload_keep(p, NULL);

	pass(f, p, "{}");
	assert_ptr_equal(f->sink.payloads[0]->slices[0].bytes.p, bytes);
	payload_release(kept);
}

static void rules_of_the_user_act_on_their_places(void **state)
{
	static const struct {
		const char *rule, *gone, *present;
		unsigned items;
	} table[] = {
		{"{name: a, pattern: 'harm\\w+', where: [spans]}", "harmless", "[REDACTED_A]", 2},
		{"{name: a, pattern: 'harm\\w+', where: [values]}", "[REDACTED_A]", "harmless", 2},
		{"{name: a, pattern: harmless, where: [spans], replacement: X-X}", "harmless",
		 "X-X", 2},
		{"{name: a, pattern: harmless, where: [spans], action: drop}", "harmless",
		 "password", 2},
		{"{name: a, pattern: harmless, where: [spans], action: drop_item}", "harmless",
		 "plain-password", 1},
		{"{name: a, pattern: plain, where: [values], action: drop}", "password", "harmless",
		 2},
		{"{name: a, pattern: '^list$', where: [keys], action: drop}", "list", "password",
		 2},
	};
	struct sanitize_fixture *f = *state;

	for (size_t i = 0; i < countof(table); i++) {
		char yaml[300];
		uint32_t items;
		struct str out;

		snprintf(yaml, sizeof(yaml), "{secrets: false, rules: [%s]}", table[i].rule);
		out = pass(f, payload_of(f, SIGNAL_TRACES, traces), yaml);
		if (occurrences(out, table[i].gone) || !occurrences(out, table[i].present))
			fail_msg("%s: wrong output", table[i].rule);
		assert_ok(otlp_validate(SIGNAL_TRACES, out, &items, NULL));
		assert_int_equal(items, table[i].items);
		assert_int_equal(f->sink.payloads[0]->items, items);
		assert_true(counted(f, "a") > 0 || i == 1);
	}
	pass(f, payload_of(f, SIGNAL_TRACES, traces),
	     "{rules: [{name: all, pattern: plain-password, action: drop_item}]}");
	assert_int_equal(f->sink.count, 0); /* an attribute of the resource: all spans */
}

static void hashes_depend_on_key_and_rule(void **state)
{
	struct sanitize_fixture *f = *state;
	char path[] = "/tmp/varve-sanitize-XXXXXX", yaml[400];
	int fd = mkstemp(path);
	struct str first, second;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "0123456789abcdef0123456789abcdef\n", 33), 33);
	close(fd);
	snprintf(yaml, sizeof(yaml),
		 "{secrets: false, hash_key_file: %s, rules: [{name: who, pattern: "
		 "'plain-\\w+', action: hash}]}",
		 path);
	first = pass(f, payload_of(f, SIGNAL_TRACES, traces), yaml);
	second = pass(f, payload_of(f, SIGNAL_TRACES, traces), yaml);
	assert_int_equal(occurrences(first, "plain-password"), 0);
	assert_true(occurrences(first, "h1_") > 3);
	assert_str_equal(first, second);
	unlink(path);
	create(f, SIGNAL_LOGS, &f->sink.consumer, "{}");
	test_component_free(&f->x);
	test_component_refused(&sanitize_processor, &f->env, yaml, "hash_key_file");
}

static void settings_are_checked(void **state)
{
	static const struct {
		const char *yaml, *text;
	} table[] = {
		{"{rules: [{name: a b, pattern: x}]}", "\"name\" has to be"},
		{"{rules: [{name: a}]}", "\"pattern\" has to be"},
		{"{rules: [{name: a, pattern: '('}]}", "invalid regular expression"},
		{"{rules: [{name: a, pattern: x, action: erase}]}", "unknown action \"erase\""},
		{"{rules: [{name: a, pattern: x, where: [labels]}]}", "unknown place \"labels\""},
		{"{rules: [{name: a, pattern: x, action: hash}]}", "needs \"hash_key_file\""},
		{"{rules: [{name: a, pattern: x}, {name: a, pattern: y}]}", "two rules"},
		{"{secrets: false, email: false, cards: false}", "all built-in rules are off"},
		{"{rules: [{name: a, pattern: x, action: drop, replacement: y}]}",
		 "does not use \"replacement\""},
		{"{emails: true}", "did you mean \"email\""},
	};
	struct sanitize_fixture *f = *state;

	for (size_t i = 0; i < countof(table); i++)
		test_component_refused(&sanitize_processor, &f->env, table[i].yaml, table[i].text);
}

/* ---- profiles ---- */

/* A profile with the secret in each text, two samples, and labels that become equal. */
static void build_profile(struct profile_batch *b, struct profile_builder *builder)
{
	struct keyvalue attributes[] = {{STR("service.name"), VALUE_OF_STR(STR("shop"))},
					{STR("note"), VALUE_OF_STR(STR("password=plain-password"))},
					{STR("x" PLANTED), VALUE_OF_STR(STR(PLANTED))}};
	struct mapping mapping = {.start = 0x1000, .limit = 0x2000};
	struct profile row = {.period = 1};
	struct line line = {.line = 1};
	uint32_t label, user, locations[2], stacks[2];

	assert_ok(profile_batch_init(b, NULL));
	assert_ok(profile_builder_init(builder, b));
	assert_ok(profile_add_resource(builder, attributes, countof(attributes)));
	assert_ok(profile_add_scope(builder, STR(PLANTED), STR(PLANTED), attributes, 1));
	assert_ok(profile_add_string(builder, STR("cpu"), &row.sample_type.type));
	assert_ok(profile_add_string(builder, STR("nanoseconds"), &row.sample_type.unit));
	assert_ok(profile_add_attribute(builder, STR("profile.note"), VALUE_OF_STR(STR(PLANTED)),
					STR(""), &label));
	assert_ok(profile_add_profile(builder, &row, &label, 1));
	assert_ok(profile_add_string(builder, STR("/opt/" PLANTED "/lib.so"), &mapping.filename));
	assert_ok(profile_add_mapping(builder, &mapping, NULL, 0, &label));
	assert_ok(profile_add_function(builder, &(struct function){.name = mapping.filename},
				       &line.function));
	assert_ok(profile_add_location(
		builder,
		&(struct location_parts){
			.address = 0x1234, .mapping = label, .lines = &line, .line_count = 1},
		&locations[0]));
	assert_ok(profile_add_frame(builder, STR("call_" PLANTED), STR("src/" PLANTED ".c"), 3,
				    &locations[1]));
	assert_ok(profile_add_stack(builder, locations, 2, &stacks[0]));
	assert_ok(profile_add_stack(builder, locations, 1, &stacks[1]));
	assert_ok(profile_add_attribute(builder, STR("user"), VALUE_OF_STR(STR("a@example.com")),
					STR(""), &user));
	assert_ok(profile_add_sample(builder, stacks[0], 0, &user, 1, 10));
	assert_ok(profile_add_attribute(builder, STR("user"), VALUE_OF_STR(STR("b@example.com")),
					STR(""), &user));
	assert_ok(profile_add_sample(builder, stacks[1], 0, &user, 1, 20));
	assert_ok_err(profile_batch_check(b, &(struct err){0}), &(struct err){0});
}

/* Fail if a text contains what was planted. */
static void assert_clean(struct str text)
{
	static const char *const parts[] = {"ghp_", "plain-password", "example.com"};

	for (size_t i = 0; i < countof(parts); i++)
		if (occurrences(text, parts[i]))
			fail_msg("\"%.*s\" contains %s", STR_ARG(text), parts[i]);
}

/* What a store does: it reads all rows that samples refer to. */
static void assert_clean_batch(const struct profile_batch *b)
{
	for (uint32_t i = 0; i < b->functions.n; i++) {
		assert_clean(string_of(b, b->functions.at[i].name));
		assert_clean(string_of(b, b->functions.at[i].system_name));
		assert_clean(string_of(b, b->functions.at[i].filename));
	}
	for (uint32_t i = 0; i < b->mappings.n; i++)
		assert_clean(string_of(b, b->mappings.at[i].filename));
	for (uint32_t i = 0; i < b->attributes.n; i++) {
		assert_clean(string_of(b, b->attributes.at[i].key));
		if (b->attributes.at[i].value.kind == VALUE_STRING)
			assert_clean(b->attributes.at[i].value.s);
	}
	for (uint32_t i = 0; i < b->keyvalues.n; i++) {
		assert_clean(b->keyvalues.at[i].key);
		if (b->keyvalues.at[i].value.kind == VALUE_STRING)
			assert_clean(b->keyvalues.at[i].value.s);
	}
	for (uint32_t i = 0; i < b->scopes.n; i++) {
		assert_clean(b->scopes.at[i].name);
		assert_clean(b->scopes.at[i].version);
	}
	for (uint32_t i = 0; i < b->strings.n; i++)
		assert_clean(string_of(b, i));
}

struct decoded_sink {
	struct consumer consumer;
	uint32_t series, samples, spans;
	int64_t total;
	struct delivery *held; /* with `hold` */
	bool hold, copied;
	char span_name[64], service[64];
};

static bool take_decoded(void *state, struct delivery *d)
{
	struct decoded_sink *s = state;

	if (d->batch) {
		struct err e = {0};

		assert_ok_err(profile_batch_check(d->batch, &e), &e);
		assert_clean_batch(d->batch);
		s->samples = d->batch->sample_count;
		s->series = d->series->series.n;
		for (uint32_t i = 0; i < d->batch->sample_count; i++)
			s->total += sample_total(d->batch, i);
		for (uint32_t i = 0; i < d->series->series.n; i++) {
			struct label_set l = d->series->series.at[i].labels;

			for (uint32_t k = 0; k < l.n; k++) {
				assert_clean(l.at[k].name);
				assert_clean(l.at[k].value);
			}
		}
	} else {
		const struct span *span = &d->spans->spans.at[0];

		s->spans = d->spans->spans.n;
		snprintf(s->span_name, sizeof(s->span_name), "%.*s", STR_ARG(span->name));
		snprintf(s->service, sizeof(s->service), "%.*s", STR_ARG(span->service));
	}
	s->held = d;
	if (!s->hold) {
		d->copied = s->copied;
		delivery_done(d, &(struct delivery_result){0});
	}
	return s->copied;
}

static struct decoded_sink pass_profile(struct sanitize_fixture *f, const char *yaml, bool hold)
{
	struct decoded_sink s = {.consumer = {&s, take_decoded, NULL, NULL}, .hold = hold};
	struct delivery d = {.signal = SIGNAL_PROFILES, .done = note_result, .owner = f};
	struct profile_builder builder;
	struct series_map series;
	struct profile_batch b;

	build_profile(&b, &builder);
	assert_ok(series_map_init(&series, &b, NULL, &f->arena));
	assert_int_equal(series.series.n, 2);
	d.batch = &b;
	d.series = &series;
	create(f, SIGNAL_PROFILES, &s.consumer, yaml);
	f->result = (struct delivery_result){.rc = 1};
	sanitize_processor.consume(f->x.instance, &d);
	if (hold) {
		assert_int_equal(f->result.rc, 1);
		assert_clean_batch(s.held->batch); /* still there */
		delivery_done(s.held, &(struct delivery_result){0});
	}
	assert_int_equal(f->result.rc, 0);
	test_component_free(&f->x);
	profile_batch_fini(&b);
	return s;
}

static void decoded_profiles_are_sanitized(void **state)
{
	struct decoded_sink s = pass_profile(*state, "{}", false);

	assert_int_equal(s.samples, 2);
	assert_int_equal(s.series, 1); /* user a and user b are the same now */
	assert_int_equal(s.total, 30);
	s = pass_profile(*state, "{}", true);
	assert_int_equal(s.total, 30);
	assert_true(counted(*state, "email") > 0);
	assert_true(counted(*state, "github-token") > 0);
}

static void samples_and_labels_are_dropped(void **state)
{
	static const struct {
		const char *rule;
		uint32_t samples, series;
		int64_t total;
	} table[] = {
		{"{name: r, pattern: '^a@', where: [values], action: drop_item}", 1, 1, 20},
		{"{name: r, pattern: '^a@', where: [values], action: drop}", 2, 2, 30},
		{"{name: r, pattern: '^user$', where: [keys], action: drop}", 2, 1, 30},
		{"{name: r, pattern: '^call_', where: [functions], action: drop_item}", 1, 1, 20},
		{"{name: r, pattern: '^call_', where: [functions], action: drop}", 2, 1, 30},
		{"{name: r, pattern: '^src/', where: [files], action: drop_item}", 1, 1, 20},
		{"{name: r, pattern: '^shop$', where: [values], action: drop_item}", 0, 0, 0},
	};

	for (size_t i = 0; i < countof(table); i++) {
		char yaml[200];
		struct decoded_sink s;

		snprintf(yaml, sizeof(yaml), "{rules: [%s]}", table[i].rule);
		s = pass_profile(*state, yaml, false);
		if (s.samples != table[i].samples || s.series != table[i].series ||
		    s.total != table[i].total)
			fail_msg("%s: %u samples, %u series, total %lld", table[i].rule, s.samples,
				 s.series, (long long)s.total);
	}
}

static void payloads_of_profiles_are_sanitized(void **state)
{
	struct sanitize_fixture *f = *state;
	struct profile_builder builder;
	struct profile_batch b, after;
	struct payload *p = NULL;
	struct str out;

	build_profile(&b, &builder);
	assert_ok(profile_payload_encode(&p, &b, &f->host.memory));
	out = pass(f, p,
		   "{rules: [{name: r, pattern: '^a@', where: [values], action: drop_item}]}");
	assert_clean(out);
	assert_ok(profile_batch_init(&after, NULL));
	assert_ok_err(otlp_decode(&after, out, &(struct decode_options){0}, &f->e), &f->e);
	assert_int_equal(after.sample_count, 1);
	assert_int_equal(f->sink.payloads[0]->items, 1);
	profile_batch_fini(&after);
	profile_batch_fini(&b);
	test_sink_clear(&f->sink);
}

static void decoded_spans_are_sanitized(void **state)
{
	struct sanitize_fixture *f = *state;
	struct decoded_sink s = {.consumer = {&s, take_decoded, NULL, NULL}};
	struct service_names services = {.n = 1, .at = {"shop " PLANTED}};
	struct delivery d = {
		.signal = SIGNAL_TRACES, .done = note_result, .owner = f, .services = &services};
	struct span spans[2] = {
		{.name = STR("login password=plain-password"), .service = STR("shop " PLANTED)},
		{.name = STR("other"), .service = STR("shop " PLANTED)}};
	struct span_batch b = {.spans = {spans, 2, 2}};

	d.spans = &b;
	create(f, SIGNAL_TRACES, &s.consumer,
	       "{rules: [{name: r, pattern: '^other', where: [spans], action: drop_item}]}");
	sanitize_processor.consume(f->x.instance, &d);
	test_component_free(&f->x);
	assert_int_equal(s.spans, 1);
	assert_string_equal(s.span_name, "login password=" TOKEN);
	assert_string_equal(s.service, "shop " TOKEN);
	assert_int_equal(services.n, 1);
	assert_string_equal(services.at[0], "shop " TOKEN);
}

static void damaged_data_is_refused(void **state)
{
	struct sanitize_fixture *f = *state;
	struct payload *p = payload_copy(SIGNAL_LOGS, 1, STR("\x0a\x7f\x01"), NULL);
	struct delivery d = {.signal = SIGNAL_LOGS, .payload = p, .done = note_result, .owner = f};

	create(f, SIGNAL_LOGS, &f->sink.consumer, "{}");
	sanitize_processor.consume(f->x.instance, &d);
	assert_int_equal(f->result.rc, -EBADMSG);
	assert_int_equal(f->sink.count, 0);
	test_component_free(&f->x);
	payload_release(p);
}

/* Without memory nothing is forwarded unsanitized. */
static void without_memory_data_is_refused(void **state)
{
	struct sanitize_fixture *f = *state;
	struct payload *p = payload_of(f, SIGNAL_LOGS, logs);
	struct delivery d = {.signal = SIGNAL_LOGS, .payload = p, .done = note_result, .owner = f};

	create(f, SIGNAL_LOGS, &f->sink.consumer, "{}");
	f->host.memory.limit = 100;
	sanitize_processor.consume(f->x.instance, &d);
	f->host.memory.limit = 64 * MIB;
	assert_int_equal(f->result.rc, -ENOMEM);
	assert_int_equal(f->sink.count, 0);
	test_component_free(&f->x);
	payload_release(p);
}

TEST_MAIN(test_with(fixture, every_text_of_a_payload_is_examined),
	  test_with(fixture, a_harmless_payload_is_passed_on_as_it_is),
	  test_with(fixture, rules_of_the_user_act_on_their_places),
	  test_with(fixture, hashes_depend_on_key_and_rule),
	  test_with(fixture, settings_are_checked),
	  test_with(fixture, decoded_profiles_are_sanitized),
	  test_with(fixture, samples_and_labels_are_dropped),
	  test_with(fixture, payloads_of_profiles_are_sanitized),
	  test_with(fixture, decoded_spans_are_sanitized),
	  test_with(fixture, damaged_data_is_refused),
	  test_with(fixture, without_memory_data_is_refused))
