/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options, and reading them from code and environment. */
#include "sdk/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "sdk/export/http_client.h"
#include "sdk/options_file.h"
#include "sdk/options_pyroscope.h"

#define AT(field) offsetof(struct varve_options, field)
#define GUARD(field) offsetof(struct varve_options, guards.field)
#define MB 1e6

/* Each option once: key in a file, environment variables, type, field, range, default, help. */
const struct option_row sdk_option_table[] = {
	{"service.name", "VARVE_SERVICE_NAME", "OTEL_SERVICE_NAME", OPTION_TEXT, AT(service_name),
	 0, 0, 0, "name of the service; default: the program's name"},
	{"service.version", "VARVE_SERVICE_VERSION", NULL, OPTION_TEXT, AT(service_version), 0, 0,
	 0, "version of the service"},
	{"service.attributes", NULL, "OTEL_RESOURCE_ATTRIBUTES", OPTION_TEXT,
	 AT(resource_attributes), 0, 0, 0, "further resource attributes: key=value,key=value"},
	{"export.endpoint", "VARVE_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT", OPTION_TEXT,
	 AT(endpoint), 0, 0, 0, "where exports are sent; default: http://127.0.0.1:4318"},
	{"export.protocol", "VARVE_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL", OPTION_PROTOCOL,
	 AT(protocol), 0, 0, VARVE_PROTOCOL_DEFAULT,
	 "http/protobuf, grpc or pyroscope; default: by the endpoint's port, grpc for 4317"},
	{"export.headers", "VARVE_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS", OPTION_TEXT, AT(headers),
	 0, 0, 0, "headers of each request: key=value,key=value"},
	{"export.directory", "VARVE_DIRECTORY", NULL, OPTION_TEXT, AT(directory), 0, 0, 0,
	 "write files to this directory instead of sending"},
	{"export.key_file", "VARVE_KEY_FILE", NULL, OPTION_TEXT, AT(key_file), 0, 0, 0,
	 "encrypt files, and bodies that are sent, with the key of this file"},
	{"profiling.profiles", "VARVE_PROFILES", NULL, OPTION_PROFILES, AT(profiles), 0, 0,
	 VARVE_CPU | VARVE_HEAP, "cpu, heap, mutex, block, wall, threads, threadcreate, mmap"},
	{"profiling.cpu.sample_rate", "VARVE_CPU_HZ", NULL, OPTION_COUNT, AT(cpu_hz), 1, 1000, 100,
	 "CPU samples per second and thread"},
	{"profiling.wall.sample_rate", "VARVE_WALL_HZ", NULL, OPTION_COUNT, AT(wall_hz), 1, 1000,
	 20, "wall-clock samples per second and thread"},
	{"profiling.memory.sample_rate", "VARVE_HEAP_INTERVAL", NULL, OPTION_BYTES,
	 AT(heap_interval), 1, 1e12, 512 * 1024, "mean bytes between two heap samples"},
	{"profiling.block.sample_rate", "VARVE_BLOCK_INTERVAL", NULL, OPTION_NS,
	 AT(block_interval_ns), 1, 1e12, 10000,
	 "waits of at least this length are always recorded"},
	{"profiling.upload_interval", "VARVE_EXPORT_INTERVAL", NULL, OPTION_MS,
	 AT(export_interval_ms), 100, 3600e3, 10000, "time between two exports"},
	{"profiling.max_stack_depth", "VARVE_MAX_STACK_DEPTH", NULL, OPTION_COUNT,
	 AT(max_stack_depth), 64, 512, 128, "maximum frames of a stack"},
	{"profiling.max_samples_per_export", "VARVE_MAX_SAMPLES", NULL, OPTION_COUNT,
	 AT(max_samples_per_export), 16, 1e7, 10000, "maximum distinct samples of a profile"},
	{"profiling.max_profile_size", "VARVE_MAX_PROFILE_SIZE", NULL, OPTION_BYTES,
	 AT(max_profile_size), 4096, 1e9, 10 * MB, "maximum encoded bytes of a profile"},
	{"export.max_buffer", "VARVE_MAX_BUFFER", NULL, OPTION_BYTES, AT(max_buffer), 4096, 1e10,
	 16 * MB, "maximum bytes waiting to be sent"},
	{"tracing.sampler", "VARVE_SAMPLER", "OTEL_TRACES_SAMPLER", OPTION_SAMPLER, AT(sampler), 0,
	 0, VARVE_SAMPLER_PARENT_ALWAYS_ON, "always_on, traceidratio, parentbased_always_on, ..."},
	{"tracing.sampler_ratio", "VARVE_SAMPLER_RATIO", "OTEL_TRACES_SAMPLER_ARG", OPTION_SHARE,
	 AT(sampler_ratio), 0, 1, 1, "share of traces that is sampled"},
	{"profiling.conditional.enabled", "VARVE_CONDITIONAL", NULL, OPTION_FLAG, AT(conditional),
	 0, 0, 0, "keep only samples of slow, busy or failed spans"},
	{"profiling.conditional.slow_request_threshold", "VARVE_SLOW_SPAN", NULL, OPTION_MS,
	 AT(slow_span_ms), 1, 1e9, 1000, "a span is slow if it takes longer than this"},
	{"profiling.conditional.cpu_threshold_percent", "VARVE_BUSY_SPAN", NULL, OPTION_SHARE,
	 AT(busy_span_share), 0, 1, 0.8,
	 "a span is busy if it is on a CPU for more than this share of its time"},
	{"profiling.conditional.profile_errors", "VARVE_FAILED_SPANS", NULL, OPTION_OFF_FLAG,
	 AT(no_failed_spans), 0, 0, 0, "keep samples of failed spans"},
	{"profiling.only_in_spans", "VARVE_ONLY_IN_SPANS", NULL, OPTION_TEXT, AT(only_in_spans), 0,
	 0, 0, "profile only while spans of this name run"},
	{"endpoints.listen", "VARVE_LISTEN", NULL, OPTION_TEXT, AT(listen), 0, 0, 0,
	 "address of /debug/pprof: 127.0.0.1:6060"},
	{"endpoints.allowed_hosts", "VARVE_LISTEN_HOSTS", NULL, OPTION_TEXT, AT(listen_hosts), 0, 0,
	 0, "accepted Host names besides localhost: a.example.com,*.local"},
	{"endpoints.token", "VARVE_LISTEN_TOKEN", NULL, OPTION_TEXT, AT(listen_token), 0, 0, 0,
	 "token that requests have to send; without it, other machines cannot change anything"},
	{"control.enabled", "VARVE_CONTROL", NULL, OPTION_CONTROL, AT(control), 0, 0,
	 VARVE_CONTROL_AUTO, "auto, on or off: the server may change what is profiled"},
	{"control.max_cpu_hz", "VARVE_CONTROL_MAX_HZ", NULL, OPTION_COUNT, AT(control_max_hz), 1,
	 1000, 500, "highest rate that the server may set"},
	{"control.profiles", "VARVE_CONTROL_PROFILES", NULL, OPTION_PROFILES, AT(control_profiles),
	 0, 0, 0xff, "kinds of profiles that the server may enable"},
	{"control.max_seconds", "VARVE_CONTROL_MAX_SECONDS", NULL, OPTION_COUNT,
	 AT(control_max_seconds), 1, 3600, 3600, "longest time for which the server may do so"},
	{"tracing.enabled", "VARVE_TRACES", "OTEL_TRACES_EXPORTER", OPTION_OFF_FLAG, AT(no_traces),
	 0, 0, 0, "send spans"},
	{"metrics.enabled", "VARVE_METRICS", "OTEL_METRICS_EXPORTER", OPTION_OFF_FLAG,
	 AT(no_metrics), 0, 0, 0, "send metrics"},
	{"tracing.profiler", "VARVE_TRACE_PROFILER", NULL, OPTION_FLAG, AT(trace_profiler), 0, 0, 0,
	 "make spans of the profiler's own work"},
	{"profiling.lines", "VARVE_LINES", NULL, OPTION_FLAG, AT(lines), 0, 0, 0,
	 "add files, lines and inlined calls from debug information"},
	{"context.enabled", "VARVE_CONTEXT", NULL, OPTION_OFF_FLAG, AT(no_link), 0, 0, 0,
	 "publish the context for host profilers"},
	{"sanitize.enabled", "VARVE_SANITIZE", NULL, OPTION_OFF_FLAG, AT(no_sanitize), 0, 0, 0,
	 "replace secrets, e-mail addresses and card numbers in what is exported"},
	{"sanitize.function_names", "VARVE_HIDE_FUNCTION_NAMES", NULL, OPTION_FLAG,
	 AT(hide_function_names), 0, 0, 0,
	 "replace names of functions that contain password, secret, credential or token"},
	{"profiling.adaptive_sampler.enabled", "VARVE_ADAPTIVE_SAMPLER", NULL, OPTION_FLAG,
	 GUARD(adaptive_sampler), 0, 0, 0, "reduce the sampling rate under load"},
	{"profiling.adaptive_sampler.load_threshold", "VARVE_LOAD_THRESHOLD", NULL, OPTION_SHARE,
	 GUARD(load_threshold), 0, 1, 0.8, "load above which the rate falls"},
	{"profiling.adaptive_sampler.floor", "VARVE_FLOOR_HZ", NULL, OPTION_COUNT, GUARD(floor_hz),
	 1, 1000, 10, "rate at full load"},
	{"profiling.adaptive_rate.enabled", "VARVE_ADAPTIVE_RATE", NULL, OPTION_FLAG,
	 GUARD(adaptive_rate), 0, 0, 0,
	 "halve the rate while CPU or memory use is above its threshold"},
	{"profiling.adaptive_rate.keep_halving", "VARVE_KEEP_HALVING", NULL, OPTION_FLAG,
	 AT(keep_halving), 0, 0, 0, "halve the rate again and again, not once"},
	{"profiling.adaptive_rate.cpu_threshold", "VARVE_CPU_THRESHOLD", NULL, OPTION_SHARE,
	 GUARD(cpu_threshold), 0, 1, 0.8, "share of all cores"},
	{"profiling.adaptive_rate.memory_threshold", "VARVE_MEMORY_THRESHOLD", NULL, OPTION_BYTES,
	 GUARD(memory_threshold), 0, 0, 0, "resident bytes; default: 80 % of the available memory"},
	{"profiling.overhead.enabled", "VARVE_OVERHEAD_MONITOR", NULL, OPTION_FLAG,
	 GUARD(overhead_monitor), 0, 0, 0,
	 "lengthen the export interval while the overhead is above its target"},
	{"profiling.overhead.target", "VARVE_OVERHEAD_TARGET", NULL, OPTION_SHARE,
	 GUARD(overhead_target), 0, 1, 0.01, "share of the process's CPU time"},
	{"profiling.limits.max_cpu", "VARVE_MAX_CPU", NULL, OPTION_SHARE, GUARD(max_cpu), 0, 1,
	 0.05, "share of a core for the profilers"},
	{"profiling.limits.max_memory", "VARVE_MAX_MEMORY", NULL, OPTION_BYTES, GUARD(max_memory),
	 1e6, 1e12, 200 * MB, "maximum memory of the profilers, allocated as needed"},
	{"profiling.limits.max_per_minute", "VARVE_MAX_PER_MINUTE", NULL, OPTION_COUNT,
	 GUARD(max_per_minute), 1, 1e6, 10, "profiles on demand per minute"},
	{"profiling.limits.max_seconds", "VARVE_MAX_SECONDS", NULL, OPTION_COUNT,
	 GUARD(max_seconds), 1, 3600, 30, "maximum length of a profile on demand"},
	{"profiling.load_shedding.enabled", "VARVE_LOAD_SHEDDING", NULL, OPTION_FLAG,
	 GUARD(load_shedding), 0, 0, 0, "drop profiles while the host is busy"},
	{"profiling.load_shedding.cpu_threshold", "VARVE_SHED_CPU", NULL, OPTION_SHARE,
	 GUARD(shed_cpu), 0, 1, 0.9, "CPU load of the host above which profiles are dropped"},
	{"profiling.schedule", "VARVE_SCHEDULE", NULL, OPTION_TEXT, AT(schedule), 0, 0, 0,
	 "intervals of single kinds: cpu=10s/60s,heap=30s"},
	{"profiling.baggage_labels", "VARVE_BAGGAGE_LABELS", NULL, OPTION_TEXT, AT(baggage_labels),
	 0, 0, 0, "keys of baggage that become labels of samples: tenant,plan"},
	{"metrics.series", "VARVE_METRIC_SERIES", NULL, OPTION_COUNT, AT(metric_series), 1, 1e6,
	 2000, "maximum series of an instrument"},
	{"metrics.exemplars", "VARVE_EXEMPLARS", "OTEL_METRICS_EXEMPLAR_FILTER", OPTION_EXEMPLARS,
	 AT(exemplars), 0, 0, VARVE_EXEMPLARS_TRACE_BASED, "trace_based, always_on or always_off"},
	{"metrics.aliases", "VARVE_METRIC_ALIASES", NULL, OPTION_FLAG, AT(metric_aliases), 0, 0, 0,
	 "also send runtime.memory.heap_alloc_bytes and heap_objects"},
	{"metrics.interval", "VARVE_METRIC_INTERVAL", "OTEL_METRIC_EXPORT_INTERVAL", OPTION_MS,
	 AT(metric_interval_ms), 0, 0, 0,
	 "time between two exports of metrics; default: profiling.upload_interval"},
	{"logs.enabled", "VARVE_LOGS", "OTEL_LOGS_EXPORTER", OPTION_OFF_FLAG, AT(no_logs), 0, 0, 0,
	 "send logs"},
	{"logs.level", "VARVE_LOG_LEVEL", NULL, OPTION_SEVERITY, AT(log_level), 0, 0, VARVE_TRACE,
	 "trace, debug, info, warn, error or fatal: the lowest that is sent"},
	{"tracing.propagators", "VARVE_PROPAGATORS", "OTEL_PROPAGATORS", OPTION_PROPAGATORS,
	 AT(propagators), 0, 0, VARVE_PROPAGATE_TRACECONTEXT | VARVE_PROPAGATE_BAGGAGE,
	 "tracecontext, baggage, b3, b3multi, none"},
	{"export.timeout", "VARVE_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT", OPTION_MS, AT(timeout_ms),
	 1, 3600e3, 10000, "of one request"},
	{"export.compression", "VARVE_COMPRESSION", "OTEL_EXPORTER_OTLP_COMPRESSION",
	 OPTION_OFF_FLAG, AT(no_compression), 0, 0, 0, "compress messages by gzip"},
	{"service.disabled", "VARVE_DISABLED", "OTEL_SDK_DISABLED", OPTION_FLAG, AT(disabled), 0, 0,
	 0, "start nothing"},
};
const size_t sdk_option_count = countof(sdk_option_table);
_Static_assert(countof(sdk_option_table) <= SDK_OPTIONS_MAX,
	       "more options than sdk_options.given has room for");

/* A word and its value. */
struct option_word {
	const char *text;
	unsigned value;
};

static const struct option_word profile_words[] = {
	{"cpu", VARVE_CPU},
	{"heap", VARVE_HEAP},
	{"memory", VARVE_HEAP},
	{"mutex", VARVE_MUTEX},
	{"block", VARVE_BLOCK},
	{"locks", VARVE_MUTEX | VARVE_BLOCK},
	{"wall", VARVE_WALL},
	{"threads", VARVE_THREADS},
	{"goroutine", VARVE_THREADS},
	{"threadcreate", VARVE_THREADCREATE},
	{"mmap", VARVE_MMAP},
	{"all", 0xff},
	{NULL, 0},
};

static const struct option_word protocol_words[] = {
	{"http/protobuf", VARVE_PROTOCOL_HTTP},
	{"http", VARVE_PROTOCOL_HTTP},
	{"grpc", VARVE_PROTOCOL_GRPC},
	{"pyroscope", VARVE_PROTOCOL_PYROSCOPE},
	{NULL, 0},
};

static const struct option_word sampler_words[] = {
	{"always_on", VARVE_SAMPLER_ALWAYS_ON},
	{"always_off", VARVE_SAMPLER_ALWAYS_OFF},
	{"traceidratio", VARVE_SAMPLER_RATIO},
	{"parentbased_always_on", VARVE_SAMPLER_PARENT_ALWAYS_ON},
	{"parentbased_always_off", VARVE_SAMPLER_PARENT_ALWAYS_OFF},
	{"parentbased_traceidratio", VARVE_SAMPLER_PARENT_RATIO},
	{NULL, 0},
};

static const struct option_word severity_words[] = {
	{"trace", VARVE_TRACE},	 {"debug", VARVE_DEBUG},
	{"info", VARVE_INFO},	 {"warn", VARVE_WARN},
	{"warning", VARVE_WARN}, {"error", VARVE_ERROR},
	{"fatal", VARVE_FATAL},	 {NULL, 0},
};

static const struct option_word exemplar_words[] = {
	{"trace_based", VARVE_EXEMPLARS_TRACE_BASED},
	{"always_on", VARVE_EXEMPLARS_ALWAYS_ON},
	{"always_off", VARVE_EXEMPLARS_ALWAYS_OFF},
	{NULL, 0},
};

static const struct option_word propagator_words[] = {
	{"tracecontext", VARVE_PROPAGATE_TRACECONTEXT},
	{"baggage", VARVE_PROPAGATE_BAGGAGE},
	{"b3", VARVE_PROPAGATE_B3},
	{"b3multi", VARVE_PROPAGATE_B3MULTI},
	{"none", VARVE_PROPAGATE_NONE},
	{NULL, 0},
};

static const struct option_word control_words[] = {
	{"auto", VARVE_CONTROL_AUTO}, {"true", VARVE_CONTROL_ON},
	{"1", VARVE_CONTROL_ON},      {"yes", VARVE_CONTROL_ON},
	{"on", VARVE_CONTROL_ON},     {"false", VARVE_CONTROL_OFF},
	{"0", VARVE_CONTROL_OFF},     {"no", VARVE_CONTROL_OFF},
	{"off", VARVE_CONTROL_OFF},   {NULL, 0},
};

static const struct option_word flag_words[] = {
	{"true", 1}, {"1", 1},	{"yes", 1}, {"on", 1}, {"false", 0},
	{"0", 0},    {"no", 0}, {"off", 0}, {NULL, 0},
};

/*
 * The values of OTEL_*_EXPORTER and OTEL_EXPORTER_OTLP_COMPRESSION. Exporters other than OTLP are
 * for other libraries.
 */
static const struct option_word otel_switch_words[] = {
	{"otlp", 1},	   {"gzip", 1},	  {"none", 0},	 {"console", 0},
	{"prometheus", 0}, {"jaeger", 0}, {"zipkin", 0}, {NULL, 0}};

static int find_word(const struct option_word *words, struct str text, unsigned *value)
{
	for (; words->text; words++) {
		if (strlen(words->text) == text.n && !strncasecmp(words->text, text.p, text.n)) {
			*value = words->value;
			return 0;
		}
	}
	return -EINVAL;
}

/*
 * Parse one word or, with `many`, a comma-separated list, whose values are combined. 0 or -EINVAL.
 */
static int read_words(const struct option_word *words, bool many, struct str text, unsigned *value)
{
	*value = 0;
	do {
		unsigned one = 0;
		struct str word = str_trim(many ? str_cut(&text, ',') : text);

		if (find_word(words, word, &one))
			return -EINVAL;
		*value |= one;
	} while (many && text.p);
	return 0;
}

int sdk_flag_read(struct str text, unsigned *value)
{
	return read_words(flag_words, false, text, value);
}

const struct option_row *sdk_option_named(const char *path)
{
	for (size_t i = 0; i < sdk_option_count; i++)
		if (!strcmp(path, sdk_option_table[i].path))
			return &sdk_option_table[i];
	return NULL;
}

void sdk_profile_names(struct buf *out, unsigned profiles)
{
	const char *comma = "";

	for (const struct option_word *w = profile_words; w->text; w++) {
		if (!(w->value & profiles) || (w->value & (w->value - 1)))
			continue;
		buf_printf(out, "%s%s", comma, w->text);
		profiles &= ~w->value;
		comma = ",";
	}
}

/* A unit, and the factor of a number before it. */
struct suffix {
	const char *text;
	double factor;
};

static const struct suffix byte_suffixes[] = {
	{"kib", 1024}, {"mib", 1048576}, {"gib", 1073741824}, {"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9},
	{"b", 1},      {"", 1},		 {NULL, 0},
};
static const struct suffix ms_suffixes[] = {{"ms", 1},	   {"s", 1e3}, {"m", 60e3},
					    {"h", 3600e3}, {"", 1},    {NULL, 0}};
static const struct suffix ns_suffixes[] = {{"ns", 1},	{"us", 1e3}, {"ms", 1e6},
					    {"s", 1e9}, {"", 1},     {NULL, 0}};
static const struct suffix share_suffixes[] = {{"%", 0.01}, {"", 1}, {NULL, 0}};
static const struct suffix no_suffixes[] = {{"", 1}, {NULL, 0}};

static int read_number(const struct suffix *suffixes, struct str text, double *value)
{
	size_t digits = 0;

	while (digits < text.n && strchr("0123456789.+-eE", text.p[digits]) &&
	       !((text.p[digits] | 32) == 'e' && digits + 1 < text.n &&
		 !strchr("0123456789+-", text.p[digits + 1])))
		digits++;
	struct str unit = str_trim(str_from_at(text, digits));

	if (str_to_double(str_trim(str_head(text, digits)), value))
		return -EINVAL;
	for (; suffixes->text; suffixes++) {
		if (strlen(suffixes->text) == unit.n &&
		    (!unit.n || !strncasecmp(suffixes->text, unit.p, unit.n))) {
			*value *= suffixes->factor;
			return 0;
		}
	}
	return -EINVAL;
}

static const struct suffix *suffixes_of(enum option_type type)
{
	switch (type) {
	case OPTION_BYTES:
		return byte_suffixes;
	case OPTION_MS:
		return ms_suffixes;
	case OPTION_NS:
		return ns_suffixes;
	case OPTION_SHARE:
		return share_suffixes;
	default:
		return no_suffixes;
	}
}

/* An option whose name says percent accepts 80 as well as 80% and 0.8. */
static double as_share(const struct option_row *row, double value)
{
	return row->type == OPTION_SHARE && value > 1 && strstr(row->path, "percent") ? value / 100
										      : value;
}

static void set_number(const struct option_row *row, void *field, double value)
{
	switch (row->type) {
	case OPTION_COUNT:
		*(unsigned *)field = (unsigned)value;
		break;
	case OPTION_SHARE:
		*(double *)field = value;
		break;
	case OPTION_BYTES:
	case OPTION_MS:
	case OPTION_NS:
		*(uint64_t *)field = (uint64_t)value;
		break;
	default: /* flags and enumerations */
		*(unsigned *)field = (unsigned)value;
		break;
	}
}

static double get_number(const struct option_row *row, const void *field)
{
	switch (row->type) {
	case OPTION_SHARE:
		return *(const double *)field;
	case OPTION_BYTES:
	case OPTION_MS:
	case OPTION_NS:
		return (double)*(const uint64_t *)field;
	default:
		return *(const unsigned *)field;
	}
}

static bool is_set(const struct option_row *row, const void *field)
{
	return row->type == OPTION_TEXT ? *(const char *const *)field != NULL
					: get_number(row, field) != 0;
}

int sdk_option_read(struct sdk_options *out, const struct option_row *row, struct str text)
{
	void *field = (char *)&out->o + row->offset;
	struct str copy;
	unsigned word = 0;
	double number;
	int rc;

	switch (row->type) {
	case OPTION_TEXT:
		rc = arena_copy_str(&out->arena, text, &copy);
		if (!rc) {
			*(const char **)field = copy.p;
			out->given[row - sdk_option_table] = true;
		}
		return rc;
	case OPTION_FLAG:
	case OPTION_OFF_FLAG:
		rc = read_words(flag_words, false, text, &word);
		if (rc && row->otel_env)
			rc = read_words(otel_switch_words, false, text, &word);
		number = word ^ (row->type == OPTION_OFF_FLAG);
		break;
	case OPTION_PROFILES:
		rc = read_words(profile_words, true, text, &word);
		number = word;
		break;
	case OPTION_PROTOCOL:
		rc = read_words(protocol_words, false, text, &word);
		number = word;
		break;
	case OPTION_CONTROL:
		rc = read_words(control_words, false, text, &word);
		number = word;
		break;
	case OPTION_SAMPLER:
		rc = read_words(sampler_words, false, text, &word);
		number = word;
		break;
	case OPTION_SEVERITY:
		rc = read_words(severity_words, false, text, &word);
		number = word;
		break;
	case OPTION_EXEMPLARS:
		rc = read_words(exemplar_words, false, text, &word);
		number = word;
		break;
	case OPTION_PROPAGATORS:
		rc = read_words(propagator_words, true, text, &word);
		number = word;
		break;
	default:
		rc = read_number(suffixes_of(row->type), text, &number);
		number = as_share(row, number);
		break;
	}
	if (rc)
		return rc;
	if (row->low < row->high && !(number >= row->low && number <= row->high))
		return -ERANGE;
	set_number(row, field, number);
	out->given[row - sdk_option_table] = true;
	return 0;
}

static int bad_option(const char *name, struct str text, const struct option_row *row, int rc,
		      struct err *e)
{
	if (rc == -ERANGE)
		return err_set(e, -EINVAL, "%s: %.*s is not between %g and %g", name, STR_ARG(text),
			       row->low, row->high);
	return err_set(e, rc, "%s: cannot read \"%.*s\"", name, STR_ARG(str_head(text, 64)));
}

static int from_environment(struct sdk_options *out, const struct option_row *row, struct err *e)
{
	const char *const names[] = {row->env, row->otel_env};
	int rc = 0;

	for (size_t i = 0; !rc && i < countof(names); i++) {
		const char *text = names[i] ? getenv(names[i]) : NULL;

		if (!text || !*text || out->given[row - sdk_option_table] ||
		    is_set(row, (char *)&out->o + row->offset))
			continue;
		rc = sdk_option_read(out, row, str_from(text));
		if (rc)
			rc = bad_option(names[i], str_from(text), row, rc, e);
	}
	return rc;
}

/* Check an option set by code. 0 or -EINVAL. */
static int check_range(const struct option_row *row, const void *field, struct err *e)
{
	double number;

	if (row->type == OPTION_TEXT || row->low >= row->high || !is_set(row, field))
		return 0;
	number = get_number(row, field);
	if (number >= row->low && number <= row->high)
		return 0;
	return err_set(e, -EINVAL, "%s: %g is not between %g and %g", row->path, number, row->low,
		       row->high);
}

static int copy_texts(struct sdk_options *out)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < sdk_option_count; i++) {
		const char **field = (const char **)((char *)&out->o + sdk_option_table[i].offset);
		struct str copy;

		if (sdk_option_table[i].type != OPTION_TEXT || !*field)
			continue;
		rc = arena_copy_str(&out->arena, str_from(*field), &copy);
		if (!rc)
			*field = copy.p;
	}
	return rc;
}

/* Start with the options set by code, with texts copied. */
static int begin_with_code(struct sdk_options *out, const struct varve_options *code, struct err *e)
{
	int rc;

	memset(out, 0, sizeof(*out));
	arena_init(&out->arena, NULL);
	if (code)
		out->o = *code;
	out->endpoint_by_code = code && code->endpoint;
	rc = copy_texts(out);
	for (size_t i = 0; !rc && i < sdk_option_count; i++)
		rc = check_range(&sdk_option_table[i], (char *)&out->o + sdk_option_table[i].offset,
				 e);
	return rc;
}

/* Return the default protocol of an endpoint, by its port. */
static enum varve_protocol protocol_of(const char *endpoint)
{
	struct post_url url;

	if (!endpoint || post_url_read(&url, endpoint, "4318", NULL))
		return VARVE_PROTOCOL_HTTP; /* the sink reports the error */
	return strcmp(url.port, "4317") ? VARVE_PROTOCOL_HTTP : VARVE_PROTOCOL_GRPC;
}

static void fill_defaults(struct sdk_options *out)
{
	for (size_t i = 0; i < sdk_option_count; i++) {
		const struct option_row *row = &sdk_option_table[i];
		void *field = (char *)&out->o + row->offset;

		if (row->type != OPTION_TEXT && !out->given[i] && !is_set(row, field))
			set_number(row, field, row->fallback);
	}
	if (out->o.protocol == VARVE_PROTOCOL_DEFAULT)
		out->o.protocol = protocol_of(out->o.endpoint);
}

int sdk_options_from_code(struct sdk_options *out, const struct varve_options *code, struct err *e)
{
	int rc = begin_with_code(out, code, e);

	if (!rc)
		fill_defaults(out);
	return rc;
}

int sdk_options_load(struct sdk_options *out, const struct varve_options *code, struct str file,
		     const char *path, struct err *e)
{
	int rc = begin_with_code(out, code, e);

	for (size_t i = 0; !rc && i < sdk_option_count; i++)
		rc = from_environment(out, &sdk_option_table[i], e);
	if (!rc && file.n)
		rc = sdk_options_from_file(out, file, path, e);
	if (!rc)
		rc = sdk_options_from_pyroscope(out, e);
	if (!rc)
		fill_defaults(out);
	return rc;
}

void sdk_options_fini(struct sdk_options *s)
{
	arena_fini(&s->arena);
}
