/* SPDX-License-Identifier: Apache-2.0 */
/* The text formats of Prometheus, relabelling, and files of targets. */
#include "pipeline/receivers/prometheus/text_parser.h"

#include <errno.h>

#include "pipeline/convert/prometheus/text_batch.h"
#include "pipeline/receivers/prometheus/file_sd.h"
#include "pipeline/receivers/prometheus/relabel.h"
#include "pipeline/receivers/prometheus/scrape_settings.h"
#include "pipeline/receivers/prometheus/target_spec.h"
#include "test/test.h"

static void put_labels(struct buf *out, const struct prom_labels *l)
{
	for (uint32_t i = 0; i < l->list.n; i++)
		buf_printf(out, "%s%.*s=%.*s", i ? "," : "", STR_ARG(l->list.at[i].name),
			   STR_ARG(l->list.at[i].value));
}

static int put_sample(struct buf *out, const struct text_entry *t, struct arena *arena,
		      struct err *e)
{
	struct prom_labels labels;
	struct scraped_exemplar x;
	int rc = scraped_labels(&labels, t->series, arena, e);

	if (rc)
		return rc;
	put_labels(out, &labels);
	buf_printf(out, " %.17g", t->value);
	if (t->has_time)
		buf_printf(out, " @%lld", (long long)t->time_ms);
	if (t->exemplar.n) {
		rc = scraped_exemplar(&x, t->exemplar, arena, e);
		if (rc)
			return rc;
		buf_printf(out, " x{");
		put_labels(out, &x.labels);
		buf_printf(out, "}%g", x.value);
		if (x.has_time)
			buf_printf(out, "@%lld", (long long)x.time_ms);
	}
	buf_put_char(out, ';');
	return 0;
}

/* Parse all, and append a line of text for it. */
static int parse_all(struct buf *out, enum text_format format, struct str text, struct arena *arena,
		     struct err *e)
{
	struct text_parser p;
	struct text_entry t;
	int rc;

	text_parser_init(&p, format, text);
	while ((rc = text_parser_next(&p, &t, e)) > 0) {
		rc = 0;
		if (t.kind == TEXT_SAMPLE)
			rc = put_sample(out, &t, arena, e);
		else if (t.kind == TEXT_TYPE)
			buf_printf(out, "T %.*s %d;", STR_ARG(t.name), t.type);
		else
			buf_printf(out, "%c %.*s %.*s;", t.kind == TEXT_HELP ? 'H' : 'U',
				   STR_ARG(t.name), STR_ARG(scraped_text(t.text, arena)));
		if (rc)
			break;
	}
	return rc;
}

static const struct {
	enum text_format format;
	const char *text, *result; /* "!..." is an error */
} expositions[] = {
	{TEXT_PROMETHEUS, "", ""},
	{TEXT_PROMETHEUS, "a 1\n", "__name__=a 1;"},
	{TEXT_PROMETHEUS, "a 1", "__name__=a 1;"},
	{TEXT_PROMETHEUS, "  a\t 1.5e3 \n\n", "__name__=a 1500;"},
	{TEXT_PROMETHEUS, "a 1 -1700\n", "__name__=a 1 @-1700;"},
	{TEXT_PROMETHEUS, "a{} 1\n", "__name__=a 1;"},
	{TEXT_PROMETHEUS, "a{b=\"c\"}1\n", "__name__=a,b=c 1;"},
	{TEXT_PROMETHEUS, "a { b = \"c\" , d=\"e\", } 1\n", "__name__=a,b=c,d=e 1;"},
	{TEXT_PROMETHEUS, "a{b=\"\"} 1\n", "__name__=a 1;"},
	{TEXT_PROMETHEUS, "a{b=\"x\\\\y\\\"z\\nw\\q\"} 1\n", "__name__=a,b=x\\y\"z\nw\\q 1;"},
	{TEXT_PROMETHEUS, "a{b=\"}# {\"} 1\n", "__name__=a,b=}# { 1;"},
	{TEXT_PROMETHEUS, "{\"a.b\",\"c.d\"=\"e\"} 1\n", "__name__=a.b,c.d=e 1;"},
	{TEXT_PROMETHEUS, "a:b_9 0.1\n", "__name__=a:b_9 0.10000000000000001;"},
	{TEXT_PROMETHEUS, "a 123456789012345678\n", "__name__=a 1.2345678901234568e+17;"},
	{TEXT_PROMETHEUS, "a NaN\na +Inf\na -inf\n",
	 "__name__=a nan;__name__=a inf;__name__=a -inf;"},
	{TEXT_PROMETHEUS, "# TYPE a counter\n# HELP a x \\\\ y\\n\n#c\n# UNIT a b\n",
	 "T a 1;H a x \\ y\n;"},
	{TEXT_PROMETHEUS, "# TYPE a untyped\n", "T a 0;"},
	{TEXT_PROMETHEUS, "# TYPE a info\n", "!line 1: invalid metric type \"info\""},
	{TEXT_PROMETHEUS, "a 1\nb\n", "!line 2: expected a value"},
	{TEXT_PROMETHEUS, "a 0x1p3\n", "!line 1: invalid value \"0x1p3\""},
	{TEXT_PROMETHEUS, "a 1_0\n", "!invalid value"},
	{TEXT_PROMETHEUS, "a -\n", "!invalid value"},
	{TEXT_PROMETHEUS, "a 1 2 3\n", "!unexpected text after the value"},
	{TEXT_PROMETHEUS, "a 1 2.5\n", "!invalid timestamp"},
	{TEXT_PROMETHEUS, "a{b=\"c} 1\n", "!invalid name or labels"},
	{TEXT_PROMETHEUS, "a{b=c} 1\n", "!expected a quoted string"},
	{TEXT_PROMETHEUS, "a{9=\"c\"} 1\n", "!expected a label name"},
	{TEXT_PROMETHEUS, "a{b\"c\"} 1\n", "!expected '='"},
	{TEXT_PROMETHEUS, "a{b=\"c\" d=\"e\"} 1\n", "!expected ',' or '}'"},
	{TEXT_PROMETHEUS, "9a 1\n", "!invalid name"},
	{TEXT_PROMETHEUS, "{b=\"c\"} 1\n", "!no metric name"},
	{TEXT_PROMETHEUS, "a{b=\"\xff\"} 1\n", "!invalid UTF-8"},
	{TEXT_PROMETHEUS, "a 1 # {b=\"c\"} 1\n", "!invalid timestamp"},
	{TEXT_OPENMETRICS, "# EOF\n", ""},
	{TEXT_OPENMETRICS, "# EOF", ""},
	{TEXT_OPENMETRICS, "a 1\n", "!does not end with # EOF"},
	{TEXT_OPENMETRICS, "# EOF\na 1\n", "!unexpected data after # EOF"},
	{TEXT_OPENMETRICS, "\n# EOF\n", "!empty line"},
	{TEXT_OPENMETRICS, "a  1\n# EOF\n", "!invalid value"},
	{TEXT_OPENMETRICS, "# TYPE a stateset\n# UNIT a_seconds seconds\n# EOF\n",
	 "T a 7;U a_seconds seconds;"},
	{TEXT_OPENMETRICS, "# TYPE a untyped\n# EOF\n", "!invalid metric type"},
	{TEXT_OPENMETRICS, "a 1 12.3456\n# EOF\n", "__name__=a 1 @12346;"},
	{TEXT_OPENMETRICS, "a_total{b=\"c\"} 17 # {trace_id=\"ab\"} 0.5 1.5\n# EOF\n",
	 "__name__=a_total,b=c 17 x{trace_id=ab}0.5@1500;"},
	{TEXT_OPENMETRICS, "a_total 17 9 # {} 2\n# EOF\n", "__name__=a_total 17 @9000 x{}2;"},
	{TEXT_OPENMETRICS, "a_total 17 # 2\n# EOF\n", "!unexpected text"},
	{TEXT_OPENMETRICS, "a_total 17 # {} x\n# EOF\n", "!invalid value of the exemplar"},
	{TEXT_OPENMETRICS, "#EOF\n", "!expected \"# TYPE\""},
};

static void expositions_are_parsed(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(expositions); i++) {
		struct buf out = {0};
		struct arena arena;
		struct err e = {0};
		int rc;

		arena_init(&arena, NULL);
		rc = parse_all(&out, expositions[i].format, str_from(expositions[i].text), &arena,
			       &e);
		if (expositions[i].result[0] == '!') {
			assert_int_equal(rc, -EBADMSG);
			assert_err_says(&e, expositions[i].result + 1);
		} else {
			assert_ok_err(rc, &e);
			buf_put_char(&out, 0);
			assert_string_equal(out.p, expositions[i].result);
		}
		arena_fini(&arena);
		buf_fini(&out);
	}
}

static void exemplar_labels_are_limited(void **state)
{
	struct scraped_exemplar x;
	struct arena arena;
	char text[200];
	struct err e = {0};

	(void)state;
	arena_init(&arena, NULL);
	snprintf(text, sizeof(text), "{a=\"%0127d\"} 1", 0);
	assert_ok(scraped_exemplar(&x, str_from(text), &arena, NULL));
	snprintf(text, sizeof(text), "{a=\"%0128d\"} 1", 0);
	assert_int_equal(scraped_exemplar(&x, str_from(text), &arena, &e), -EBADMSG);
	assert_err_says(&e, "128");
	arena_fini(&arena);
}

/* ---- relabelling ---- */

static int read_rules(const char *yaml, struct config *config, struct arena *arena,
		      struct relabel_rules *out, struct err *e)
{
	assert_ok(config_init(config, NULL));
	assert_ok_err(config_parse(config, str_from(yaml), "test", NULL, NULL, e), e);
	return relabel_rules_read(config_get(config->root, STR("r")), "test", out, arena, e);
}

static const struct {
	const char *rules, *labels, *result; /* NULL: dropped */
} relabellings[] = {
	{"r: []", "a=1,b=2", "a=1,b=2"},
	{"r: [{source_labels: [a, b], regex: '(.*);(.*)', target_label: c, replacement: '$$2-$1'}]",
	 "a=x,b=y", "a=x,b=y,c=y-x"},
	{"r: [{source_labels: [a], regex: x, target_label: b, replacement: z}]", "a=xx,b=1",
	 "a=xx,b=1"},
	{"r: [{source_labels: [a], regex: 'x|xx', target_label: b, replacement: z}]", "a=xx,b=1",
	 "a=xx,b=z"},
	{"r: [{source_labels: [a], regex: '(?P<n>.)(.)', target_label: 'c_$${n}', replacement: "
	 "'$${2}$$$$1x$${n}$$9'}]",
	 "a=pq", "a=pq,c_p=q$1xp"},
	{"r: [{source_labels: [a], target_label: b, replacement: ''}]", "a=1,b=2", "a=1"},
	{"r: [{target_label: b, replacement: fixed}]", "a=1", "a=1,b=fixed"},
	{"r: [{source_labels: [a, missing], separator: '', target_label: b}]", "a=1", "a=1,b=1"},
	{"r: [{source_labels: [a], regex: 'x.*', action: keep}]", "a=xy", "a=xy"},
	{"r: [{source_labels: [a], regex: 'x', action: Keep}]", "a=xy", NULL},
	{"r: [{source_labels: [a], regex: 'x.', action: drop}]", "a=xy", NULL},
	{"r: [{source_labels: [a], regex: 'x.', action: drop}]", "a=xyz", "a=xyz"},
	{"r: [{source_labels: [a], target_label: b, action: keepequal}]", "a=1,b=1", "a=1,b=1"},
	{"r: [{source_labels: [a], target_label: b, action: keepequal}]", "a=1,b=2", NULL},
	{"r: [{source_labels: [a], target_label: b, action: dropequal}]", "a=1,b=1", NULL},
	{"r: [{source_labels: [a], target_label: b, action: dropequal}]", "a=1,b=2", "a=1,b=2"},
	{"r: [{source_labels: [a, b], target_label: h, action: hashmod, modulus: 1000}]",
	 "a=foo,b=bar", "a=foo,b=bar,h=750"},
	{"r: [{regex: 'm_(.*)', action: labelmap}]", "m_a=1,b=2,m_c=3", "m_a=1,b=2,m_c=3,a=1,c=3"},
	{"r: [{regex: 'm_(.*)', replacement: 'x_$1', action: labelmap}]", "m_a=1", "m_a=1,x_a=1"},
	{"r: [{regex: 'm_.*', action: labeldrop}]", "m_a=1,b=2,m_c=3", "b=2"},
	{"r: [{regex: 'm_.*|b', action: labelkeep}]", "m_a=1,b=2,c=3", "m_a=1,b=2"},
	{"r: [{source_labels: [a], target_label: a, action: lowercase}]", "a=ABc", "a=abc"},
	{"r: [{source_labels: [a], target_label: b, action: uppercase}]", "a=abC", "a=abC,b=ABC"},
};

static void parse_labels(struct prom_labels *l, struct arena *arena, const char *text)
{
	struct str rest = str_from(text);

	*l = (struct prom_labels){0};
	while (rest.n) {
		struct str value = str_cut(&rest, ','), name = str_cut(&value, '=');

		assert_ok(prom_labels_set(l, arena, name, value));
	}
}

static void rules_change_labels(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(relabellings); i++) {
		struct relabel_rules rules;
		struct relabel *relabel;
		struct prom_labels labels;
		struct config config;
		struct arena arena;
		struct buf out = {0};
		struct err e = {0};
		int rc;

		arena_init(&arena, NULL);
		assert_ok_err(read_rules(relabellings[i].rules, &config, &arena, &rules, &e), &e);
		assert_ok_err(relabel_new(&relabel, rules, &e), &e);
		parse_labels(&labels, &arena, relabellings[i].labels);
		rc = relabel_apply(relabel, &labels, &arena, &e);
		assert_int_equal(rc, relabellings[i].result != NULL);
		if (rc) {
			put_labels(&out, &labels);
			buf_put_char(&out, 0);
			assert_string_equal(out.p, relabellings[i].result);
		}
		relabel_free(relabel);
		config_fini(&config);
		arena_fini(&arena);
		buf_fini(&out);
	}
}

static void wrong_rules_are_refused(void **state)
{
	static const char *const rows[][2] = {
		{"r: [{action: nope}]", "unknown relabel action \"nope\""},
		{"r: [{action: replace}]", "requires 'target_label'"},
		{"r: [{action: hashmod, target_label: a}]", "non-zero modulus"},
		{"r: [{action: keep, regex: '('}]", "invalid regular expression"},
		{"r: {action: keep}", "have to be a list"},
		{"r: [{source_label: [a]}]", "did you mean \"source_labels\""},
	};

	(void)state;
	for (size_t i = 0; i < countof(rows); i++) {
		struct relabel_rules rules;
		struct config config;
		struct arena arena;
		struct err e = {0};

		arena_init(&arena, NULL);
		assert_int_equal(read_rules(rows[i][0], &config, &arena, &rules, &e), -EINVAL);
		assert_err_says(&e, rows[i][1]);
		config_fini(&config);
		arena_fini(&arena);
	}
}

/* ---- targets ---- */

/* Make a target of one job; return "labels url", or the error. */
static void make_target(const char *job, const char *address, struct buf *out)
{
	struct prometheus_receiver_settings *s;
	struct relabel *relabel;
	struct config config;
	struct target_spec spec;
	struct arena arena;
	struct err e = {0};
	char yaml[1000];
	int rc;

	arena_init(&arena, NULL);
	s = arena_zalloc(&arena, 1, sizeof(*s));
	snprintf(yaml, sizeof(yaml), "config: {scrape_configs: [{job_name: j, %s}]}", job);
	assert_ok(config_init(&config, NULL));
	assert_ok_err(config_parse(&config, str_from(yaml), "test", NULL, NULL, &e), &e);
	assert_ok_err(settings_read(prometheus_receiver_table, config.root, "test", s, &arena, &e),
		      &e);
	assert_ok_err(prometheus_receiver_check(s, &e), &e);
	assert_ok(relabel_new(&relabel, s->config.jobs.at[0].relabel, &e));
	rc = target_spec_make(&spec, &s->config.jobs.at[0],
			      &(struct discovered_target){.address = str_from(address)}, relabel,
			      &arena, &e);
	if (rc > 0) {
		put_labels(out, &spec.labels);
		buf_printf(out, " %.*s %llums", STR_ARG(spec.url),
			   (unsigned long long)spec.interval_ns / 1000000);
	} else {
		buf_printf(out, "%s", rc ? e.text : "dropped");
	}
	relabel_free(relabel);
	config_fini(&config);
	arena_fini(&arena);
}

static void targets_are_made_of_labels(void **state)
{
	static const char *const rows[][3] = {
		{"scheme: http", "h:1", "instance=h:1,job=j http://h:1/metrics 60000ms"},
		{"scheme: https, metrics_path: /x, params: {a: ['1 2', b], c: [d]}", "h:1",
		 "instance=h:1,job=j https://h:1/x?a=1%202&a=b&c=d 60000ms"},
		{"relabel_configs: [{source_labels: [__address__], target_label: __param_target}, "
		 "{target_label: __address__, replacement: 'probe:9'}, {source_labels: "
		 "[__param_target], target_label: instance}]",
		 "http-site",
		 "instance=http-site,job=j http://probe:9/metrics?target=http-site "
		 "60000ms"},
		{"relabel_configs: [{target_label: __scrape_interval__, replacement: 15s}]", "h:1",
		 "instance=h:1,job=j http://h:1/metrics 15000ms"},
		{"relabel_configs: [{target_label: __scrape_interval__, replacement: 5s}]", "h:1",
		 "scrape timeout \"10000ms\" of a target is greater than its interval"},
		{"relabel_configs: [{action: drop}]", "h:1", "dropped"},
		{"scheme: http", "h/x", "\"h/x\" is not a valid address: write host:port"},
	};

	(void)state;
	for (size_t i = 0; i < countof(rows); i++) {
		struct buf out = {0};

		make_target(rows[i][0], rows[i][1], &out);
		buf_put_char(&out, 0);
		assert_string_equal(out.p, rows[i][2]);
		buf_fini(&out);
	}
}

static void target_files_are_yaml_or_json(void **state)
{
	static const struct {
		const char *text;
		unsigned groups;
		const char *target, *value;
	} rows[] = {
		{"- targets: ['a:1', b:2]\n  labels:\n    x: $y\n", 1, "a:1", "$y"},
		{"---\n# c\n- targets:\n  - a:1\n- targets: [z]\n  labels: {x: 'q'}\n", 2, "a:1",
		 "q"},
		{"[\n{\"targets\": [\"a:1\"],\n\t\"labels\": {\"x\": \"${HOME}\"}}\n]\n", 1, "a:1",
		 "${HOME}"},
		{"[]", 0, NULL, NULL},
		{"", 0, NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < countof(rows); i++) {
		struct target_groups groups;
		struct config config;
		struct err e = {0};

		assert_ok(config_init(&config, NULL));
		assert_ok_err(file_sd_parse(&groups, str_from(rows[i].text), "t", &config, &e), &e);
		assert_int_equal(groups.n, rows[i].groups);
		if (groups.n) {
			const struct target_group *last = &groups.at[groups.n - 1];

			assert_str_equal(groups.at[0].targets.at[0], str_from(rows[i].target));
			assert_str_equal(last->labels.at[0].value, str_from(rows[i].value));
		}
		config_fini(&config);
	}
}

/* Text becomes a batch, with labels of the target and, if wanted, metadata. */
static void text_becomes_a_batch(void **state)
{
	static const struct label target[] = {{STR_INIT("instance"), STR_INIT("i")},
					      {STR_INIT("job"), STR_INIT("j")}};
	struct text_batch_options o = {
		.time = 5000, .labels = target, .label_count = 2, .metadata = true};
	struct metric_batch b;
	struct err e = {0};

	(void)state;
	metric_batch_init(&b, NULL);
	assert_ok_err(
		text_batch_add(&b,
			       STR("# HELP a_total First.\n# TYPE a_total counter\n"
				   "a_total{job=\"mine\",x=\"1\"} 3\na_total{x=\"2\"} 4 7000\n"
				   "# TYPE b gauge\nb 1.5\n"),
			       &o, &e),
		&e);
	assert_ok_err(metric_batch_check(&b, &e), &e);
	assert_int_equal(b.samples.n, 3);
	assert_int_equal(b.samples.at[0].time, 5000);
	assert_int_equal(b.samples.at[1].time, 7000);
	assert_float_equal(metric_value(b.samples.at[2].bits), 1.5, 0);
	assert_true(str_find_str(b.series.at[0], STR("mine")) == b.series.at[0].n);
	assert_int_equal(b.metadata.n, 2);
	assert_str_equal(b.metadata.at[0].help, STR("First."));
	assert_int_equal(b.metadata.at[0].type, METRIC_COUNTER);
	assert_str_equal(b.metadata.at[1].name, STR("b"));
	assert_int_equal(b.metadata.at[1].type, METRIC_GAUGE);
	metric_batch_reset(&b);
	o.metadata = false;
	assert_int_equal(text_batch_add(&b, STR("# TYPE b gauge\nb{ 1\n"), &o, &e), -EBADMSG);
	assert_int_equal(b.metadata.n, 0);
	metric_batch_fini(&b);
}

TEST_MAIN(test(expositions_are_parsed), test(text_becomes_a_batch),
	  test(exemplar_labels_are_limited), test(rules_change_labels),
	  test(wrong_rules_are_refused), test(targets_are_made_of_labels),
	  test(target_files_are_yaml_or_json))
