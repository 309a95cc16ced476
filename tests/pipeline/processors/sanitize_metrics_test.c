/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processor sanitize on decoded metrics: secrets in each text, what rules remove, and how often
 * findings are counted.
 */
#include <errno.h>

#include "pipeline/processors/sanitize/sanitize_processor.h"
#include "test/component.h"

/* The token passes GitHub's checksum. */
#define PLANTED "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"
#define TOKEN "[REDACTED_SECRET]"

struct metrics_fixture {
	struct host host;
	struct consumer consumer;
	struct component_env env;
	struct test_component x;
	struct metric_batch in;
	struct delivery_result result;
	struct buf text; /* what was forwarded */
	unsigned forwarded;
	const struct metric_batch *batch; /* the batch that was forwarded, valid in consume() */
	struct delivery *held;
	bool hold;
	struct err e;
};

static void put_labels(struct buf *out, struct str labels)
{
	struct label l;

	buf_put_char(out, '{');
	while (metric_labels_next(&labels, &l))
		buf_printf(out, "%.*s=%.*s,", STR_ARG(l.name), STR_ARG(l.value));
	buf_put_char(out, '}');
}

/* Append a batch as text: {labels} values | histograms ; exemplars ; metadata. */
static void describe(struct buf *out, const struct metric_batch *b)
{
	for (uint32_t i = 0; i < b->series.n; i++) {
		put_labels(out, b->series.at[i]);
		for (uint32_t k = 0; k < b->samples.n; k++)
			if (b->samples.at[k].series == i)
				buf_printf(out, " %.0f", metric_value(b->samples.at[k].bits));
		for (uint32_t k = 0; k < b->histograms.n; k++)
			if (b->histograms.at[k].series == i)
				buf_printf(out, " h");
		for (uint32_t k = 0; k < b->exemplars.n; k++)
			if (b->exemplars.at[k].series == i) {
				buf_printf(out, " #");
				put_labels(out, b->exemplars.at[k].labels);
			}
		buf_put_char(out, '\n');
	}
	for (uint32_t i = 0; i < b->metadata.n; i++)
		buf_printf(out, "%.*s: %.*s (%.*s)\n", STR_ARG(b->metadata.at[i].name),
			   STR_ARG(b->metadata.at[i].help), STR_ARG(b->metadata.at[i].unit));
}

static bool take_metrics(void *state, struct delivery *d)
{
	struct metrics_fixture *f = state;

	assert_non_null(d->metrics);
	assert_ok_err(metric_batch_check(d->metrics, &f->e), &f->e);
	describe(&f->text, d->metrics);
	f->batch = d->metrics;
	f->forwarded++;
	f->held = d;
	if (!f->hold)
		delivery_done(d, &(struct delivery_result){0});
	return false;
}

static int fixture_setup(void **state)
{
	struct metrics_fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	metric_batch_init(&f->in, NULL);
	f->consumer = (struct consumer){f, take_metrics, NULL, NULL};
	f->env = (struct component_env){.id = "sanitize", .host = &f->host};
	f->env.next[signal_index(SIGNAL_METRICS)] = &f->consumer;
	return host_init(&f->host, 1, 64 * MIB, NULL, &f->e);
}

static int fixture_teardown(void **state)
{
	struct metrics_fixture *f = *state;

	metric_batch_fini(&f->in);
	buf_fini(&f->text);
	assert_int_equal(f->host.memory.used, 0);
	host_fini(&f->host);
	free(f);
	return 0;
}

/* Add a series of "name=value" texts. */
static uint32_t add_series(struct metrics_fixture *f, const char *const *pairs)
{
	struct label labels[METRIC_LABELS_MAX];
	const char *wrong;
	uint32_t n = 0, series;

	for (; pairs[n]; n++) {
		struct str value = str_from(pairs[n]);

		labels[n].name = str_cut(&value, '=');
		labels[n].value = value;
	}
	assert_int_equal(metric_batch_series(&f->in, labels, n, &series, &wrong), 0);
	return series;
}
#define SERIES(f, ...) add_series(f, (const char *const[]){__VA_ARGS__, NULL})

static void add_sample(struct metrics_fixture *f, uint32_t series, double value)
{
	assert_ok(vec_push(&f->in.arena, &f->in.samples,
			   (struct metric_sample){series, 1000, metric_bits(value)}));
}

static void add_exemplar(struct metrics_fixture *f, uint32_t series, struct label *labels,
			 uint32_t n)
{
	struct metric_exemplar x = {.series = series, .time = 1000, .value = 1};

	buf_clear(&f->in.scratch);
	assert_null(metric_labels_put_all(&f->in.scratch, labels, n));
	assert_ok(arena_copy_str(&f->in.arena, buf_str(&f->in.scratch), &x.labels));
	assert_ok(vec_push(&f->in.arena, &f->in.exemplars, x));
}

static void note_result(struct delivery *d, const struct delivery_result *r)
{
	((struct metrics_fixture *)d->owner)->result = *r;
}

static int consume(struct metrics_fixture *f, const char *yaml, uint64_t limit)
{
	struct delivery d = {
		.signal = SIGNAL_METRICS, .metrics = &f->in, .done = note_result, .owner = f};

	buf_clear(&f->text);
	f->forwarded = 0;
	f->result = (struct delivery_result){.rc = 1};
	assert_ok_err(test_component_new(&f->x, &sanitize_processor, &f->env, yaml), &f->x.e);
	f->host.memory.limit = limit;
	sanitize_processor.consume(f->x.instance, &d);
	f->host.memory.limit = 64 * MIB;
	if (f->hold) {
		assert_int_equal(f->result.rc, 1);
		buf_clear(&f->text);
		describe(&f->text, f->batch); /* it is still there */
		delivery_done(f->held, &(struct delivery_result){0});
	}
	test_component_free(&f->x);
	return f->result.rc;
}

/* Pass the batch; what is forwarded has to be this text. */
static void assert_passes(struct metrics_fixture *f, const char *yaml, const char *expected)
{
	assert_int_equal(consume(f, yaml, 64 * MIB), 0);
	buf_put_char(&f->text, 0);
	assert_string_equal(f->text.p, expected);
}

static int64_t counted(struct metrics_fixture *f, const char *rule)
{
	const struct telemetry_label label = {"rule", rule};

	return atomic_load(&telemetry_get(&f->host.telemetry, TELEMETRY_COUNTER,
					  "varve_sanitize_redacted_total", "", &label, 1)
				    ->at);
}

static void every_text_is_examined(void **state)
{
	struct metrics_fixture *f = *state;
	struct label labels[] = {{STR("trace_id"), STR("0102030405060708090a0b0c0d0e0f10")},
				 {STR("user"), STR("a@example.com")}};
	uint32_t a =
		SERIES(f, "__name__=requests", "db_password=hunter2", "le=0.5", "x" PLANTED "=1");
	uint32_t b = SERIES(f, "__name__=" PLANTED, "job=password=hunter2");

	add_sample(f, a, 1);
	add_sample(f, b, 2);
	add_exemplar(f, a, labels, countof(labels));
	assert_ok(metric_batch_metadata(&f->in,
					(struct metric_metadata){.name = STR(PLANTED),
								 .help = STR("of a@example.com"),
								 .unit = STR(PLANTED)}));
	assert_passes(f, "{}",
		      "{__name__=requests,db_password=" TOKEN ",le=0.5,x" TOKEN
		      "=1,} 1 #{trace_id=0102030405060708090a0b0c0d0e0f10,user=[REDACTED_EMAIL],}\n"
		      "{__name__=" TOKEN ",job=password=" TOKEN ",} 2\n" TOKEN
		      ": of [REDACTED_EMAIL] (" TOKEN ")\n");
	/* a name of a metric, of its metadata, and a unit are one text */
	assert_int_equal(counted(f, "github-token"), 2);
	f->hold = true;
	assert_int_equal(consume(f, "{}", 64 * MIB), 0);
	assert_true(str_find_str(buf_str(&f->text), STR("job=password=" TOKEN)) < f->text.n);
}

static void a_harmless_batch_is_passed_on_as_it_is(void **state)
{
	struct metrics_fixture *f = *state;

	add_sample(f, SERIES(f, "__name__=up", "instance=localhost:9090", "job=node"), 1);
	assert_int_equal(consume(f, "{}", 64 * MIB), 0);
	assert_ptr_equal(f->batch, &f->in);
}

/* A text that many series have is one finding. */
static void equal_texts_are_examined_once(void **state)
{
	struct metrics_fixture *f = *state;
	char path[32];

	for (unsigned i = 0; i < 1000; i++) {
		snprintf(path, sizeof(path), "path=/%u", i);
		add_sample(f, SERIES(f, "__name__=m", "user=a@example.com", path), i);
	}
	assert_int_equal(consume(f, "{}", 64 * MIB), 0);
	assert_int_equal(counted(f, "email"), 1);
	assert_int_equal(str_find_str(buf_str(&f->text), STR("example")), f->text.n);
}

static void rules_act_on_their_places(void **state)
{
	static const struct {
		const char *rule, *expected;
	} table[] = {
		{"pattern: '^gone$', where: [metrics], action: drop",
		 "{__name__=m,job=gone,} 1 #{k=v,}\n{__name__=n,} 2 #{k=v,} #{}\n"
		 "{__name__=target_info,job=gone,} 3\nm: help (s)\n"},
		{"pattern: '^gone$', where: [metrics], action: drop_item",
		 "{__name__=m,job=gone,} 1 #{k=v,}\n{__name__=target_info,job=gone,} 3\n"
		 "m: help (s)\n"},
		{"pattern: '^gone$', where: [values], replacement: R",
		 "{__name__=m,job=R,} 1 #{k=v,}\n{__name__=n,user=gone,} 2 #{k=v,} "
		 "#{user=gone,}\n{__name__=target_info,job=R,} 3\nm: help (s)\n"},
		{"pattern: '^gone$', where: [values], action: drop_item",
		 "{__name__=n,user=gone,} 2 #{k=v,} #{user=gone,}\nm: help (s)\n"},
		{"pattern: '^v$', where: [metrics], action: drop_item",
		 "{__name__=m,job=gone,} 1\n{__name__=n,user=gone,} 2 #{user=gone,}\n"
		 "{__name__=target_info,job=gone,} 3\nm: help (s)\n"},
		{"pattern: '^user$', where: [keys], replacement: __name__",
		 "{__name__=m,job=gone,} 1 #{k=v,}\n{__name__=n,} 2 #{k=v,} #{__name__=gone,}\n"
		 "{__name__=target_info,job=gone,} 3\nm: help (s)\n"},
		{"pattern: '^m$', where: [other], action: drop",
		 "{__name__=n,user=gone,} 2 #{k=v,} #{user=gone,}\n"
		 "{__name__=target_info,job=gone,} 3\n"},
		{"pattern: help, where: [other], action: drop",
		 "{__name__=m,job=gone,} 1 #{k=v,}\n{__name__=n,user=gone,} 2 #{k=v,} "
		 "#{user=gone,}\n{__name__=target_info,job=gone,} 3\nm:  (s)\n"},
		{"pattern: help, where: [other], action: drop_item",
		 "{__name__=m,job=gone,} 1 #{k=v,}\n{__name__=n,user=gone,} 2 #{k=v,} "
		 "#{user=gone,}\n{__name__=target_info,job=gone,} 3\n"},
	};
	struct metrics_fixture *f = *state;
	struct label k = {STR("k"), STR("v")}, user = {STR("user"), STR("gone")};
	uint32_t m = SERIES(f, "__name__=m", "job=gone"), n = SERIES(f, "__name__=n", "user=gone");

	add_sample(f, m, 1);
	add_sample(f, n, 2);
	add_sample(f, SERIES(f, "__name__=target_info", "job=gone"), 3);
	add_exemplar(f, m, &k, 1);
	add_exemplar(f, n, &k, 1);
	add_exemplar(f, n, &user, 1);
	assert_ok(metric_batch_metadata(
		&f->in,
		(struct metric_metadata){.name = STR("m"), .help = STR("help"), .unit = STR("s")}));
	for (size_t i = 0; i < countof(table); i++) {
		char yaml[200];

		snprintf(yaml, sizeof(yaml), "{secrets: false, rules: [{name: a, %s}]}",
			 table[i].rule);
		assert_passes(f, yaml, table[i].expected);
	}
	assert_int_equal(
		consume(f, "{rules: [{name: all, pattern: '.', action: drop_item}]}", 64 * MIB), 0);
	assert_int_equal(f->forwarded, 0);
	assert_true(counted(f, "all") > 0);
}

/* Without memory nothing is forwarded unsanitized. */
static void without_memory_data_is_refused(void **state)
{
	struct metrics_fixture *f = *state;

	add_sample(f, SERIES(f, "__name__=m", "note=password=hunter2"), 1);
	assert_int_equal(consume(f, "{}", 100), -ENOMEM);
	assert_int_equal(f->forwarded, 0);
}

TEST_MAIN(test_with(fixture, every_text_is_examined),
	  test_with(fixture, a_harmless_batch_is_passed_on_as_it_is),
	  test_with(fixture, equal_texts_are_examined_once),
	  test_with(fixture, rules_act_on_their_places),
	  test_with(fixture, without_memory_data_is_refused))
