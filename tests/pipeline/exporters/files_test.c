/* SPDX-License-Identifier: Apache-2.0 */
/* The exporters file, debug and nop. */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/exporters/debug/debug_exporter.h"
#include "pipeline/exporters/file/file_exporter.h"
#include "pipeline/exporters/nop/nop_exporter.h"
#include "signal/otlp/build.h"
#include "test/test.h"
#include "wire/compress/compress.h"

struct fixture {
	struct config config;
	struct host host;
	struct log log;
	struct arena arena;
	void *instance;
	const struct component *type;
	char directory[64];
	int pipe[2];
	struct err e;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f || pipe(f->pipe))
		return -1;
	arena_init(&f->arena, NULL);
	strcpy(f->directory, "/tmp/varve-files-XXXXXX");
	if (!mkdtemp(f->directory))
		return -1;
	f->log = (struct log){.fd = f->pipe[1], .level = LOG_INFO};
	return config_init(&f->config, NULL) || host_init(&f->host, 1, MIB, &f->log, &f->e);
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;
	char command[100];

	if (f->instance)
		f->type->destroy(f->instance);
	host_fini(&f->host);
	config_fini(&f->config);
	arena_fini(&f->arena);
	close(f->pipe[0]);
	close(f->pipe[1]);
	snprintf(command, sizeof(command), "rm -r %s", f->directory);
	assert_ok(system(command));
	free(f);
	return 0;
}

/* Create and start an instance; the YAML is a format with one %s for the directory. */
static int make(struct fixture *f, const struct component *type, const char *yaml)
{
	struct component_env env = {.id = type->name, .host = &f->host, .log = &f->log};
	void *settings = arena_zalloc(&f->arena, 1, type->settings_size + 1);
	char text[500];
	int rc;

	if (f->instance)
		f->type->destroy(f->instance);
	f->instance = NULL;
	f->type = type;
	f->e = (struct err){0};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof(text), yaml, f->directory);
#pragma GCC diagnostic pop
	assert_ok_err(config_parse(&f->config, str_from(text), "c.yaml", NULL, NULL, &f->e), &f->e);
	rc = settings_read(type->settings, f->config.root, type->name, settings, &f->arena, &f->e);
	if (!rc && type->check)
		rc = type->check(settings, &f->e);
	if (!rc)
		rc = type->create(&f->instance, &env, settings, &f->e);
	if (!rc && type->start)
		rc = type->start(f->instance, &f->e);
	return rc;
}

static struct buf scratch; /* of payloads in several slices: stays empty */
static struct delivery_result result;
static unsigned results;

static void done(struct delivery *d, const struct delivery_result *r)
{
	(void)d;
	result = *r;
	results++;
}

static void pass_on(struct fixture *f, struct payload *p)
{
	struct delivery d = {.signal = p->signal, .payload = p, .done = done};

	results = 0;
	assert_true(f->type->consume(f->instance, &d));
	assert_int_equal(results, 1);
	payload_release(p);
}

/* Return a payload of one log record with this body, of the service. */
static struct payload *logs_of(struct arena *arena, const char *service, const char *body)
{
	struct attributes attributes = {0};
	struct otlp_builder b;
	struct payload *p;

	assert_ok(attributes_set(&attributes, arena, STR("service.name"),
				 &VALUE_OF_STR(str_from(service))));
	otlp_builder_init(&b, SIGNAL_LOGS, NULL);
	otlp_begin_resource(&b, &attributes, (struct str){0});
	otlp_begin_scope(&b, STR("scope"), STR("1"));
	otlp_add_log(&b, &(struct otlp_log){.time = 1500000000,
					    .severity = 9,
					    .severity_text = STR("info"),
					    .body = VALUE_OF_STR(str_from(body)),
					    .attributes = &attributes});
	p = otlp_builder_finish(&b);
	assert_non_null(p);
	otlp_builder_fini(&b);
	return p;
}

static struct payload *metrics_of(void)
{
	static const double bounds[] = {1, 2.5};
	static const uint64_t counts[] = {1, 0, 2};
	static const struct otlp_quantile quantiles[] = {{0.5, 2}, {0.99, 7.25}};
	struct otlp_builder b;
	struct payload *p;

	otlp_builder_init(&b, SIGNAL_METRICS, NULL);
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("requests"),
						    .unit = STR("1"),
						    .kind = OTLP_SUM,
						    .temporality = OTLP_CUMULATIVE,
						    .monotonic = true});
	otlp_add_number(&b, &(struct otlp_number){.is_int = true, .i = -7});
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("load"), .kind = OTLP_GAUGE});
	otlp_add_number(&b, &(struct otlp_number){.d = 0.5});
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("latency"),
						    .kind = OTLP_HISTOGRAM,
						    .temporality = OTLP_DELTA});
	otlp_add_histogram(&b, &(struct otlp_histogram){.count = 3,
							.has_sum = true,
							.sum = 9.5,
							.bounds = bounds,
							.counts = counts,
							.bound_count = 2,
							.count_count = 3});
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("times"), .kind = OTLP_SUMMARY});
	otlp_add_summary(
		&b, &(struct otlp_summary){
			    .count = 4, .sum = 11, .quantiles = quantiles, .quantile_count = 2});
	p = otlp_builder_finish(&b);
	assert_non_null(p);
	otlp_builder_fini(&b);
	return p;
}

/* Return the content of a file of the directory, in the arena. */
static struct str read_file(struct fixture *f, const char *name)
{
	char path[200], *text = arena_alloc(&f->arena, 1, 1 << 16);
	size_t n;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", f->directory, name);
	file = fopen(path, "r");
	if (!file || !text)
		return (struct str){0};
	n = fread(text, 1, 1 << 16, file);
	fclose(file);
	return str_of(text, n);
}

static struct str read_pipe(struct fixture *f)
{
	char *text = arena_alloc(&f->arena, 1, 1 << 16);
	ssize_t n = read(f->pipe[0], text, 1 << 16);

	assert_true(n > 0);
	return str_of(text, (size_t)n);
}

#define assert_has(text, part)                                                                     \
	do {                                                                                       \
		struct str t_ = (text);                                                            \
		if (str_find_str(t_, STR(part)) == t_.n)                                           \
			fail_msg("no \"%s\" in \"%.*s\"", part, STR_ARG(t_));                      \
	} while (0)

/* Check that the file begins with this message after its length. Return the rest. */
static struct str expect_message(struct str file, const struct payload *p)
{
	const uint8_t *at = (const uint8_t *)file.p;
	struct str message = payload_str(p, &scratch);
	size_t n;

	assert_true(file.n >= 4 + message.n);
	n = (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
	assert_int_equal(n, message.n);
	assert_str_equal(str_head(str_from_at(file, 4), n), message);
	return str_from_at(file, 4 + n);
}

static void protobuf_messages_follow_their_lengths(void **state)
{
	struct fixture *f = *state;
	struct payload *a = logs_of(&f->arena, "shop", "hello"), *b = metrics_of();
	struct payload *parts[] = {payload_keep(a, NULL), payload_keep(a, NULL)};
	struct payload *both = payload_concat(parts, 2), *kept = payload_keep(a, NULL);
	struct str file;

	assert_ok_err(make(f, &file_exporter, "{path: %s/out, format: proto}"), &f->e);
	pass_on(f, a);
	pass_on(f, both);
	assert_int_equal(result.rc, 0);
	file = read_file(f, "out");
	file = expect_message(file, kept);
	assert_int_equal(file.n, 4 + 2 * kept->bytes);

	/* a new start empties the file, unless it is appended to */
	assert_ok_err(make(f, &file_exporter, "{path: %s/out, format: proto}"), &f->e);
	assert_int_equal(read_file(f, "out").n, 0);
	pass_on(f, payload_keep(kept, NULL));
	assert_ok_err(make(f, &file_exporter, "{path: %s/out, format: proto, append: true}"),
		      &f->e);
	pass_on(f, payload_keep(b, NULL));
	file = expect_message(expect_message(read_file(f, "out"), kept), b);
	assert_int_equal(file.n, 0);
	payload_release(b);
	payload_release(kept);
	payload_release(parts[0]);
	payload_release(parts[1]);
}

static void json_messages_are_lines(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(make(f, &file_exporter, "{path: %s/out}"), &f->e);
	pass_on(f, logs_of(&f->arena, "shop", "hello"));
	pass_on(f, metrics_of());
	assert_int_equal(result.rc, 0);
	assert_str_equal(
		read_file(f, "out"),
		STR("{\"resourceLogs\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\","
		    "\"value\":{\"stringValue\":\"shop\"}}]},\"scopeLogs\":[{\"scope\":{\"name\":"
		    "\"scope\",\"version\":\"1\"},\"logRecords\":[{\"timeUnixNano\":\"1500000000\","
		    "\"severityNumber\":9,\"severityText\":\"info\",\"body\":{\"stringValue\":"
		    "\"hello\"},\"attributes\":[{\"key\":\"service.name\",\"value\":{"
		    "\"stringValue\":"
		    "\"shop\"}}]}]}]}]}\n"
		    "{\"resourceMetrics\":[{\"resource\":{},\"scopeMetrics\":[{\"scope\":{},"
		    "\"metrics\":[{\"name\":\"requests\","
		    "\"unit\":\"1\",\"sum\":{\"dataPoints\":[{\"asInt\":\"-7\"}],"
		    "\"aggregationTemporality\":2,\"isMonotonic\":true}},{\"name\":\"load\","
		    "\"gauge\":{"
		    "\"dataPoints\":[{\"asDouble\":0.5}]}},{\"name\":\"latency\",\"histogram\":{"
		    "\"dataPoints\":[{\"count\":\"3\",\"sum\":9.5,\"bucketCounts\":[\"1\",\"0\","
		    "\"2\"],"
		    "\"explicitBounds\":[1,2.5]}],\"aggregationTemporality\":1}},{\"name\":"
		    "\"times\","
		    "\"summary\":{\"dataPoints\":[{\"count\":\"4\",\"sum\":11,\"quantileValues\":[{"
		    "\"quantile\":0.5,\"value\":2},{\"quantile\":0.99,\"value\":7.25}]}]}}]}]}]}"
		    "\n"));
}

static void messages_are_compressed_one_by_one(void **state)
{
	struct fixture *f = *state;
	struct payload *a = logs_of(&f->arena, "shop", "hello"), *kept = payload_keep(a, NULL);
	struct str file, out;

	assert_ok_err(make(f, &file_exporter, "{path: %s/out, format: proto, compression: zstd}"),
		      &f->e);
	pass_on(f, a);
	file = read_file(f, "out");
	assert_true(file.n > 4);
	assert_ok_err(
		decompress_bytes(COMPRESS_ZSTD, str_from_at(file, 4), &f->arena, NULL, &out, &f->e),
		&f->e);
	assert_str_equal(out, payload_str(kept, &scratch));
	payload_release(kept);
}

static unsigned count_files(struct fixture *f)
{
	DIR *dir = opendir(f->directory);
	unsigned n = 0;

	assert_non_null(dir);
	for (const struct dirent *d; (d = readdir(dir));)
		n += d->d_name[0] != '.';
	closedir(dir);
	return n;
}

static void a_large_file_is_renamed_and_old_ones_are_removed(void **state)
{
	struct fixture *f = *state;
	char *body = malloc(600 * KIB);

	memset(body, 'x', 600 * KIB - 1);
	body[600 * KIB - 1] = '\0';
	assert_ok_err(make(f, &file_exporter,
			   "{path: %s/out.bin, format: proto, rotation: {max_megabytes: 1, "
			   "max_backups: 2}}"),
		      &f->e);
	for (unsigned i = 0; i < 5; i++) {
		pass_on(f, logs_of(&f->arena, "shop", body));
		assert_int_equal(result.rc, 0);
		usleep(2000); /* the name contains milliseconds */
	}
	assert_int_equal(count_files(f), 3);
	free(body);
}

static void each_resource_goes_to_the_file_of_its_attribute(void **state)
{
	struct fixture *f = *state;
	struct payload *parts[3] = {logs_of(&f->arena, "a", "1"), logs_of(&f->arena, "../b", "2"),
				    logs_of(&f->arena, "a", "3")};
	struct payload *two[] = {parts[0], parts[2]};
	struct payload *first = payload_concat(two, 2), *all = payload_concat(parts, 3);

	assert_ok_err(make(f, &file_exporter,
			   "{path: %s/*.bin, format: proto, group_by: {enabled: true, "
			   "resource_attribute: service.name, max_open_files: 1}}"),
		      &f->e);
	pass_on(f, all);
	assert_int_equal(result.rc, 0);
	assert_int_equal(read_file(f, "a.bin").n, 4 + first->bytes);
	assert_int_equal(expect_message(read_file(f, "b.bin"), parts[1]).n, 0);
	for (unsigned i = 0; i < 3; i++)
		payload_release(parts[i]);
	payload_release(first);
}

static void a_full_disk_is_reported_and_may_be_retried(void **state)
{
	struct fixture *f = *state;

	if (access("/dev/full", W_OK))
		skip();
	assert_ok_err(make(f, &file_exporter, "{path: /dev/full, format: proto, append: true}"),
		      &f->e);
	pass_on(f, logs_of(&f->arena, "a", "1"));
	assert_int_equal(result.rc, -ENOSPC);
	assert_true(result.retry_after_ms > 0);
	assert_non_null(strstr(result.reason, "/dev/full"));
}

static void contradictory_file_settings_are_refused(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(make(f, &file_exporter, "format: proto"), -EINVAL);
	assert_err_says(&f->e, "\"path\" is required");
	assert_int_equal(make(f, &file_exporter, "{path: %s/a, append: true, rotation: }"),
			 -EINVAL);
	assert_err_says(&f->e, "\"append\" and \"rotation\"");
	assert_int_equal(make(f, &file_exporter, "{path: %s/a, format: xml}"), -EINVAL);
	assert_int_equal(make(f, &file_exporter, "{path: %s/a, group_by: {enabled: true}}"),
			 -EINVAL);
	assert_int_equal(make(f, &file_exporter, "{path: %s/none/a, format: proto}"), -ENOENT);
	assert_ok_err(
		make(f, &file_exporter, "{path: %s/new/a, format: proto, create_directory: true}"),
		&f->e);
}

static void debug_counts_what_it_receives(void **state)
{
	struct fixture *f = *state;
	struct str text;

	assert_ok_err(make(f, &debug_exporter, "{}"), &f->e);
	pass_on(f, logs_of(&f->arena, "shop", "hello"));
	text = read_pipe(f);
	assert_has(text, "\tinfo\tLogs\t{");
	assert_has(text, "\"otelcol.component.id\": \"debug\"");
	assert_has(text, "\"resource logs\": 1, \"log records\": 1}\n");
	pass_on(f, metrics_of());
	assert_has(read_pipe(f), "\"resource metrics\": 1, \"metrics\": 4, \"data points\": 4}\n");
	assert_int_equal(make(f, &debug_exporter, "verbosity: loud"), -EINVAL);
	assert_err_says(&f->e, "verbosity level \"loud\" is not supported");
}

static void debug_writes_one_line_per_item(void **state)
{
	struct fixture *f = *state;
	struct str text;

	assert_ok_err(make(f, &debug_exporter, "verbosity: normal"), &f->e);
	pass_on(f, logs_of(&f->arena, "shop", "hello"));
	text = read_pipe(f);
	assert_has(text, "ResourceLog #0 service.name=shop\n");
	assert_has(text, "ScopeLog #0 scope@1\nhello service.name=shop\n");
	pass_on(f, metrics_of());
	text = read_pipe(f);
	assert_has(text, "\nrequests{} -7\nload{} 0.5\n");
	assert_has(text, "latency{} count=3 sum=9.5 le1=1 le2.5=0 2\n");
	assert_has(text, "times{} count=4 sum=11.000000 q0.5=2 q0.99=7.25\n");
}

static void debug_writes_all_fields(void **state)
{
	struct fixture *f = *state;
	struct str text;

	assert_ok_err(make(f, &debug_exporter, "verbosity: detailed"), &f->e);
	pass_on(f, logs_of(&f->arena, "shop", "hello"));
	text = read_pipe(f);
	assert_has(text, "Resource attributes:\n     -> service.name: Str(shop)\n");
	assert_has(text, "InstrumentationScope scope 1\nLogRecord #0\n");
	assert_has(text, "Timestamp: 1970-01-01 00:00:01.5 +0000 UTC\nSeverityText: info\n");
	assert_has(text, "SeverityNumber: Info(9)\nBody: Str(hello)\nAttributes:\n");
	pass_on(f, metrics_of());
	text = read_pipe(f);
	assert_has(text, "     -> Name: requests\n");
	assert_has(text, "     -> IsMonotonic: true\n     -> AggregationTemporality: Cumulative\n");
	assert_has(text, "Value: -7\n");
	assert_has(text, "ExplicitBounds #1: 2.500000\nBuckets #0, Count: 1\n");
	assert_has(text, "QuantileValue #1: Quantile 0.990000, Value 7.250000\n");
}

static void debug_samples_by_signal_and_second(void **state)
{
	struct fixture *f = *state;
	struct str text;
	size_t lines = 0;

	assert_ok_err(make(f, &debug_exporter, "{sampling_initial: 1, sampling_thereafter: 0}"),
		      &f->e);
	for (unsigned i = 0; i < 20; i++)
		pass_on(f, logs_of(&f->arena, "shop", "hello"));
	text = read_pipe(f);
	for (size_t i = 0; i < text.n; i++)
		lines += text.p[i] == '\n';
	assert_in_range(lines, 1, 3); /* the second may end meanwhile */
}

static void nop_accepts_everything(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(make(f, &nop_exporter, "{}"), &f->e);
	pass_on(f, metrics_of());
	assert_int_equal(result.rc, 0);
	assert_int_equal(make(f, &nop_exporter, "a: 1"), -EINVAL);
}

TEST_MAIN(test_with(fixture, protobuf_messages_follow_their_lengths),
	  test_with(fixture, json_messages_are_lines),
	  test_with(fixture, messages_are_compressed_one_by_one),
	  test_with(fixture, a_large_file_is_renamed_and_old_ones_are_removed),
	  test_with(fixture, each_resource_goes_to_the_file_of_its_attribute),
	  test_with(fixture, a_full_disk_is_reported_and_may_be_retried),
	  test_with(fixture, contradictory_file_settings_are_refused),
	  test_with(fixture, debug_counts_what_it_receives),
	  test_with(fixture, debug_writes_one_line_per_item),
	  test_with(fixture, debug_writes_all_fields),
	  test_with(fixture, debug_samples_by_signal_and_second),
	  test_with(fixture, nop_accepts_everything))
