/* SPDX-License-Identifier: Apache-2.0 */
/* Options of libvarve from code, environment and file: defaults, precedence, errors. */
#include "sdk/options.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "sdk/debug/debug_control.h"
#include "test/test.h"
#include "wire/control_message.h"

/* Variables of the tests' environment must not be read. */
static int environment_setup(void **state)
{
	(void)state;
	for (size_t i = 0; i < sdk_option_count; i++) {
		if (sdk_option_table[i].env)
			unsetenv(sdk_option_table[i].env);
		if (sdk_option_table[i].otel_env)
			unsetenv(sdk_option_table[i].otel_env);
	}
	return 0;
}

static int environment_teardown(void **state)
{
	return environment_setup(state);
}

static void load(struct sdk_options *s, const struct varve_options *code, const char *file)
{
	struct err e = {0};

	assert_ok_err(sdk_options_load(s, code, str_from(file), "test.yaml", &e), &e);
}

static void refused(const struct varve_options *code, const char *file, const char *says)
{
	struct sdk_options s;
	struct err e = {0};

	assert_int_equal(sdk_options_load(&s, code, str_from(file), "test.yaml", &e), -EINVAL);
	assert_err_says(&e, says);
	sdk_options_fini(&s);
}

static void no_options_are_the_defaults(void **state)
{
	struct sdk_options s;

	(void)state;
	load(&s, NULL, "");
	assert_int_equal(s.o.profiles, VARVE_CPU | VARVE_HEAP);
	assert_int_equal(s.o.cpu_hz, 100);
	assert_int_equal(s.o.wall_hz, 20);
	assert_int_equal(s.o.heap_interval, 512 << 10);
	assert_int_equal(s.o.block_interval_ns, 10000);
	assert_int_equal(s.o.export_interval_ms, 10000);
	assert_int_equal(s.o.max_stack_depth, 128);
	assert_int_equal(s.o.max_samples_per_export, 10000);
	assert_int_equal(s.o.max_profile_size, 10000000);
	assert_int_equal(s.o.protocol, VARVE_PROTOCOL_HTTP);
	assert_int_equal(s.o.sampler, VARVE_SAMPLER_PARENT_ALWAYS_ON);
	assert_int_equal(s.o.conditional, 0);
	assert_int_equal(s.o.slow_span_ms, 1000);
	assert_true(s.o.busy_span_share == 0.8);
	assert_true(s.o.guards.load_threshold == 0.8);
	assert_int_equal(s.o.guards.floor_hz, 10);
	assert_true(s.o.guards.overhead_target == 0.01);
	assert_true(s.o.guards.max_cpu == 0.05);
	assert_int_equal(s.o.guards.max_memory, 200000000);
	assert_int_equal(s.o.guards.max_per_minute, 10);
	assert_int_equal(s.o.guards.max_seconds, 30);
	assert_true(s.o.guards.shed_cpu == 0.9);
	assert_null(s.o.listen);
	sdk_options_fini(&s);
}

static void the_example_of_the_guide_is_valid(void **state)
{
	struct sdk_options s;

	(void)state;
	load(&s, NULL,
	     "profiling:\n"
	     "  cpu: { enabled: true, sample_rate: 100 }\n"
	     "  memory: { enabled: true, sample_rate: 512KB }\n"
	     "  conditional: { slow_request_threshold: 1s, cpu_threshold_percent: 80, "
	     "profile_errors: true }\n"
	     "  max_stack_depth: 64\n"
	     "  max_profile_size: 10MB\n"
	     "  upload_interval: 10s\n"
	     "  load_shedding: { enabled: true, cpu_threshold: 90% }\n");
	assert_int_equal(s.o.profiles & 0xff, VARVE_CPU | VARVE_HEAP);
	assert_int_equal(s.o.cpu_hz, 100);
	assert_int_equal(s.o.heap_interval, 512000);
	assert_int_equal(s.o.conditional, 1);
	assert_int_equal(s.o.slow_span_ms, 1000);
	assert_true(s.o.busy_span_share == 0.8);
	assert_int_equal(s.o.max_stack_depth, 64);
	assert_int_equal(s.o.max_profile_size, 10000000);
	assert_int_equal(s.o.export_interval_ms, 10000);
	assert_int_equal(s.o.guards.load_shedding, 1);
	assert_true(s.o.guards.shed_cpu > 0.899 && s.o.guards.shed_cpu < 0.901);
	sdk_options_fini(&s);
}

static void indents_comments_and_quotes_are_accepted(void **state)
{
	struct sdk_options s;

	(void)state;
	load(&s, NULL,
	     "---\n"
	     "# a comment\n"
	     "service:\n"
	     "    name: \"the: shop, {v2}\"   # with a comment\n"
	     "    version: 'v2'\n"
	     "export: {endpoint: http://10.0.0.1:4318, headers: \"authorization=Bearer x,a=b\"}\n"
	     "\n"
	     "profiling:\r\n"
	     "  cpu:\r\n"
	     "    enabled: false\r\n"
	     "    sample_rate: 19\r\n"
	     "  wall: {enabled: true}\n"
	     "  conditional:\n"
	     "    enabled: false\n"
	     "    slow_request_threshold: 250ms\n"
	     "endpoints: { listen: 127.0.0.1:6060 }\n"
	     "tracing:\n"
	     "  enabled: false\n"
	     "  sampler: parentbased_traceidratio\n"
	     "  sampler_ratio: 0.25");
	assert_string_equal(s.o.service_name, "the: shop, {v2}");
	assert_string_equal(s.o.service_version, "v2");
	assert_string_equal(s.o.endpoint, "http://10.0.0.1:4318");
	assert_string_equal(s.o.headers, "authorization=Bearer x,a=b");
	assert_string_equal(s.o.listen, "127.0.0.1:6060");
	assert_int_equal(s.o.profiles & 0xff, VARVE_HEAP | VARVE_WALL);
	assert_int_equal(s.o.cpu_hz, 19);
	assert_int_equal(s.o.conditional, 0);
	assert_int_equal(s.o.slow_span_ms, 250);
	assert_int_equal(s.o.no_traces, 1);
	assert_int_equal(s.o.sampler, VARVE_SAMPLER_PARENT_RATIO);
	assert_true(s.o.sampler_ratio == 0.25);
	sdk_options_fini(&s);
}

static void all_profiles_can_be_disabled(void **state)
{
	struct sdk_options s;

	(void)state;
	load(&s, NULL, "profiling: {cpu: {enabled: false}, memory: {enabled: false}}\n");
	assert_int_equal(s.o.profiles & 0xff, 0);
	sdk_options_fini(&s);
}

static void code_overrides_environment_overrides_file(void **state)
{
	struct varve_options code = {.cpu_hz = 11};
	struct sdk_options s;

	(void)state;
	setenv("VARVE_CPU_HZ", "22", 1);
	setenv("VARVE_WALL_HZ", "23", 1);
	setenv("OTEL_SERVICE_NAME", "from-environment", 1);
	load(&s, &code,
	     "profiling: {cpu: {sample_rate: 33}, wall: {sample_rate: 34}, max_stack_depth: 65}\n"
	     "service: {name: from-file}\n");
	assert_int_equal(s.o.cpu_hz, 11);
	assert_int_equal(s.o.wall_hz, 23);
	assert_int_equal(s.o.max_stack_depth, 65);
	assert_string_equal(s.o.service_name, "from-environment");
	sdk_options_fini(&s);
}

static void our_variables_override_those_of_opentelemetry(void **state)
{
	struct sdk_options s;

	(void)state;
	setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://otel:4318", 1);
	setenv("VARVE_ENDPOINT", "http://varve:4318", 1);
	setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", 1);
	setenv("OTEL_TRACES_SAMPLER", "traceidratio", 1);
	setenv("OTEL_TRACES_SAMPLER_ARG", "0.5", 1);
	setenv("VARVE_PROFILES", "cpu, locks,wall", 1);
	setenv("VARVE_METRICS", "0", 1);
	load(&s, NULL, "");
	assert_string_equal(s.o.endpoint, "http://varve:4318");
	assert_int_equal(s.o.protocol, VARVE_PROTOCOL_GRPC);
	assert_int_equal(s.o.sampler, VARVE_SAMPLER_RATIO);
	assert_true(s.o.sampler_ratio == 0.5);
	assert_int_equal(s.o.profiles, VARVE_CPU | VARVE_MUTEX | VARVE_BLOCK | VARVE_WALL);
	assert_int_equal(s.o.no_metrics, 1);
	sdk_options_fini(&s);
}

/* The variables of OpenTelemetry for what was added last; the others are above. */
static void variables_of_opentelemetry_apply(void **state)
{
	struct sdk_options s;

	(void)state;
	setenv("OTEL_TRACES_EXPORTER", "none", 1);
	setenv("OTEL_METRICS_EXPORTER", "prometheus", 1); /* for another library */
	setenv("OTEL_LOGS_EXPORTER", "otlp", 1);
	setenv("OTEL_METRIC_EXPORT_INTERVAL", "60000", 1);
	setenv("OTEL_METRICS_EXEMPLAR_FILTER", "always_off", 1);
	setenv("OTEL_PROPAGATORS", "tracecontext,b3", 1);
	setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "2500", 1);
	setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none", 1);
	setenv("OTEL_SDK_DISABLED", "true", 1);
	load(&s, NULL, "");
	assert_int_equal(s.o.no_traces, 1);
	assert_int_equal(s.o.no_metrics, 1);
	assert_int_equal(s.o.no_logs, 0);
	assert_int_equal(s.o.metric_interval_ms, 60000);
	assert_int_equal(s.o.exemplars, VARVE_EXEMPLARS_ALWAYS_OFF);
	assert_int_equal(s.o.propagators, VARVE_PROPAGATE_TRACECONTEXT | VARVE_PROPAGATE_B3);
	assert_int_equal(s.o.timeout_ms, 2500);
	assert_int_equal(s.o.no_compression, 1);
	assert_int_equal(s.o.disabled, 1);
	sdk_options_fini(&s);
	setenv("OTEL_LOGS_EXPORTER", "fax", 1);
	refused(NULL, "", "OTEL_LOGS_EXPORTER: cannot read \"fax\"");
}

static const char *const pyroscope_variables[] = {
	"PYROSCOPE_SERVER_ADDRESS",	 "PYROSCOPE_APPLICATION_NAME", "PYROSCOPE_LABELS",
	"PYROSCOPE_AUTH_TOKEN",		 "PYROSCOPE_BASIC_AUTH_USER",  "PYROSCOPE_TENANT_ID",
	"PYROSCOPE_BASIC_AUTH_PASSWORD", "PYROSCOPE_UPLOAD_INTERVAL"};

static void variables_of_pyroscope_apply_when_nothing_else_does(void **state)
{
	struct varve_options code = {.endpoint = "http://here:4318"};
	struct sdk_options s;

	(void)state;
	setenv("PYROSCOPE_SERVER_ADDRESS", "http://pyroscope:4040", 1);
	setenv("PYROSCOPE_APPLICATION_NAME", "shop", 1);
	setenv("PYROSCOPE_LABELS", "region=eu,tier=1", 1);
	setenv("PYROSCOPE_BASIC_AUTH_USER", "me", 1);
	setenv("PYROSCOPE_BASIC_AUTH_PASSWORD", "secret", 1);
	setenv("PYROSCOPE_TENANT_ID", "t1", 1);
	setenv("PYROSCOPE_UPLOAD_INTERVAL", "15s", 1);
	load(&s, NULL, "");
	assert_string_equal(s.o.endpoint, "http://pyroscope:4040");
	assert_int_equal(s.o.protocol, VARVE_PROTOCOL_PYROSCOPE);
	assert_string_equal(s.o.service_name, "shop");
	assert_string_equal(s.o.resource_attributes, "region=eu,tier=1");
	assert_int_equal(s.o.export_interval_ms, 15000);
	/* "Basic bWU6c2VjcmV0", and the tenant */
	assert_string_equal(s.o.headers, "authorization=%42%61%73%69%63%20%62%57%55%36%63%32%56%6A"
					 "%63%6D%56%30,x-scope-orgid=%74%31");
	sdk_options_fini(&s);
	setenv("PYROSCOPE_AUTH_TOKEN", "a", 1);
	load(&s, NULL, "");
	assert_non_null(strstr(s.o.headers, "authorization=%42%65%61%72%65%72%20%61,"));
	sdk_options_fini(&s);
	load(&s, &code, ""); /* another endpoint: none of them applies */
	assert_int_equal(s.o.protocol, VARVE_PROTOCOL_HTTP);
	assert_null(s.o.headers);
	sdk_options_fini(&s);
	setenv("PYROSCOPE_UPLOAD_INTERVAL", "soon", 1);
	refused(NULL, "", "PYROSCOPE_UPLOAD_INTERVAL");
	for (size_t i = 0; i < countof(pyroscope_variables); i++)
		unsetenv(pyroscope_variables[i]);
}

static void strings_are_copied(void **state)
{
	char name[] = "checkout";
	struct varve_options code = {.service_name = name};
	struct sdk_options s;

	(void)state;
	load(&s, &code, "");
	memset(name, 'x', sizeof(name) - 1);
	assert_string_equal(s.o.service_name, "checkout");
	sdk_options_fini(&s);
}

static void numbers_out_of_range_are_rejected_by_name(void **state)
{
	struct varve_options code = {.cpu_hz = 1001};

	(void)state;
	refused(&code, "", "profiling.cpu.sample_rate: 1001 is not between 1 and 1000");
	code = (struct varve_options){.max_stack_depth = 63};
	refused(&code, "", "profiling.max_stack_depth: 63 is not between 64 and 512");
	code = (struct varve_options){.guards = {.shed_cpu = 1.5}};
	refused(&code, "", "profiling.load_shedding.cpu_threshold: 1.5");
	setenv("VARVE_CPU_HZ", "0", 1);
	refused(NULL, "", "VARVE_CPU_HZ: 0 is not between 1 and 1000");
	setenv("VARVE_CPU_HZ", "fast", 1);
	refused(NULL, "", "VARVE_CPU_HZ: cannot read \"fast\"");
	setenv("VARVE_CPU_HZ", "100", 1);
	setenv("VARVE_PROFILES", "cpu,unknown", 1);
	refused(NULL, "", "VARVE_PROFILES: cannot read \"cpu,unknown\"");
	setenv("VARVE_PROFILES", "cpu", 1);
	refused(NULL,
		"profiling:\n  cpu:\n    enabled: true\n    sample_rate: 1000\n\n  wall: "
		"{sample_rate: 0}\n",
		"test.yaml:6: profiling.wall.sample_rate: 0 is not between 1 and 1000");
}

/* Invalid options, and the error texts. */
static const struct {
	const char *file, *says;
} wrong[] = {
	{"profiling:\n  cpu: {enabled: maybe}\n",
	 "test.yaml:2: expected true or false, found \"maybe\""},
	{"profiling:\n\n  cpus: {enabled: true}\n",
	 "test.yaml:3: unknown option \"profiling.cpus\""},
	{"profiling\n", "test.yaml:1: expected key: value, found \"profiling\""},
	{"- a\n", "test.yaml:1: expected key: value, found \"- a\""},
	{"profiling:\n\tcpu: 1\n", "test.yaml:2: tabs are not allowed for indentation"},
	{"service: {name: [a]}\n",
	 "test.yaml:1: lists, anchors, tags and multi-line text are not supported"},
	{"service:\n  name: |\n    text\n", "test.yaml:2: lists, anchors"},
	{"service: {name: \"a}\n", "test.yaml:1: unterminated quote"},
	{"service: {name: 'a' b}\n", "test.yaml:1: unexpected text after the value"},
	{"service: {name: a\n", "test.yaml:1: "},
	{"service: {name a}\n", "test.yaml:1: expected key: value"},
	{"service: {name: a} x\n", "test.yaml:1: unexpected text after a brace"},
	{"profiling: {max_profile_size: 10XB}\n",
	 "test.yaml:1: profiling.max_profile_size: cannot read the value \"10XB\""},
	{"profiling: {upload_interval: soon}\n",
	 "test.yaml:1: profiling.upload_interval: cannot read the value \"soon\""},
	{"profiling: {upload_interval: nan}\n", "test.yaml:1: "},
	{"profiling: {upload_interval: 1e999}\n", "test.yaml:1: "},
	{"a: {b: {c: {d: {e: {f: {g: {h: {i: {j: 1}}}}}}}}}}\n",
	 "test.yaml:1: unknown option \"a\""},
	{"a:\n b:\n  c:\n   d:\n    e:\n     f:\n      g:\n       h:\n        i:\n",
	 "test.yaml:1: unknown option \"a\""},
};

static void each_error_has_its_line_and_the_value(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(wrong); i++)
		refused(NULL, wrong[i].file, wrong[i].says);
}

static void a_key_of_any_length_is_accepted_or_rejected(void **state)
{
	struct buf file = {0};

	(void)state;
	for (unsigned i = 0; i < 300; i++)
		buf_put_char(&file, 'k');
	buf_printf(&file, ": 1\n");
	buf_put_char(&file, 0);
	refused(NULL, file.p, "test.yaml:1: key too long");
	buf_fini(&file);
}

static const struct {
	const char *path, *text;
	double value;
} readings[] = {
	{"profiling.max_profile_size", "512 KiB", 524288},
	{"profiling.max_profile_size", "1e6", 1e6},
	{"profiling.max_profile_size", "4096b", 4096},
	{"profiling.memory.sample_rate", "1GB", 1e9},
	{"profiling.upload_interval", "500", 500},
	{"profiling.upload_interval", "1.5s", 1500},
	{"profiling.upload_interval", "2m", 120000},
	{"profiling.upload_interval", "1h", 3600000},
	{"profiling.block.sample_rate", "10us", 10000},
	{"profiling.block.sample_rate", "1ms", 1000000},
	{"profiling.conditional.slow_request_threshold", "100ms", 100},
};

static void sizes_and_times_have_units(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(readings); i++) {
		const struct option_row *row = sdk_option_named(readings[i].path);
		struct sdk_options s = {0};
		uint64_t value;

		arena_init(&s.arena, NULL);
		assert_non_null(row);
		assert_ok(sdk_option_read(&s, row, str_from(readings[i].text)));
		memcpy(&value, (char *)&s.o + row->offset, sizeof(value));
		assert_int_equal(value, (uint64_t)readings[i].value);
		sdk_options_fini(&s);
	}
}

static void every_option_has_a_path_a_name_and_help(void **state)
{
	(void)state;
	for (size_t i = 0; i < sdk_option_count; i++) {
		const struct option_row *row = &sdk_option_table[i];

		assert_ptr_equal(sdk_option_named(row->path), row); /* paths are unique */
		assert_true(row->env || row->otel_env);
		assert_true(row->help && *row->help);
		if (row->low < row->high)
			assert_true(row->fallback >= row->low && row->fallback <= row->high);
	}
}

static void profile_names_are_parsed(void **state)
{
	(void)state;
	for (unsigned bits = 1; bits < 0x100; bits++) {
		struct sdk_options s = {0};
		struct buf text = {0};

		unsigned read = 0;

		sdk_profile_names(&text, bits);
		assert_ok(control_kinds_read(buf_str(&text), &read)); /* the same names */
		assert_int_equal(read, bits);
		assert_ok(sdk_option_read(&s, sdk_option_named("profiling.profiles"),
					  buf_str(&text)));
		assert_int_equal(s.o.profiles, bits);
		buf_fini(&text);
	}
}

/* Write a value of the row's type that is not its default. */
static void other_value(const struct option_row *row, char out[64])
{
	double middle = row->low < row->high ? row->low + 1 : 4096;

	switch (row->type) {
	case OPTION_TEXT:
		snprintf(out, 64, "127.0.0.1:1");
		break;
	case OPTION_FLAG:
		snprintf(out, 64, "true");
		break;
	case OPTION_OFF_FLAG:
		snprintf(out, 64, "false");
		break;
	case OPTION_SHARE:
		snprintf(out, 64, "0"); /* zero is a valid value */
		break;
	case OPTION_PROFILES:
		snprintf(out, 64, "wall");
		break;
	case OPTION_PROTOCOL:
		snprintf(out, 64, "grpc");
		break;
	case OPTION_CONTROL:
		snprintf(out, 64, "off");
		break;
	case OPTION_SAMPLER:
	case OPTION_EXEMPLARS:
		snprintf(out, 64, "always_off");
		break;
	case OPTION_SEVERITY:
		snprintf(out, 64, "error");
		break;
	case OPTION_PROPAGATORS:
		snprintf(out, 64, "b3,b3multi");
		break;
	default:
		snprintf(out, 64, "%.0f", middle == row->fallback ? middle + 1 : middle);
		break;
	}
}

/* The same in the words of OpenTelemetry's variables, where they differ. */
static void standard_value(const struct option_row *row, char out[64])
{
	if (row->type == OPTION_OFF_FLAG)
		snprintf(out, 64, "none");
	else if (!strcmp(row->path, "service.attributes") || !strcmp(row->path, "export.headers"))
		snprintf(out, 64, "a=b");
}

/* Return true if the row's field differs between two sets of options. */
static bool differs(const struct option_row *row, const struct sdk_options *a,
		    const struct sdk_options *b)
{
	const char *x = (const char *)&a->o + row->offset, *y = (const char *)&b->o + row->offset;

	if (row->type == OPTION_TEXT)
		return *(const char *const *)x != *(const char *const *)y;
	return memcmp(x, y, row->type == OPTION_SHARE ? sizeof(double) : sizeof(unsigned)) != 0;
}

/* Each key of the table sets its field, from a file and from both variables. */
static void every_option_sets_its_field(void **state)
{
	struct sdk_options usual, s;

	(void)state;
	load(&usual, NULL, "");
	for (size_t i = 0; i < sdk_option_count; i++) {
		const struct option_row *row = &sdk_option_table[i];
		struct str path = str_from(row->path), part;
		struct buf file = {0};
		char value[64];
		int depth = 0;

		other_value(row, value);
		while ((part = str_cut(&path, '.')).n)
			buf_printf(&file, "%s%*s%.*s:", depth ? "\n" : "", 2 * depth, "",
				   STR_ARG(part)),
				depth++;
		buf_printf(&file, " %s\n", value);
		buf_put_char(&file, 0);
		load(&s, NULL, file.p);
		if (!differs(row, &usual, &s))
			fail_msg("%s: %s in a file has no effect", row->path, value);
		sdk_options_fini(&s);
		buf_fini(&file);
		for (unsigned k = 0; k < 2; k++) {
			const char *name = k ? row->otel_env : row->env;

			if (!name)
				continue;
			if (k)
				standard_value(row, value);
			setenv(name, value, 1);
			load(&s, NULL, "");
			unsetenv(name);
			if (!differs(row, &usual, &s))
				fail_msg("%s=%s has no effect", name, value);
			sdk_options_fini(&s);
		}
	}
	sdk_options_fini(&usual);
}

static void profile_switches_have_their_effect(void **state)
{
	static const struct {
		const char *file;
		unsigned profiles;
	} cases[] = {
		{"profiling: { enabled: false }\n", 0},
		{"profiling: { enabled: off, cpu: { enabled: true } }\n", 0},
		{"profiling: { enabled: true }\n", VARVE_CPU | VARVE_HEAP},
		{"profiling: { cpu: { enabled: no } }\n", VARVE_HEAP},
		{"profiling: { cpu: { enabled: false }, heap: { enabled: false } }\n", 0},
		{"profiling: { profiles: cpu, wall: { enabled: true } }\n", VARVE_CPU | VARVE_WALL},
		{"profiling: { mutex: { enabled: true }, block: { enabled: true } }\n",
		 VARVE_CPU | VARVE_HEAP | VARVE_MUTEX | VARVE_BLOCK},
		{"profiling: { threads: { enabled: true }, threadcreate: { enabled: true } }\n",
		 VARVE_CPU | VARVE_HEAP | VARVE_THREADS | VARVE_THREADCREATE},
		{"profiling: { mmap: { enabled: true }, memory: { enabled: false } }\n",
		 VARVE_CPU | VARVE_MMAP},
	};
	struct sdk_options s;

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		load(&s, NULL, cases[i].file);
		assert_int_equal(s.o.profiles, cases[i].profiles);
		sdk_options_fini(&s);
	}
	load(&s, NULL, "profiling: { conditional: { profile_errors: false } }\n");
	assert_int_equal(s.o.conditional, 1);
	assert_int_equal(s.o.no_failed_spans, 1);
	sdk_options_fini(&s);
	/* the environment overrides the file, also to disable */
	setenv("VARVE_CONDITIONAL", "0", 1);
	load(&s, NULL, "profiling: { conditional: { enabled: true, profile_errors: true } }\n");
	unsetenv("VARVE_CONDITIONAL");
	assert_int_equal(s.o.conditional, 0);
	sdk_options_fini(&s);
}

static void a_typo_is_reported_with_its_line_and_a_suggestion(void **state)
{
	static const char *const cases[][2] = {
		{"profiling:\n  cpu: { sample_rte: 50 }\n",
		 "x:2: unknown option \"profiling.cpu.sample_rte\"; did you mean "
		 "\"profiling.cpu.sample_rate\"?"},
		{"\nprofilling:\n  enabled: true\n",
		 "x:2: unknown option \"profilling\"; did you mean \"profiling\"?"},
		{"something: else\n", "x:1: unknown option \"something\""},
		{"profiling:\n  cpu: { sample_rate: fast }\n",
		 "x:2: profiling.cpu.sample_rate: cannot read the value \"fast\""},
		/* accepted without an effect */
		{"profiling:\n  cpu: { sample_rate: 50 }\n  cpu:\n    sample_rate: 60\n",
		 "x:4: profiling.cpu.sample_rate is set twice"},
		{"profiling: { cpu: { enabled: true }, cpu: { enabled: false } }\n",
		 "x:1: profiling.cpu.enabled is set twice"},
		{"profiling: { heap: { sample_rate: 1KB }, memory: { sample_rate: 2KB } }\n",
		 "x:1: profiling.memory.sample_rate is set twice"},
		{"service:\n  name:\n", "x:2: service.name: expected a value"},
		{"profiling:\n  cpu: {}\n  gpu: {}\n",
		 "x:3: unknown option \"profiling.gpu\"; did you mean \"profiling.cpu\"?"},
		{"profilling:\n",
		 "x:1: unknown option \"profilling\"; did you mean \"profiling\"?"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct sdk_options s;
		struct err e = {0};

		assert_int_equal(sdk_options_load(&s, NULL, str_from(cases[i][0]), "x", &e),
				 -EINVAL);
		assert_string_equal(e.text, cases[i][1]);
		sdk_options_fini(&s);
	}
}

static void run_time_settings_are_a_form_or_json(void **state)
{
	static const struct {
		const char *text, *why;
		unsigned profiles, hz;
	} cases[] = {
		{"", NULL, VARVE_HEAP, 0},
		{"profiles=cpu,wall&cpu_hz=50", NULL, VARVE_CPU | VARVE_WALL, 50},
		{"profiles=cpu%2Cwall", NULL, VARVE_CPU | VARVE_WALL, 0},
		{"enabled=false", NULL, 0, 0},
		{"{}", NULL, VARVE_HEAP, 0},
		{" {\"profiles\": \"cpu,wall\", \"cpu_hz\": 50}\n", NULL, VARVE_CPU | VARVE_WALL,
		 50},
		{"{\"cpu_hz\":7,\"profiles\":[\"cpu\" , \"block\"]}", NULL, VARVE_CPU | VARVE_BLOCK,
		 7},
		{"{\"profiles\":[],\"enabled\":true}", NULL, 0, 0},
		{"profile=cpu", "unknown setting \"profile\"", 0, 0},
		{"cpu", "expected key=value or JSON", 0, 0},
		{"profiles=gpu", "profiles: \"gpu\"", 0, 0},
		{"cpu_hz=5000", "cpu_hz: \"5000\": expected 1 to 1000", 0, 0},
		{"{\"hz\":50}", "unknown setting \"hz\"", 0, 0},
		{"{\"cpu_hz\":-1}", "cpu_hz: \"-1\"", 0, 0},
		{"{\"cpu_hz\":50", "JSON: expected , or }", 0, 0},
		{"{\"cpu_hz\" 50}", "JSON: expected :", 0, 0},
		{"{\"profiles\":[\"cpu\"", "JSON: expected , or ]", 0, 0},
		{"{\"profiles\":\"c\\u0070u\"}", "JSON: expected a string without escapes", 0, 0},
		{"{\"cpu_hz\":50} x", "JSON: expected the end", 0, 0},
		{"{cpu_hz:50}", "JSON: expected a string", 0, 0},
		{"{\"enabled\":maybe}", "enabled: \"maybe\"", 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct varve_options o = {.profiles = VARVE_HEAP};
		struct debug_control c;
		struct err e = {0};
		int rc = debug_control_read(&c, str_from(cases[i].text), &e);

		if (cases[i].why) {
			assert_int_equal(rc, -EINVAL);
			assert_err_says(&e, cases[i].why);
			debug_control_fini(&c);
			continue;
		}
		assert_ok_err(rc, &e);
		debug_control_copy(&c, &o);
		if (c.enabled == DEBUG_DISABLE)
			o.profiles = 0;
		assert_int_equal(o.profiles, cases[i].profiles);
		assert_int_equal(o.cpu_hz, cases[i].hz);
		debug_control_fini(&c);
	}
}

static void the_grpc_port_selects_grpc(void **state)
{
	static const struct {
		const char *endpoint;
		enum varve_protocol said, used;
	} cases[] = {
		{"http://collector:4317", VARVE_PROTOCOL_DEFAULT, VARVE_PROTOCOL_GRPC},
		{"https://[::1]:4317/prefix", VARVE_PROTOCOL_DEFAULT, VARVE_PROTOCOL_GRPC},
		{"collector:4317", VARVE_PROTOCOL_DEFAULT, VARVE_PROTOCOL_GRPC},
		{"http://collector:4317", VARVE_PROTOCOL_HTTP, VARVE_PROTOCOL_HTTP},
		{"http://collector:4318", VARVE_PROTOCOL_DEFAULT, VARVE_PROTOCOL_HTTP},
		{"http://collector:4318", VARVE_PROTOCOL_GRPC, VARVE_PROTOCOL_GRPC},
		{"http://collector", VARVE_PROTOCOL_DEFAULT, VARVE_PROTOCOL_HTTP},
		{NULL, VARVE_PROTOCOL_DEFAULT, VARVE_PROTOCOL_HTTP},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct varve_options o = {.endpoint = cases[i].endpoint, .protocol = cases[i].said};
		struct sdk_options s;

		assert_ok(sdk_options_load(&s, &o, (struct str){0}, NULL, NULL));
		assert_int_equal(s.o.protocol, cases[i].used);
		sdk_options_fini(&s);
	}
}

TEST_MAIN(test(the_grpc_port_selects_grpc), test(every_option_sets_its_field),
	  test(profile_switches_have_their_effect),
	  test(a_typo_is_reported_with_its_line_and_a_suggestion),
	  test(run_time_settings_are_a_form_or_json),
	  test_with(environment, no_options_are_the_defaults),
	  test_with(environment, the_example_of_the_guide_is_valid),
	  test_with(environment, indents_comments_and_quotes_are_accepted),
	  test_with(environment, all_profiles_can_be_disabled),
	  test_with(environment, code_overrides_environment_overrides_file),
	  test_with(environment, our_variables_override_those_of_opentelemetry),
	  test_with(environment, variables_of_opentelemetry_apply),
	  test_with(environment, variables_of_pyroscope_apply_when_nothing_else_does),
	  test_with(environment, strings_are_copied),
	  test_with(environment, numbers_out_of_range_are_rejected_by_name),
	  test_with(environment, each_error_has_its_line_and_the_value),
	  test_with(environment, a_key_of_any_length_is_accepted_or_rejected),
	  test_with(environment, sizes_and_times_have_units),
	  test_with(environment, every_option_has_a_path_a_name_and_help),
	  test_with(environment, profile_names_are_parsed))
