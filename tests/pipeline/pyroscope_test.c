/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding of what Pyroscope's clients send (/ingest and push.v1), without sockets: from bytes and
 * parameters to labels and sums.
 */
#include <sys/stat.h>

#include "base/clock.h"
#include "format/jfr/jfr_recording.h"
#include "format/pprof/pprof.h"
#include "net/http/multipart.h"
#include "pipeline/receivers/pyroscope/fixups.h"
#include "pipeline/receivers/pyroscope/ingest.h"
#include "pipeline/receivers/pyroscope/metric.h"
#include "pipeline/receivers/pyroscope/push.h"
#include "signal/profile/profile_builder.h"
#include "signal/profile/profile_rows.h"
#include "signal/series.h"
#include "test/test.h"
#include "wire/compress/compress.h"
#include "wire/proto.h"

#define NOW ((uint64_t)1763199420 * NS_PER_SECOND)

struct fixture {
	struct profile_batch batch;
	struct arena arena;
	struct series_map map;
	struct err e;
	struct buf file;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	arena_init(&f->arena, NULL);
	return profile_batch_init(&f->batch, NULL);
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	profile_batch_fini(&f->batch);
	arena_fini(&f->arena);
	buf_fini(&f->file);
	free(f);
	return 0;
}

/* Load a file of the shared fixtures. Return false if it does not exist. */
static bool load(struct fixture *f, const char *name)
{
	const char *root = getenv("SOURCE_ROOT");
	char path[512];
	FILE *in;
	char *to;
	size_t n;

	snprintf(path, sizeof(path), "%s/../shared/fixtures/%s", root ? root : ".", name);
	in = fopen(path, "rb");
	if (!in) {
		print_message("# skipped: no %s\n", path);
		return false;
	}
	buf_clear(&f->file);
	do {
		to = buf_reserve(&f->file, 64 * KIB);
		assert_non_null(to);
		n = fread(to, 1, 64 * KIB, in);
		f->file.n += n;
	} while (n);
	fclose(in);
	return true;
}

static int ingest_with(struct fixture *f, const char *query, const char *content_type,
		       const struct ingest_headers *headers, struct str body)
{
	struct ingest_request r = {.query = str_from(query),
				   .content_type = str_from(content_type),
				   .headers = *headers,
				   .body = body,
				   .now = NOW,
				   .max_bytes = 64 * MIB};
	int rc;

	f->e = (struct err){0};
	assert_ok(profile_batch_reset(&f->batch));
	rc = ingest_decode(&f->batch, &f->arena, &r, &f->e);
	if (!rc) {
		assert_ok_err(profile_batch_check(&f->batch, &f->e), &f->e);
		assert_ok(series_map_init(&f->map, &f->batch, NULL, &f->arena));
	}
	return rc;
}

static int ingest(struct fixture *f, const char *query, const char *content_type, struct str body)
{
	return ingest_with(f, query, content_type, &(struct ingest_headers){0}, body);
}

static struct str label(const struct fixture *f, uint32_t series, const char *name)
{
	return label_set_get(f->map.series.at[series].labels, str_from(name));
}

/* Return the sum of a profile type over all its series, or -1 if there is none. */
static int64_t sum(const struct fixture *f, const char *type)
{
	bool found = false;
	int64_t total = 0;

	for (uint32_t i = 0; i < f->batch.sample_count; i++) {
		uint32_t s = f->map.of_sample[i];

		if (s == SERIES_NONE || !str_eq(label(f, s, "__profile_type__"), str_from(type)))
			continue;
		found = true;
		total += sample_total(&f->batch, i) * f->map.series.at[s].scale;
	}
	return found ? total : -1;
}

/* Return all profile types, sorted and separated by spaces. */
static const char *types(struct fixture *f)
{
	struct str all = {0}, last = STR("");

	for (;;) {
		struct str next = {0};

		for (uint32_t i = 0; i < f->map.series.n; i++) {
			struct str type = label(f, i, "__profile_type__");

			if (str_cmp(type, last) > 0 && (!next.p || str_cmp(type, next) < 0))
				next = type;
		}
		if (!next.p)
			return all.p ? all.p : "";
		assert_ok(arena_printf(&f->arena, &all, "%.*s%s%.*s", STR_ARG(all),
				       all.n ? " " : "", STR_ARG(next)));
		last = next;
	}
}

static void folded_stacks_count_ticks_of_the_sample_rate(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(
		ingest(f,
		       "name=shop%7Benv%3Dprod%2C__session_id__%3D7%2C__x%3Dy%7D&from=1700000000&"
		       "until=1700000010&sampleRate=50&spyName=ebpfspy",
		       "text/plain", STR("main;work 3\nmain 2\n")),
		&f->e);
	assert_string_equal(types(f), "process_cpu:cpu:nanoseconds:cpu:nanoseconds");
	assert_int_equal(sum(f, "process_cpu:cpu:nanoseconds:cpu:nanoseconds"), 5 * 20000000);
	assert_str_equal(label(f, 0, "service_name"), STR("shop"));
	assert_str_equal(label(f, 0, "env"), STR("prod"));
	assert_str_equal(label(f, 0, "pyroscope_spy"), STR("ebpfspy"));
	assert_str_equal(label(f, 0, "__session_id__"), STR(""));
	assert_str_equal(label(f, 0, "__x"), STR(""));
	assert_int_equal(f->batch.profiles.at[0].time_unix_nano, 1700000000 * NS_PER_SECOND);
	assert_int_equal(f->batch.profiles.at[0].duration_nano, 10 * NS_PER_SECOND);
	assert_int_equal(f->batch.profiles.at[0].period, 20000000);
}

static void the_suffix_of_the_name_gives_the_type(void **state)
{
	static const struct {
		const char *name, *type, *service;
		int64_t sum;
	} cases[] = {
		{"a.cpu", "process_cpu:cpu:nanoseconds:cpu:nanoseconds", "a", 70000000},
		{"a.b.wall", "wall:wall:nanoseconds:cpu:nanoseconds", "a.b", 70000000},
		{"a.inuse_space", "memory:inuse_space:bytes:space:bytes", "a", 7},
		{"a.goroutines", "goroutine:goroutine:count:goroutine:count", "a", 7},
		{"a.block_duration", "block:delay:nanoseconds:contentions:count", "a", 7},
		{"a.mutex_count", "mutex:contentions:count:contentions:count", "a", 7},
		{"a.bytes", "memory:samples:bytes::", "a", 7},
		{"my.app", "process_cpu:cpu:nanoseconds:cpu:nanoseconds", "my.app", 70000000},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(cases); i++) {
		char query[100];

		snprintf(query, sizeof(query), "name=%s&format=folded", cases[i].name);
		assert_ok_err(ingest(f, query, "", STR("x;y 7\n")), &f->e);
		assert_string_equal(types(f), cases[i].type);
		assert_int_equal(sum(f, cases[i].type), cases[i].sum);
		assert_str_equal(label(f, 0, "service_name"), str_from(cases[i].service));
		/* the time of arrival */
		assert_int_equal(f->batch.profiles.at[0].time_unix_nano, 0);
	}
}

static void lines_count_one_each(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(ingest(f, "name=a&format=lines&sampleRate=x", "", STR("x;y\nx;y\nz\n")),
		      &f->e);
	assert_int_equal(sum(f, "process_cpu:cpu:nanoseconds:cpu:nanoseconds"), 3 * 10000000);
}

static void tries_and_trees_are_recognized_by_content_type(void **state)
{
	struct fixture *f = *state;

	/* one node "ab" with value 3 and no children: name length, name, value, children */
	assert_ok_err(ingest(f, "name=a", "binary/octet-stream+trie",
			     STR("\x00\x00\x01\x02"
				 "ab\x03\x00")),
		      &f->e);
	assert_int_equal(sum(f, "process_cpu:cpu:nanoseconds:cpu:nanoseconds"), 3 * 10000000);
	assert_ok_err(ingest(f, "name=a&format=tree", "",
			     STR("\x00\x00\x01\x02"
				 "ab\x04\x00")),
		      &f->e);
	assert_int_equal(sum(f, "process_cpu:cpu:nanoseconds:cpu:nanoseconds"), 4 * 10000000);
}

static void errors_name_the_bad_parameter(void **state)
{
	static const struct {
		const char *query, *says;
	} cases[] = {
		{"name=", "name: service name is required"},
		{"name=a%20b", "name: service name \"a b\" is invalid"},
		{"name=a%7Bb", "name: expected }"},
		{"name=a%7B%3Dc%7D", "name: label name is required"},
		{"name=a%7Bb-c%3Dd%7D", "name: label name \"b-c\" is invalid"},
		{"name=a%7B__name__%3Dd%7D", "name: label name \"__name__\" is reserved"},
		{"name=a%zz", "name: bad percent-escape"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(cases); i++) {
		assert_int_equal(ingest(f, cases[i].query, "", STR("a 1\n")), -EINVAL);
		assert_err_says(&f->e, cases[i].says);
	}
}

static void bad_and_empty_profiles_are_refused(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ingest(f, "name=a&format=jfr", "", STR("junk")), -EBADMSG);
	assert_int_equal(ingest(f, "name=a&format=pprof", "", STR("\xff\xff\xff")), -EBADMSG);
	assert_int_equal(ingest(f, "name=a&format=speedscope", "", STR("{")), -EBADMSG);
	assert_int_equal(ingest(f, "name=a&format=pprof", "", STR("\x1f\x8b\x08junk")), -EBADMSG);
	assert_ok_err(ingest(f, "name=a&format=pprof", "", STR("")), &f->e);
	assert_int_equal(f->map.series.n, 0);
	assert_ok_err(ingest(f, "name=a", "", STR("")), &f->e);
	assert_ok_err(ingest(f, "name=a&format=jfr", "", STR("")), &f->e);
}

/* Make a form from a NULL-terminated list of names and bodies. */
static struct str form(struct fixture *f, const char *const *names, const struct str *bodies)
{
	struct buf out = {0};
	struct str copy;

	for (size_t i = 0; names[i]; i++) {
		buf_printf(&out,
			   "--XyZ\r\nContent-Disposition: form-data; name=\"%s\"; "
			   "filename=\"%s.b\"\r\n"
			   "Content-Type: application/octet-stream\r\n\r\n",
			   names[i], names[i]);
		buf_put_str(&out, bodies[i]);
		buf_put_str(&out, STR("\r\n"));
	}
	buf_put_str(&out, STR("--XyZ--\r\n"));
	assert_ok(arena_copy_str(&f->arena, buf_str(&out), &copy));
	buf_fini(&out);
	return copy;
}

static void forms_have_named_parts(void **state)
{
	struct fixture *f = *state;
	static const char *const names[] = {"profile", "sample_type_config", "empty", NULL};
	const struct str bodies[] = {STR("one\r\n--Xy\r\ntwo"), STR("{}"), STR("")};
	struct str body = form(f, names, bodies);
	struct multipart m;
	struct multipart_part part;

	assert_ok(multipart_open(&m, body, STR("XyZ"), &f->e));
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(multipart_next(&m, &part, &f->e), 1);
		assert_str_equal(part.name, str_from(names[i]));
		assert_str_equal(part.bytes, bodies[i]);
	}
	assert_int_equal(multipart_next(&m, &part, &f->e), 0);
	for (size_t n = 0; n < body.n - 4; n++) { /* the last line may be cut after its boundary */
		int rc = multipart_open(&m, str_head(body, n), STR("XyZ"), NULL);

		while (!rc && (rc = multipart_next(&m, &part, NULL)) == 1)
			rc = 0;
		assert_int_equal(rc, -EBADMSG);
	}
	assert_int_equal(multipart_open(&m, body, STR(""), &f->e), -EBADMSG);
}

static void real_pprofs_get_the_types_that_pyroscope_assigns(void **state)
{
	static const struct {
		const char *file, *spy, *config, *types;
	} cases[] = {
		{"pprof/heap", "gospy", "",
		 "memory:alloc_objects:count:space:bytes memory:alloc_space:bytes:space:bytes "
		 "memory:inuse_objects:count:space:bytes memory:inuse_space:bytes:space:bytes"},
		{"pprof/profile_java", "x", "", "process_cpu:cpu:nanoseconds:cpu:nanoseconds"},
		{"pprof/go.cpu.labels.pprof", "gospy", "",
		 "process_cpu:cpu:nanoseconds:cpu:nanoseconds "
		 "process_cpu:samples:count:cpu:nanoseconds"},
		{"pprof/pyspy-1.pb.gz", "pyspy", "", "process_cpu:samples:count::milliseconds"},
		{"pprof/nodejs-wall.pb.gz", "nodespy", "", NULL},
		{"pprof/cpu.pb.gz", "gospy",
		 "{\"samples\":{\"units\":\"samples\",\"display-name\":\"cpu\",\"sampled\":true}}",
		 "process_cpu:cpu:nanoseconds:cpu:nanoseconds "
		 "process_cpu:samples:count:cpu:nanoseconds"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(cases); i++) {
		static const char *const names[] = {"profile", "sample_type_config", NULL};
		char query[100];

		if (!load(f, cases[i].file)) {
			skip();
			return;
		}

		const struct str bodies[] = {buf_str(&f->file), str_from(cases[i].config)};

		snprintf(query, sizeof(query), "name=app&spyName=%s", cases[i].spy);
		assert_ok_err(ingest(f, query, "multipart/form-data; boundary=XyZ",
				     form(f, names, bodies)),
			      &f->e);
		if (cases[i].types)
			assert_string_equal(types(f), cases[i].types);
		else
			assert_true(str_starts(label(f, 0, "__profile_type__"), STR("wall:")));
		snprintf(query, sizeof(query), "name=app&format=pprof&spyName=%s", cases[i].spy);
		assert_ok_err(ingest(f, query, "", buf_str(&f->file)), &f->e);
	}
}

static void invalid_text_is_a_bad_profile(void **state)
{
	struct fixture *f = *state;

	if (!load(f, "pprof/invalid_utf8.pb.gz"))
		skip();
	else
		assert_int_equal(ingest(f, "name=a&format=pprof", "", buf_str(&f->file)), -EBADMSG);
}

static void recordings_keep_their_labels(void **state)
{
	static const char *const names[] = {"jfr", "labels", NULL};
	struct fixture *f = *state;
	struct str labels;

	if (!load(f, "jfr/dump1.labels.pb.gz")) {
		skip();
		return;
	}
	assert_ok(arena_copy_str(&f->arena, buf_str(&f->file), &labels));
	assert_true(load(f, "jfr/dump1.jfr.gz"));

	const struct str bodies[] = {buf_str(&f->file), labels};

	assert_ok_err(ingest(f, "name=java.app&format=jfr&spyName=javaspy&from=1700000000",
			     "multipart/form-data; boundary=XyZ", form(f, names, bodies)),
		      &f->e);
	assert_string_equal(types(f), "process_cpu:cpu:nanoseconds:cpu:nanoseconds");
	/* the golden files: one for each set of labels */
	assert_int_equal(f->map.series.n, 5);
	for (uint32_t i = 0; i < f->map.series.n; i++)
		assert_str_equal(label(f, i, "thread.name"), STR(""));
	assert_true(load(f, "jfr/cortex-dev-01__kafka-0__cpu_lock_alloc__0.jfr.gz"));
	assert_ok_err(ingest(f, "name=java.app&format=jfr", "", buf_str(&f->file)), &f->e);
	assert_string_equal(types(f), "memory:alloc_in_new_tlab_bytes:bytes:space:bytes "
				      "memory:alloc_in_new_tlab_objects:count:space:bytes "
				      "process_cpu:cpu:nanoseconds:cpu:nanoseconds");
	assert_int_equal(f->map.series.n, 3);
}

/* Find the earliest start of a profile and the earliest time of a sample. */
static void first_times(const struct fixture *f, uint64_t out[2])
{
	out[0] = out[1] = UINT64_MAX;
	for (uint32_t i = 0; i < f->batch.profiles.n; i++)
		if (f->batch.profiles.at[i].time_unix_nano < out[0])
			out[0] = f->batch.profiles.at[i].time_unix_nano;
	for (uint32_t i = 0; i < f->batch.times.n; i++)
		if (f->batch.times.at[i] < out[1])
			out[1] = f->batch.times.at[i];
}

/*
 * A recording outside of the range from/until is moved to it; a recording that overlaps the range
 * is not changed.
 */
static void a_recording_outside_of_its_range_is_shifted(void **state)
{
	static const struct {
		int64_t from, until; /* seconds after the start of the recording */
		bool shifted;
	} cases[] = {{-10, 10, false},
		     {0, 0, false},
		     {-20, -10, true},
		     {86400, 86410, true},
		     {86400, 86400, true}};
	struct fixture *f = *state;
	struct jfr_make m = {0};
	uint64_t was[2], is[2];
	char query[200];

	make_recording(&m);
	assert_ok_err(ingest(f, "name=a&format=jfr", "", buf_str(&m.out)), &f->e);
	first_times(f, was);
	assert_true(was[1] != UINT64_MAX);
	for (size_t i = 0; i < countof(cases); i++) {
		uint64_t second = was[0] / NS_PER_SECOND;
		uint64_t from = second + (uint64_t)cases[i].from;
		uint64_t until = second + (uint64_t)cases[i].until + (cases[i].from == 0);

		snprintf(query, sizeof(query), "name=a&format=jfr&from=%llu&until=%llu",
			 (unsigned long long)from, (unsigned long long)until);
		assert_ok_err(ingest(f, query, "", buf_str(&m.out)), &f->e);
		first_times(f, is);
		assert_int_equal(is[0], cases[i].shifted ? from * NS_PER_SECOND : was[0]);
		assert_int_equal(is[1] - is[0], was[1] - was[0]);
	}
	snprintf(query, sizeof(query), "name=a&format=jfr&from=1600000000");
	assert_ok_err(ingest(f, query, "", buf_str(&m.out)), &f->e);
	first_times(f, is);
	assert_int_equal(is[0], was[0]); /* half a range has no effect */
	buf_fini(&m.out);
}

static void speedscope_files_get_a_type_from_their_unit(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(
		ingest(f, "name=a&format=speedscope", "",
		       STR("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
			   "\"shared\":{\"frames\":[{\"name\":\"x\"}]},\"profiles\":[{\"type\":"
			   "\"sampled\",\"name\":\"p\",\"unit\":\"seconds\",\"startValue\":0,"
			   "\"endValue\":2,\"samples\":[[0]],\"weights\":[2]}]}")),
		&f->e);
	assert_string_equal(types(f), "process_cpu:cpu:nanoseconds:cpu:nanoseconds");
	assert_int_equal(sum(f, types(f)), 2 * NS_PER_SECOND);
	assert_str_equal(label(f, 0, "profile_name"), STR(""));
	assert_ok_err(
		ingest(f, "name=a&format=speedscope", "",
		       STR("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
			   "\"shared\":{\"frames\":[{\"name\":\"x\"}]},\"profiles\":[{\"type\":"
			   "\"sampled\",\"name\":\"p\",\"unit\":\"nanoseconds\",\"startValue\":0,"
			   "\"endValue\":2,\"samples\":[[0]],\"weights\":[2]},{\"type\":"
			   "\"sampled\","
			   "\"name\":\"q\",\"unit\":\"bytes\",\"startValue\":0,\"endValue\":9,"
			   "\"samples\":[[0]],\"weights\":[9]}]}")),
		&f->e);
	assert_string_equal(types(f),
			    "memory:samples:bytes:: wall:wall:nanoseconds:cpu:nanoseconds");
	assert_int_equal(sum(f, "memory:samples:bytes::"), 9);
	assert_str_equal(label(f, 0, "profile_name"), STR("p"));
}

/* Make a small pprof of Go's CPU profiler: two types, one stack, a span. */
static struct str small_pprof(struct fixture *f, const char *span_key)
{
	struct profile_builder b;
	struct profile_batch batch;
	struct buf out = {0};
	struct str copy;
	uint32_t location, stack, span;

	assert_ok(profile_batch_init(&batch, NULL));
	assert_ok(profile_builder_init(&b, &batch));
	assert_ok(profile_begin(&b, STR("cpu"), STR("nanoseconds")));
	batch.profiles.at[0].time_unix_nano = 1700000000 * NS_PER_SECOND;
	assert_ok(profile_add_frame(&b, STR("work"), STR("app.py"), 3, &location));
	assert_ok(profile_add_stack(&b, &location, 1, &stack));
	assert_ok(profile_add_attribute(&b, str_from(span_key),
					VALUE_OF_STR(STR("00000bac2a5ab0c7")), STR(""), &span));
	assert_ok(profile_add_sample(&b, stack, 0, &span, 1, 10));
	assert_ok(profile_add_sample(&b, stack, 0, NULL, 0, 20));
	assert_ok(pprof_encode_raw(&out, &batch, NULL, &f->e));
	assert_ok(arena_copy_str(&f->arena, buf_str(&out), &copy));
	buf_fini(&out);
	profile_batch_fini(&batch);
	return copy;
}

static void script_functions_include_their_file_in_the_name(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(ingest(f, "name=a&format=pprof&spyName=pyspy", "", small_pprof(f, "x")),
		      &f->e);
	assert_str_equal(string_of(&f->batch, f->batch.functions.at[1].name), STR("app.py work"));
	assert_ok_err(ingest(f, "name=a&format=pprof&spyName=gospy", "", small_pprof(f, "x")),
		      &f->e);
	assert_str_equal(string_of(&f->batch, f->batch.functions.at[1].name), STR("work"));
}

static void times_in_1970_are_replaced(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(ingest(f, "name=a&format=pprof&from=1650000000", "", small_pprof(f, "x")),
		      &f->e);
	assert_int_equal(f->batch.profiles.at[0].time_unix_nano, 1700000000 * NS_PER_SECOND);
	f->batch.profiles.at[0].time_unix_nano = 1700000000 * (NS_PER_SECOND / 1000);
	fixup_time(&f->batch, (uint64_t)5 * 365 * 86400 * NS_PER_SECOND, 0);
	assert_int_equal(f->batch.profiles.at[0].time_unix_nano,
			 (uint64_t)5 * 365 * 86400 * NS_PER_SECOND);
}

static struct str gzipped(struct fixture *f, struct str in)
{
	struct buf out = {0};
	struct str copy;

	assert_ok(compress_bytes(&out, COMPRESS_GZIP, 0, in, &f->e));
	assert_ok(arena_copy_str(&f->arena, buf_str(&out), &copy));
	buf_fini(&out);
	return copy;
}

/* Custom exporters send a body and headers, but no query. */
static void without_a_query_headers_and_content_describe_the_profile(void **state)
{
	const struct ingest_headers headers = {.service = STR("checkout"),
					       .type = STR("CPU"),
					       .time = STR("2023-11-15T00:00:00Z"),
					       .trace = STR("0102030405060708090a0b0c0d0e0f10")};
	struct fixture *f = *state;
	struct str once = gzipped(f, small_pprof(f, "span_id")), twice = gzipped(f, once);
	const struct str bodies[] = {small_pprof(f, "span_id"), once, twice};

	for (size_t i = 0; i < countof(bodies); i++) {
		assert_ok_err(ingest_with(f, "", "application/x-protobuf", &headers, bodies[i]),
			      &f->e);
		assert_string_equal(types(f), "process_cpu:cpu:nanoseconds::");
		assert_str_equal(label(f, 0, "service_name"), STR("checkout"));
		assert_str_equal(label(f, 0, "pyroscope_spy"), STR(""));
		assert_int_equal(f->batch.profiles.at[0].time_unix_nano,
				 (uint64_t)1700006400 * NS_PER_SECOND);
		for (uint32_t k = 0; k < 2; k++) { /* with and without a span of its own */
			const struct link *l = &f->batch.links.at[f->batch.sample_link[k]];

			assert_memory_equal(l->trace_id,
					    "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20", 16);
			assert_memory_equal(l->span_id,
					    k ? "\0\0\0\0\0\0\0\0" : "\0\0\13\254\52\132\260\307",
					    8);
		}
	}
	assert_ok_err(ingest(f, "", "", small_pprof(f, "x")), &f->e);
	assert_str_equal(label(f, 0, "service_name"), STR("unknown_service"));
	assert_int_equal(f->batch.profiles.at[0].time_unix_nano, 1700000000 * NS_PER_SECOND);
	assert_int_equal(f->batch.sample_link[1], 0);
	assert_ok_err(ingest_with(f, "name=shop", "", &headers, once), &f->e);
	assert_str_equal(label(f, 0, "service_name"), STR("shop"));
	assert_ok_err(ingest(f, "", "",
			     STR("{\"resourceProfiles\":[{\"resource\":{\"attributes\":"
				 "[{\"key\":\"service.name\",\"value\":{\"stringValue\":"
				 "\"own\"}},{\"key\":\"env\",\"value\":{\"stringValue\":"
				 "\"dev\"}}]},\"scopeProfiles\":[{\"profiles\":[{"
				 "\"sampleType\":{\"typeStrindex\":1,\"unitStrindex\":2},"
				 "\"samples\":[{\"stackIndex\":0,\"values\":[\"3\"]}]}]}]}],"
				 "\"dictionary\":{\"stringTable\":[\"\",\"cpu\","
				 "\"nanoseconds\"],\"stackTable\":[{}]}}")),
		      &f->e);
	assert_str_equal(label(f, 0, "service_name"), STR("own"));
	assert_str_equal(label(f, 0, "env"), STR("dev"));
}

static struct str pprof_of_type(struct fixture *f, const char *type);

/* X-Profile-Type gives the name of a profile that has sample types, and the whole type of text. */
static void the_header_gives_the_type(void **state)
{
	static const struct {
		const char *type, *of_pprof, *of_text;
	} cases[] = {
		{"cpu", "process_cpu:space:bytes::", "process_cpu:cpu:nanoseconds:cpu:nanoseconds"},
		{"heap", "memory:space:bytes::", "memory:inuse_space:bytes:space:bytes"},
		{"allocs", "memory:space:bytes::", "memory:alloc_space:bytes:space:bytes"},
		{"alloc_objects", "memory:space:bytes::", "memory:alloc_objects:count:space:bytes"},
		{"Goroutine",
		 "goroutine:space:bytes::", "goroutine:goroutine:count:goroutine:count"},
		{"block", "block:space:bytes::", "block:delay:nanoseconds:contentions:count"},
		{"mutex", "mutex:space:bytes::", "mutex:delay:nanoseconds:contentions:count"},
		{"wall", "wall:space:bytes::", "wall:wall:nanoseconds:cpu:nanoseconds"},
		{"gpu_time2", "gpu_time2:space:bytes::", NULL},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(cases); i++) {
		struct ingest_headers headers = {.type = str_from(cases[i].type)};

		assert_ok_err(ingest_with(f, "", "", &headers, pprof_of_type(f, "space")), &f->e);
		assert_string_equal(types(f), cases[i].of_pprof);
		assert_int_equal(ingest_with(f, "", "", &headers, STR("a;b 7\n")),
				 cases[i].of_text ? 0 : -EBADMSG);
		if (cases[i].of_text)
			assert_string_equal(types(f), cases[i].of_text);
		else
			assert_err_says(&f->e, "X-Profile-Type: \"gpu_time2\" is not enough");
	}
}

static void errors_name_the_bad_header(void **state)
{
	static const struct {
		struct ingest_headers headers;
		const char *says;
	} cases[] = {
		{{.type = STR_INIT("cpu:x")}, "X-Profile-Type: expected cpu"},
		{{.type = STR_INIT("9cpu")}, "X-Profile-Type: expected cpu"},
		{{.time = STR_INIT("yesterday")}, "X-Profile-Timestamp: expected RFC 3339"},
		{{.trace = STR_INIT("0102")}, "X-Trace-ID: expected 32 hex digits"},
		{{.trace = STR_INIT("0102030405060708090a0b0c0d0e0f1g")}, "X-Trace-ID: expected"},
		{{.trace = STR_INIT("00000000000000000000000000000000")}, "not all zero"},
		{{.trace = STR_INIT("0102030405060708090a0b0c0d0e0f1011")}, "X-Trace-ID: expected"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(cases); i++) {
		assert_int_equal(ingest_with(f, "", "", &cases[i].headers, STR("a;b 1\n")),
				 -EINVAL);
		assert_err_says(&f->e, cases[i].says);
	}
	assert_int_equal(ingest(f, "", "", STR("\x01\xff\xfe junk")), -EBADMSG);
	assert_err_says(&f->e, "not a profile of a known format; name it with ?format=");
}

/* Make a pprof with one sample of that type. */
static struct str pprof_of_type(struct fixture *f, const char *type)
{
	struct profile_builder b;
	struct profile_batch batch;
	struct buf out = {0};
	struct str copy;

	assert_ok(profile_batch_init(&batch, NULL));
	assert_ok(profile_builder_init(&b, &batch));
	assert_ok(profile_begin(&b, str_from(type), STR("bytes")));
	assert_ok(profile_add_sample(&b, 0, 0, NULL, 0, 7));
	assert_ok(pprof_encode_raw(&out, &batch, NULL, &f->e));
	assert_ok(arena_copy_str(&f->arena, buf_str(&out), &copy));
	buf_fini(&out);
	profile_batch_fini(&batch);
	return copy;
}

static void dashes_are_removed_from_dotnet_sample_types(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(ingest(f, "name=a&format=pprof&spyName=dotnetspy", "",
			     pprof_of_type(f, "inuse-space")),
		      &f->e);
	assert_string_equal(types(f), "memory:inuse_space:bytes::");
	assert_ok_err(
		ingest(f, "name=a&format=pprof&spyName=gospy", "", pprof_of_type(f, "inuse-space")),
		&f->e);
	assert_string_equal(types(f), "inuse-space:inuse-space:bytes::");
}

static void failing_allocations_are_errors(void **state)
{
	static const char *const names[] = {"profile", "sample_type_config", NULL};
	struct fixture *f = *state;
	const struct str bodies[] = {small_pprof(f, "profile_id"),
				     STR("{\"cpu\":{\"display-name\":\"cpu\"}}")};
	struct ingest_request r = {.query = STR("name=a%7Bb%3Dc%7D&spyName=pyspy"),
				   .content_type = STR("multipart/form-data; boundary=XyZ"),
				   .body = form(f, names, bodies),
				   .now = NOW,
				   .max_bytes = MIB};

	for (int which = 0; which < 2; which++) {
		int rc = -ENOMEM;

		for (unsigned n = 1; rc; n++) {
			struct profile_batch batch;
			struct arena arena;

			assert_ok(profile_batch_init(&batch, NULL));
			arena_init(&arena, NULL);
			(which ? &batch.arena : &arena)->fail_after = n;
			rc = ingest_decode(&batch, &arena, &r, NULL);
			assert_true(rc == 0 || rc == -ENOMEM);
			assert_true(n < 1000);
			profile_batch_fini(&batch);
			arena_fini(&arena);
		}
	}
}

static void put_label(struct proto_writer *w, const char *name, const char *value)
{
	size_t mark = proto_mark(w);

	proto_put_bytes(w, 2, str_from(value));
	proto_put_bytes(w, 1, str_from(name));
	proto_put_header(w, 1, mark);
}

static void put_raw(struct proto_writer *w, struct str pprof, const char *id)
{
	size_t mark = proto_mark(w);

	proto_put_bytes(w, 2, str_from(id));
	proto_put_bytes(w, 1, pprof);
	proto_put_header(w, 2, mark);
}

static int push_one(struct fixture *f, const struct push_request *r, uint32_t i)
{
	int rc;

	f->e = (struct err){0};
	assert_ok(profile_batch_reset(&f->batch));
	rc = push_decode(&f->batch, &f->arena, r, i, 64 * MIB, &f->e);
	if (!rc)
		assert_ok(series_map_init(&f->map, &f->batch, NULL, &f->arena));
	return rc;
}

static void a_push_is_decoded_profile_by_profile(void **state)
{
	struct fixture *f = *state;
	struct push_request r;
	struct proto_writer w;

	proto_writer_init(&w, NULL);
	put_raw(&w, STR("junk"), "bad");
	put_label(&w, "__name__", "process_cpu");
	proto_put_header(&w, 1, 0);

	size_t mark = proto_mark(&w);

	put_raw(&w, small_pprof(f, "profile_id"), "123e4567-e89b-12d3-a456-426614174000");
	put_label(&w, "pod", "p1");
	put_label(&w, "__name__", "deadmans_switch");
	proto_put_header(&w, 1, mark);
	assert_ok_err(push_read(&r, proto_writer_str(&w), &f->arena, &f->e), &f->e);
	assert_int_equal(r.series.n, 2);
	assert_int_equal(r.profiles.n, 2);
	assert_str_equal(r.profiles.at[1].id, STR("bad"));
	assert_ok_err(push_one(f, &r, 0), &f->e);
	assert_string_equal(types(f), "deadmans_switch:cpu:nanoseconds::");
	assert_str_equal(label(f, 0, "service_name"), STR("unknown_service"));
	assert_str_equal(label(f, 0, "pod"), STR("p1"));
	assert_int_equal(f->batch.profiles.at[0].id[0], 0x12);
	assert_int_equal(f->batch.profiles.at[0].id[15], 0);
	assert_int_equal(f->map.series.n, 1); /* the span becomes a link, not a label */
	assert_int_equal(f->batch.links.at[f->batch.sample_link[0]].span_id[7], 0xc7);
	assert_int_equal(f->batch.sample_link[1], 0);
	assert_int_equal(push_one(f, &r, 1), -EBADMSG);

	struct str whole = proto_writer_str(&w);

	for (size_t n = 0; n < whole.n; n++) {
		int rc = push_read(&r, str_head(whole, n), &f->arena, NULL);

		assert_true(rc == 0 || rc == -EBADMSG);
	}
	proto_writer_fini(&w);
}

static void a_push_in_json_gives_the_same_result(void **state)
{
	struct fixture *f = *state;
	struct push_request r;
	struct buf proto = {0};

	assert_ok_err(
		schema_json_to_proto(
			&proto, &push_request_schema,
			STR("{\"series\":[{\"labels\":[{\"name\":\"__name__\",\"value\":\"x\"}],"
			    "\"samples\":[{\"rawProfile\":\"AAEC\",\"ID\":\"i\"}],"
			    "\"annotations\":[]}]}"),
			&f->arena, &f->e),
		&f->e);
	assert_ok_err(push_read(&r, buf_str(&proto), &f->arena, &f->e), &f->e);
	assert_int_equal(r.profiles.n, 1);
	assert_str_equal(r.profiles.at[0].id, STR("i"));
	assert_str_equal(r.profiles.at[0].pprof, STR("\x00\x01\x02"));
	buf_fini(&proto);
}

static void ids_are_the_same_for_a_retry_and_differ_by_type(void **state)
{
	struct fixture *f = *state;
	uint8_t first[PROFILE_ID_SIZE], zero[PROFILE_ID_SIZE] = {0};
	struct profile_builder b;

	assert_ok(profile_builder_init(&b, &f->batch));
	assert_ok(profile_begin(&b, STR("a"), STR("b")));
	assert_ok(profile_add_profile(&b, &(struct profile){0}, NULL, 0));
	fixup_ids(&f->batch, STR(""));
	assert_memory_equal(f->batch.profiles.at[0].id, zero, sizeof(zero));
	fixup_ids(&f->batch, STR("some key"));
	memcpy(first, f->batch.profiles.at[0].id, sizeof(first));
	assert_memory_not_equal(first, zero, sizeof(zero));
	assert_memory_not_equal(first, f->batch.profiles.at[1].id, sizeof(first));
	/* the id does not depend on the process */
	assert_int_equal(first[0], 0x40);
	fixup_ids(&f->batch, STR("another"));
	assert_memory_not_equal(first, f->batch.profiles.at[0].id, sizeof(first));
}

TEST_MAIN(test_with(fixture, folded_stacks_count_ticks_of_the_sample_rate),
	  test_with(fixture, the_suffix_of_the_name_gives_the_type),
	  test_with(fixture, lines_count_one_each),
	  test_with(fixture, tries_and_trees_are_recognized_by_content_type),
	  test_with(fixture, errors_name_the_bad_parameter),
	  test_with(fixture, bad_and_empty_profiles_are_refused),
	  test_with(fixture, forms_have_named_parts),
	  test_with(fixture, real_pprofs_get_the_types_that_pyroscope_assigns),
	  test_with(fixture, invalid_text_is_a_bad_profile),
	  test_with(fixture, recordings_keep_their_labels),
	  test_with(fixture, a_recording_outside_of_its_range_is_shifted),
	  test_with(fixture, without_a_query_headers_and_content_describe_the_profile),
	  test_with(fixture, the_header_gives_the_type),
	  test_with(fixture, errors_name_the_bad_header),
	  test_with(fixture, speedscope_files_get_a_type_from_their_unit),
	  test_with(fixture, script_functions_include_their_file_in_the_name),
	  test_with(fixture, times_in_1970_are_replaced),
	  test_with(fixture, dashes_are_removed_from_dotnet_sample_types),
	  test_with(fixture, failing_allocations_are_errors),
	  test_with(fixture, a_push_is_decoded_profile_by_profile),
	  test_with(fixture, a_push_in_json_gives_the_same_result),
	  test_with(fixture, ids_are_the_same_for_a_retry_and_differ_by_type))
