/* SPDX-License-Identifier: Apache-2.0 */
/* The JFR decoder: profiles, labels, settings, hostile recordings. */
#include "format/decode_helper.h"
#include "format/jfr/jfr.h"
#include "format/jfr/jfr_recording.h"
#include "format/jfr/names.h"
#include "wire/proto.h"

static void decode_made(struct profile_batch *b, struct jfr_make *m, const struct decode_options *o)
{
	struct err e = {0};

	assert_ok(buf_error(&m->out));
	assert_ok(profile_batch_init(b, NULL));
	assert_ok_err(format_decode(b, buf_str(&m->out), NULL, STR(""), o, NULL, &e), &e);
	assert_batch_valid(b);
}

/* Return the profile with this type and period type. */
static const struct profile *find_profile(const struct profile_batch *b, const char *type,
					  const char *period)
{
	for (uint32_t i = 0; i < b->profiles.n; i++)
		if (str_eq(string_of(b, b->profiles.at[i].sample_type.type), str_from(type)) &&
		    str_eq(string_of(b, b->profiles.at[i].period_type.type), str_from(period)))
			return &b->profiles.at[i];
	fail_msg("no profile %s/%s", type, period);
	return NULL;
}

static int64_t total(const struct profile_batch *b, const struct profile *p)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < p->sample_count; i++)
		sum += sample_total(b, p->sample_first + i);
	return sum;
}

static struct str attribute_text(const struct profile_batch *b, uint32_t sample, const char *key)
{
	uint32_t at = b->sample_attributes_at[sample];
	const struct attribute *a =
		profile_find_attribute(b, b->sample_attributes.at + at,
				       b->sample_attributes_at[sample + 1] - at, str_from(key));

	return a && a->value.kind == VALUE_STRING ? a->value.s : (struct str){0};
}

static const struct line *frame(const struct profile_batch *b, uint32_t sample, uint32_t i)
{
	uint32_t n;
	const uint32_t *locations = stack_of(b, b->sample_stack[sample], &n);

	assert_true(i < n);
	return &b->lines.at[b->locations.at[locations[i]].lines.at];
}

static struct str frame_name(const struct profile_batch *b, uint32_t sample, uint32_t i)
{
	return string_of(b, b->functions.at[frame(b, sample, i)->function].name);
}

static void check_recording(const struct profile_batch *b)
{
	const struct profile *cpu = find_profile(b, "cpu", "cpu");
	uint32_t first = cpu->sample_first;

	assert_int_equal(b->profiles.n, 8);
	assert_int_equal(total(b, cpu), 30000000);
	assert_int_equal(cpu->period, 10000000);
	assert_int_equal(cpu->sample_count, 2); /* with and without a context */
	assert_int_equal(total(b, find_profile(b, "wall", "wall")), 5 * 20000000);
	assert_int_equal(total(b, find_profile(b, "alloc_in_new_tlab_objects", "space")), 2);
	assert_int_equal(total(b, find_profile(b, "alloc_in_new_tlab_bytes", "space")), 1536);
	assert_int_equal(total(b, find_profile(b, "contentions", "mutex")), 1);
	assert_int_equal(total(b, find_profile(b, "delay", "mutex")), 1500);
	assert_int_equal(total(b, find_profile(b, "contentions", "block")), 1);
	assert_int_equal(total(b, find_profile(b, "delay", "block")), 40000);

	assert_str_equal(frame_name(b, first, 0), STR("app/Main.work"));
	assert_str_equal(frame_name(b, first, 1), STR("app/Main$$Lambda_.run"));
	assert_str_equal(frame_name(b, first, 2), STR("app/Main.main"));
	assert_int_equal(frame(b, first, 0)->line, 12);
	assert_int_equal(frame(b, first, 1)->line, 0); /* -1: unknown */
	assert_str_equal(attribute_text(b, first, "thread.name"), STR("main"));
	assert_str_equal(attribute_text(b, first, "thread.state"), STR("RUNNABLE"));
}

static void a_recording_becomes_profiles_with_pyroscopes_names(void **state)
{
	struct jfr_make m = {.compressed = true};
	struct profile_batch b;

	(void)state;
	make_recording(&m);
	decode_made(&b, &m, NULL);
	check_recording(&b);
	profile_batch_fini(&b);
	buf_fini(&m.out);
}

static void big_endian_integers_decode_the_same(void **state)
{
	struct jfr_make m = {.compressed = false};
	struct profile_batch b;

	(void)state;
	make_recording(&m);
	decode_made(&b, &m, NULL);
	check_recording(&b);
	profile_batch_fini(&b);
	buf_fini(&m.out);
}

static void every_event_keeps_its_time(void **state)
{
	struct jfr_make m = {.compressed = true};
	struct profile_batch b;

	(void)state;
	make_recording(&m);
	decode_made(&b, &m, NULL);

	const struct profile *cpu = find_profile(&b, "cpu", "cpu");
	uint32_t at = b.sample_times_at[cpu->sample_first];

	assert_int_equal(b.sample_times_at[cpu->sample_first + 1] - at, 2);
	assert_int_equal(b.times.at[at], START_NANOS + 500);
	assert_int_equal(b.times.at[at + 1], START_NANOS + 1000);
	assert_int_equal(cpu->time_unix_nano, START_NANOS);
	assert_int_equal(cpu->duration_nano, 1000000);
	profile_batch_fini(&b);
	buf_fini(&m.out);
}

static void a_late_event_extends_the_profile(void **state)
{
	struct jfr_make m = {.compressed = true};
	struct profile_batch b;

	(void)state;
	make_recording_chunk(&m, "work");
	make_execution(&m, 3000000, 1, 1, 0);
	make_execution(&m, (uint64_t)-2000, 1, 1, 0); /* before the start of the chunk */
	make_chunk_end(&m);
	decode_made(&b, &m, NULL);
	assert_int_equal(b.profiles.at[0].time_unix_nano, START_NANOS - 1000);
	assert_int_equal(b.profiles.at[0].duration_nano, 1500000 + 1000 + 1);
	profile_batch_fini(&b);
	buf_fini(&m.out);
}

static void frames_threads_and_classes_have_their_kinds(void **state)
{
	struct jfr_make m = {.compressed = true};
	struct profile_batch b;
	uint32_t n;

	(void)state;
	make_recording(&m);
	decode_made(&b, &m, NULL);

	uint32_t wall = find_profile(&b, "wall", "wall")->sample_first;
	const struct location *leaf = &b.locations.at[stack_of(&b, b.sample_stack[wall], &n)[0]];
	const struct attribute *kind =
		profile_find_attribute(&b, b.attribute_refs.at + leaf->attributes.at,
				       leaf->attributes.n, STR("profile.frame.type"));

	assert_non_null(kind);
	assert_str_equal(kind->value.s, STR("native"));
	assert_str_equal(frame_name(&b, wall, 0), STR("libjvm.so.JVM_Sleep"));
	assert_str_equal(attribute_text(&b, wall, "thread.name"), STR("GC Thread"));

	uint32_t allocation = find_profile(&b, "alloc_in_new_tlab_bytes", "space")->sample_first;
	uint32_t lock = find_profile(&b, "delay", "mutex")->sample_first;

	assert_str_equal(attribute_text(&b, allocation, "object.class"), STR("byte[]"));
	assert_str_equal(attribute_text(&b, lock, "object.class"), STR("app.Main"));
	profile_batch_fini(&b);
	buf_fini(&m.out);
}

static void the_jvm_and_the_recorder_are_recorded(void **state)
{
	struct jfr_make m = {.compressed = true};
	struct profile_batch b;

	(void)state;
	make_recording(&m);
	decode_made(&b, &m, NULL);

	struct list attributes = b.resources.at[0].attributes;

	assert_int_equal(profile_find_keyvalue(&b, attributes, STR("process.pid"))->i, 321);
	assert_str_equal(profile_find_keyvalue(&b, attributes, STR("process.runtime.name"))->s,
			 STR("Test VM"));
	assert_str_equal(b.scopes.at[0].name, STR("async-profiler"));
	assert_str_equal(b.scopes.at[0].version, STR("3.0"));
	profile_batch_fini(&b);
	buf_fini(&m.out);
}

/* Write "context 7 has request=GET" as Pyroscope's agent does. */
static void make_labels(struct proto_writer *w)
{
	size_t entry = proto_mark(w), label;

	proto_put_bytes(w, 2, STR("request"));
	proto_put_uint(w, 1, 11);
	proto_put_header(w, 2, entry);
	entry = proto_mark(w);
	proto_put_bytes(w, 2, STR("GET"));
	proto_put_uint(w, 1, 12);
	proto_put_header(w, 2, entry);
	entry = proto_mark(w);
	label = proto_mark(w);
	proto_put_uint(w, 2, 12);
	proto_put_uint(w, 1, 11);
	proto_put_header(w, 1, label);
	proto_put_header(w, 2, label);
	proto_put_uint(w, 1, 7);
	proto_put_header(w, 1, entry);
}

static void a_label_snapshot_applies_to_samples_of_its_context(void **state)
{
	struct jfr_make m = {.compressed = true};
	struct profile_batch b;
	struct proto_writer w;

	(void)state;
	proto_writer_init(&w, NULL);
	make_labels(&w);
	make_recording(&m);
	decode_made(&b, &m, &(struct decode_options){.labels = proto_writer_str(&w)});

	uint32_t first = find_profile(&b, "cpu", "cpu")->sample_first;

	assert_str_equal(attribute_text(&b, first, "request"), (struct str){0});
	assert_str_equal(attribute_text(&b, first + 1, "request"), STR("GET"));
	assert_str_equal(attribute_text(&b, first + 1, "profile_id"), STR("0000000000abcdef"));
	profile_batch_fini(&b);
	proto_writer_fini(&w);
	buf_fini(&m.out);
}

static void an_invalid_label_snapshot_is_rejected(void **state)
{
	struct decode_options o = {.labels = STR("\x0a\x7f")};
	struct jfr_make m = {.compressed = true};
	struct profile_batch b;
	struct err e = {0};

	(void)state;
	make_recording(&m);
	assert_ok(profile_batch_init(&b, NULL));
	assert_int_equal(format_jfr.decode(&b, buf_str(&m.out), &o, &e), -EBADMSG);
	assert_err_says(&e, "label snapshot: at byte 2");
	profile_batch_fini(&b);
	buf_fini(&m.out);
}

static void ids_are_local_to_their_chunk(void **state)
{
	struct jfr_make m = {.compressed = true};
	struct profile_batch b;

	(void)state;
	make_recording(&m);
	make_recording_chunk(&m, "play");
	make_chunk_end(&m);
	decode_made(&b, &m, NULL);

	const struct profile *cpu = find_profile(&b, "cpu", "cpu");

	assert_int_equal(cpu->sample_count, 4);
	assert_int_equal(total(&b, cpu), 60000000);
	assert_str_equal(frame_name(&b, cpu->sample_first, 0), STR("app/Main.work"));
	assert_str_equal(frame_name(&b, cpu->sample_first + 2, 0), STR("app/Main.play"));
	profile_batch_fini(&b);
	buf_fini(&m.out);
}

/* A setting with a constant as its name and a UTF-16 value, in a chunk with wall clock samples. */
static void strings_are_read_in_all_encodings(void **state)
{
	static const uint16_t number[] = {'3', '0', '0', '0'};
	static const uint16_t text[] = {'a', 0xe9, 0x20ac, 0xd83d, 0xde00, 0xdc00, 0xd800};
	struct jfr_make m = {.compressed = true};
	struct profile_batch b;

	(void)state;
	make_recording_chunk(&m, "work");
	make_event_begin(&m, T_SETTING);
	make_long(&m, START_TICKS);
	make_long(&m, T_EXECUTION);
	make_byte(&m, 2);
	make_long(&m, 5); /* "interval" */
	make_chars(&m, number, countof(number));
	make_event_end(&m);
	make_event_begin(&m, T_JVM);
	make_long(&m, START_TICKS);
	make_latin1(&m, "caf\xe9");
	make_chars(&m, text, countof(text));
	make_long(&m, 1);
	make_event_end(&m);
	make_chunk_end(&m);
	decode_made(&b, &m, NULL);
	assert_int_equal(find_profile(&b, "cpu", "cpu")->period, 3000);

	struct list attributes = b.resources.at[0].attributes;

	assert_str_equal(profile_find_keyvalue(&b, attributes, STR("process.runtime.name"))->s,
			 STR("caf\xc3\xa9"));
	assert_str_equal(
		profile_find_keyvalue(&b, attributes, STR("process.runtime.description"))->s,
		STR("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd\xef\xbf\xbd"));
	profile_batch_fini(&b);
	buf_fini(&m.out);
}

static void names_that_are_not_utf8_are_repaired(void **state)
{
	struct jfr_make m = {.compressed = true};
	struct profile_batch b;

	(void)state;
	make_recording_chunk(&m, "w\xffrk");
	make_chunk_end(&m);
	decode_made(&b, &m, NULL);
	assert_str_equal(frame_name(&b, find_profile(&b, "cpu", "cpu")->sample_first, 0),
			 STR("app/Main.w\xef\xbf\xbdrk"));
	profile_batch_fini(&b);
	buf_fini(&m.out);
}

static void samples_without_a_stack_are_counted(void **state)
{
	struct jfr_make m = {.compressed = true};
	struct profile_batch b;

	(void)state;
	make_recording_chunk(&m, "work");
	make_execution(&m, 5000, 99, 1, 0);
	make_chunk_end(&m);
	decode_made(&b, &m, NULL);
	assert_int_equal(total(&b, find_profile(&b, "cpu", "cpu")), 40000000);
	profile_batch_fini(&b);
	buf_fini(&m.out);
}

static void wall_clock_samples_give_cpu_and_wall_profiles(void **state)
{
	struct jfr_make m = {.compressed = true};
	struct profile_batch b;

	(void)state;
	make_clock(&m);
	make_chunk_begin(&m);
	make_metadata(&m, recording_types);
	make_setting(&m, 0, "event", "wall");
	make_setting(&m, T_EXECUTION, "interval", "1000");
	make_execution(&m, 1000, 1, 1, 0);
	make_execution(&m, 2000, 1, 2, 0); /* sleeps */
	make_wall(&m, 3000, 1, 4);
	make_wall(&m, 3000, 2, 8); /* sleeps */
	make_pools(&m, "work");
	make_chunk_end(&m);
	decode_made(&b, &m, NULL);
	assert_int_equal(total(&b, find_profile(&b, "cpu", "cpu")), 5000);
	assert_int_equal(total(&b, find_profile(&b, "wall", "wall")), 14000);
	profile_batch_fini(&b);
	buf_fini(&m.out);
}

static void the_jdks_period_and_its_events_are_decoded(void **state)
{
	struct jfr_make m = {.compressed = true};
	struct profile_batch b;

	(void)state;
	make_recording_chunk(&m, "work");
	make_setting(&m, T_EXECUTION, "period", "20 ms");
	make_setting(&m, T_PARK, "period", "7 s"); /* a setting of another event */
	make_chunk_end(&m);
	decode_made(&b, &m, NULL);
	assert_int_equal(find_profile(&b, "cpu", "cpu")->period, 20000000);
	profile_batch_fini(&b);
	buf_clear(&m.out);

	make_recording_chunk(&m, "work");
	make_setting(&m, 0, "event", "cache-misses");
	make_setting(&m, 0, "interval", "1000");
	make_chunk_end(&m);
	decode_made(&b, &m, NULL);
	assert_int_equal(total(&b, find_profile(&b, "cache-misses", "cache-misses")), 3000);
	profile_batch_fini(&b);
	buf_fini(&m.out);
}

static void an_unfinished_chunk_is_read_up_to_its_last_event(void **state)
{
	unsigned warnings = 0;
	struct decode_options o = {.warn = count_warning, .warn_arg = &warnings};
	struct decode_options strict = {.strict = true};
	struct jfr_make m = {.compressed = true};
	struct profile_batch b;
	struct err e = {0};

	(void)state;
	make_recording(&m);
	make_recording_chunk(&m, "play");
	m.checkpoint = m.metadata = 0;
	make_header(&m);		      /* size 0, no offsets */
	buf_put_str(&m.out, STR("\x80\x81")); /* an unfinished event */
	decode_made(&b, &m, &o);
	assert_int_equal(warnings, 1);
	assert_int_equal(total(&b, find_profile(&b, "cpu", "cpu")), 60000000);
	profile_batch_fini(&b);

	assert_ok(profile_batch_init(&b, NULL));
	assert_int_equal(format_jfr.decode(&b, buf_str(&m.out), &strict, &e), -EBADMSG);
	assert_err_says(&e, "expected a finished chunk");
	profile_batch_fini(&b);
	buf_fini(&m.out);
}

/* Decode the recording and expect an error with this text. */
static void assert_rejected(struct jfr_make *m, const char *says)
{
	assert_ok(buf_error(&m->out));
	assert_refused(&format_jfr, buf_str(&m->out), says);
	buf_fini(&m->out);
}

static void other_files_are_rejected(void **state)
{
	struct jfr_make m = {.compressed = true};

	(void)state;
	assert_refused(&format_jfr, STR("FLR"), "at byte 0: expected a JFR chunk");
	make_chunk_begin(&m);
	m.out.p[5] = 1;
	assert_rejected(&m, "at byte 5: expected a JFR chunk of version 2, found 0x01");

	struct jfr_make behind = {.compressed = true};

	make_recording(&behind);
	buf_put_str(&behind.out, STR("junk"));
	assert_rejected(&behind, "expected a JFR chunk (FLR and a zero byte), found 0x6a");
}

static void a_chunk_without_type_descriptions_is_rejected(void **state)
{
	struct jfr_make m = {.compressed = true};

	(void)state;
	make_clock(&m);
	make_chunk_begin(&m);
	make_chunk_end(&m);
	assert_rejected(&m, "expected a chunk with type descriptions");
}

static void cyclic_checkpoints_are_rejected(void **state)
{
	static const int64_t deltas[] = {-1, 1, INT64_MIN, INT64_MAX, -60};

	(void)state;
	for (size_t i = 0; i < countof(deltas); i++) {
		struct jfr_make m = {.compressed = true};

		make_clock(&m);
		make_chunk_begin(&m);
		make_metadata(&m, recording_types);
		m.checkpoint = m.out.n - m.chunk;
		make_event_begin(&m, 1);
		make_long(&m, 0);
		make_long(&m, 0);
		make_long(&m, (uint64_t)deltas[i]);
		make_byte(&m, 1);
		make_int(&m, 0);
		make_event_end(&m);
		make_chunk_end(&m);
		assert_rejected(&m, "expected a");
	}
}

/* Expect an error for a recording whose only event type has a field of type `types[0]`. */
static void assert_type_rejected(struct make_type *types, const char *says)
{
	struct jfr_make m = {.compressed = true};

	make_clock(&m);
	make_chunk_begin(&m);
	make_metadata(&m, types);
	make_checkpoint_begin(&m, 0);
	make_event_end(&m);
	make_chunk_end(&m);
	assert_rejected(&m, says);
}

static void recursive_types_are_rejected(void **state)
{
	struct make_type cycle[] = {
		{"jdk.ExecutionSample", 100, {{"a", 101}}},
		{"a.Type", 101, {{"b", 102}, {"c", 102}}},
		{"b.Type", 102, {{"a", 101}, {"d", 101, .array = true}}},
		{NULL, 0, {{0}}},
	};
	struct make_type unknown[] = {
		{"jdk.ExecutionSample", 100, {{"a", 101}}},
		{NULL, 0, {{0}}},
	};

	(void)state;
	assert_type_rejected(cycle, "nested more than 16 types deep");
	assert_type_rejected(unknown, "expected a described type, found 101");
}

/* Ten types, each with ten fields of the next type: 10^10 fields without a value. */
static void exponentially_large_types_are_rejected(void **state)
{
	struct make_type types[12] = {{"jdk.ExecutionSample", 100, {{0}}}};

	(void)state;
	for (unsigned i = 0; i < 11; i++) {
		types[i].id = 100 + i;
		types[i].name = i ? "some.Type" : "jdk.ExecutionSample";
		for (unsigned k = 0; k < 10 && i < 10; k++)
			types[i].fields[k] = (struct make_field){"f", 101 + i, false, false, NULL};
	}
	assert_type_rejected(types, "expected at most 4096 fields");
}

static void huge_counts_allocate_no_memory(void **state)
{
	static const uint64_t types[] = {T_SYMBOL, T_OTHER, T_STACK};

	(void)state;
	for (size_t i = 0; i < countof(types); i++) {
		struct jfr_make m = {.compressed = i % 2};
		struct budget budget = {.limit = 4 * MIB};
		struct profile_batch b;
		struct err e = {0};

		make_clock(&m);
		make_chunk_begin(&m);
		make_metadata(&m, recording_types);
		make_checkpoint_begin(&m, 1);
		make_pool(&m, types[i], UINT32_MAX);
		make_event_end(&m);
		make_chunk_end(&m);
		assert_ok(profile_batch_init(&b, &budget));
		assert_int_equal(format_jfr.decode(&b, buf_str(&m.out), NULL, &e), -EBADMSG);
		assert_err_says(&e, "expected a smaller number of constants");
		assert_true(budget.peak < 2 * MIB);
		profile_batch_fini(&b);
		buf_fini(&m.out);
	}
}

static void an_event_shorter_than_its_type_is_rejected(void **state)
{
	struct jfr_make m = {.compressed = true};

	(void)state;
	make_recording_chunk(&m, "work");
	make_event_begin(&m, T_EXECUTION);
	make_byte(&m, 0);
	make_event_end(&m);
	make_chunk_end(&m);
	assert_rejected(&m, "expected");

	struct jfr_make empty = {.compressed = true};

	make_recording_chunk(&empty, "work");
	make_byte(&empty, 0);
	make_byte(&empty, T_EXECUTION);
	make_chunk_end(&empty);
	assert_rejected(&empty, "expected an event inside the chunk");
}

static void generated_class_names_are_normalized(void **state)
{
	static const struct {
		const char *name, *head, *tail;
	} rows[] = {
		{"app/Main", "app/Main", ""},
		{"", "", ""},
		{"jdk/internal/reflect/GeneratedMethodAccessor31",
		 "jdk/internal/reflect/GeneratedMethodAccessor", "_"},
		{"jdk/internal/reflect/GeneratedMethodAccessor31x",
		 "jdk/internal/reflect/GeneratedMethodAccessor31x", ""},
		{"a/B$$Lambda$669.0x0000000800fd7318", "a/B$$Lambda", "_"},
		{"Fib$$Lambda.0x00007ffa600c4da0", "Fib$$Lambda", "_"},
		{"Fib$$Lambda/0x00007ffa600c4da0", "Fib$$Lambda", "_"},
		{"Fib$$Lambda$14/1234", "Fib$$Lambda", "_"},
		{"Fib$$Lambda14", "Fib$$Lambda", "_"},
		{"Fib$$Lambda$14", "Fib$$Lambda$14", ""},
		{"$$Lambda14", "$$Lambda14", ""},
		{"Fib$$Lambda$155+0x00007f47940e7fa0/1182696712",
		 "Fib$$Lambda$155+0x00007f47940e7fa0/1182696712", ""},
		{"A$$EnhancerBySpringCGLIB$$1234abcd", "A$$EnhancerBySpringCGLIB$$", "_"},
		{"libzstd-jni-1.5.1-16931311898282279136.so", "libzstd-jni-_.so", ""},
		{"/tmp/libzstd-jni-1.5.1-16931311898282279136.so (deleted)", "libzstd-jni-_.so",
		 ""},
		{"libzstd-jni-1.5-16931311898282279136.so",
		 "libzstd-jni-1.5-16931311898282279136.so", ""},
		{"./tmp/libamazonCorrettoCryptoProvider109b39cf33c563eb.so",
		 "libamazonCorrettoCryptoProvider_.so", ""},
		{"./tmp/amazonCorrettoCryptoProviderNativeLibraries.7382c2f79097f415/libcrypto.so "
		 "(deleted)",
		 "libamazonCorrettoCryptoProvider_.so", ""},
		{"libasyncProfiler-linux-arm64-17b9a1d8156277a98ccc871afa9a8f69215f92.so",
		 "libasyncProfiler-_.so", ""},
		{"libjvm.so", "libjvm.so", ""},
	};

	(void)state;
	for (size_t i = 0; i < countof(rows); i++) {
		struct jfr_name name = jfr_stable_name(str_from(rows[i].name));

		assert_str_equal(name.head, str_from(rows[i].head));
		assert_str_equal(name.tail, str_from(rows[i].tail));
	}
}

static void invalid_input_never_crashes(void **state)
{
	(void)state;
	for (int compressed = 0; compressed < 2; compressed++) {
		struct jfr_make m = {.compressed = compressed};

		make_recording(&m);
		make_recording_chunk(&m, "play");
		make_chunk_end(&m);
		assert_ok(buf_error(&m.out));
		survives_truncation(&format_jfr, buf_str(&m.out));
		survives_mutation(&format_jfr, buf_str(&m.out), 10000);
		survives_lack_of_memory(&format_jfr, buf_str(&m.out));
		buf_fini(&m.out);
	}
}

TEST_MAIN(test(a_recording_becomes_profiles_with_pyroscopes_names),
	  test(big_endian_integers_decode_the_same), test(every_event_keeps_its_time),
	  test(a_late_event_extends_the_profile), test(frames_threads_and_classes_have_their_kinds),
	  test(the_jvm_and_the_recorder_are_recorded),
	  test(a_label_snapshot_applies_to_samples_of_its_context),
	  test(an_invalid_label_snapshot_is_rejected), test(ids_are_local_to_their_chunk),
	  test(strings_are_read_in_all_encodings), test(names_that_are_not_utf8_are_repaired),
	  test(samples_without_a_stack_are_counted),
	  test(wall_clock_samples_give_cpu_and_wall_profiles),
	  test(the_jdks_period_and_its_events_are_decoded),
	  test(an_unfinished_chunk_is_read_up_to_its_last_event), test(other_files_are_rejected),
	  test(a_chunk_without_type_descriptions_is_rejected),
	  test(cyclic_checkpoints_are_rejected), test(recursive_types_are_rejected),
	  test(exponentially_large_types_are_rejected), test(huge_counts_allocate_no_memory),
	  test(an_event_shorter_than_its_type_is_rejected),
	  test(generated_class_names_are_normalized), test(invalid_input_never_crashes))
