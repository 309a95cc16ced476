/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder and encoder of speedscope files. */
#include "format/speedscope/speedscope.h"

#include "format/decode_helper.h"
#include "format/folded/folded.h"
#include "signal/profile/profile_builder.h"
#include "signal/profile/profile_rows.h"

#define HEAD                                                                                       \
	"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":"        \
	"\"py-spy@0.3.14\",\"shared\":{\"frames\":[{\"name\":\"a\",\"file\":\"x.py\",\"line\":3,"  \
	"\"col\":7},{\"name\":\"b\",\"file\":null,\"line\":null},{\"name\":\"c\"},{\"name\":"      \
	"\"d\"}]},"                                                                                \
	"\"profiles\":["
#define EVENTED(unit, start, end, events)                                                          \
	"{\"type\":\"evented\",\"name\":\"t\",\"unit\":\"" unit "\",\"startValue\":" start         \
	",\"endValue\":" end ",\"events\":[" events "]}"
#define SAMPLED(unit, samples, weights)                                                            \
	"{\"type\":\"sampled\",\"name\":\"t\",\"unit\":\"" unit                                    \
	"\",\"startValue\":0,\"endValue\":100,\"samples\":[" samples "],\"weights\":[" weights     \
	"]}"
#define O(frame, at) "{\"type\":\"O\",\"frame\":" #frame ",\"at\":" #at "}"
#define C(frame, at) "{\"type\":\"C\",\"frame\":" #frame ",\"at\":" #at "}"

#define SAMPLE                                                                                     \
	HEAD EVENTED("milliseconds", "0", "14",                                                    \
		     O(0, 0) "," O(1, 0) "," O(2, 0) "," C(2, 2) "," O(3, 2) "," C(3, 6) "," C(    \
			     1, 9) "," C(0, 14)) "," SAMPLED("bytes", "[0,1],[0]", "5,6") "]}"

static void events_and_samples_become_stacks(void **state)
{
	static const struct {
		struct str in, out;
	} cases[] = {
		{STR_INIT(HEAD EVENTED(
			 "none", "0", "14",
			 O(0, 0) "," O(1, 0) "," O(2, 0) "," C(2, 2) "," O(3, 2) "," C(3, 6) "," O(
				 2, 6) "," C(2, 9) "," C(1, 14) "," C(0, 14)) "]}"),
		 STR_INIT("a;b 5\na;b;c 5\na;b;d 4\n")},
		/* time outside of frames is not counted */
		{STR_INIT(HEAD EVENTED("none", "0", "100",
				       O(0, 10) "," C(0, 20) "," O(0, 50) "," C(0, 51)) "]}"),
		 STR_INIT("a 11\n")},
		/* recursion, and frames that take no time */
		{STR_INIT(HEAD EVENTED(
			 "none", "0", "9",
			 O(0, 0) "," O(0, 1) "," C(0, 4) "," C(0, 9) "," O(1, 9) "," C(1, 9)) "]}"),
		 STR_INIT("a 6\na;a 3\n")},
		/* never closed: lasts until the end */
		{STR_INIT(HEAD EVENTED("none", "0", "100", O(0, 0)) "]}"), STR_INIT("a 100\n")},
		/* units of time become nanoseconds, including fractions */
		{STR_INIT(HEAD EVENTED("seconds", "1.5", "3", O(0, 1.5) "," C(0, 1.75)) "]}"),
		 STR_INIT("a 250000000\n")},
		{STR_INIT(HEAD EVENTED("microseconds", "1700000000000000", "1700000000000009",
				       O(0, 1700000000000001) "," C(0, 1700000000000003)) "]}"),
		 STR_INIT("a 2000\n")},
		{STR_INIT(HEAD SAMPLED("seconds", "[0,1],[0],[0,1]", "0.1,0.2,0.3") "]}"),
		 STR_INIT("a 200000000\na;b 400000000\n")},
		/* fractions of indivisible units are carried over: the sum is 3 */
		{STR_INIT(HEAD SAMPLED("none", "[0],[0],[1],[1],[2],[2]",
				       "0.5,0.5,0.5,0.5,0.5,0.5") "]}"),
		 STR_INIT("a 1\nb 1\nc 1\n")},
		{STR_INIT(HEAD SAMPLED("bytes", "[0,1,2],[]", "9007199254740993,1") "]}"),
		 STR_INIT("[unknown] 1\na;b;c 9007199254740993\n")},
		/* profiles of the same type are summed when written as one */
		{STR_INIT(HEAD SAMPLED("none", "[0]", "1") "," SAMPLED("none", "[0],[1]",
								       "1,2") "]}"),
		 STR_INIT("a 2\nb 2\n")},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		assert_converts(&format_speedscope, cases[i].in, &format_folded, STR(""),
				cases[i].out);
}

static void samples_keep_their_times(void **state)
{
	struct profile_batch b;
	struct err e = {0};
	const struct line *line;
	uint32_t n;

	(void)state;
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok_err(decode_as(&b, &format_speedscope, STR(SAMPLE), &e), &e);
	assert_batch_valid(&b);
	assert_int_equal(b.profiles.n, 2);
	assert_int_equal(b.profiles.at[0].duration_nano, 14000000);
	assert_int_equal(b.times.n, 4);
	assert_int_equal(b.times.at[0], 0);
	assert_int_equal(b.times.at[1], 2000000);
	assert_int_equal(b.times.at[2], 6000000);
	assert_int_equal(b.times.at[3], 9000000);
	assert_str_equal(string_of(&b, b.profiles.at[1].sample_type.unit), STR("bytes"));
	line = &b.lines.at[b.locations.at[stack_of(&b, b.sample_stack[3], &n)[0]].lines.at];
	assert_int_equal(n, 1);
	assert_int_equal(line->line, 3);
	assert_int_equal(line->column, 7);
	assert_str_equal(string_of(&b, b.functions.at[line->function].filename), STR("x.py"));
	assert_str_equal(b.scopes.at[0].name, STR("py-spy"));
	assert_str_equal(b.scopes.at[0].version, STR("0.3.14"));
	profile_batch_fini(&b);
}

static void written_files_round_trip(void **state)
{
	static const char expected[] = "{\"$schema\":\"https://www.speedscope.app/"
				       "file-format-schema.json\",\"exporter\":\"varve\","
				       "\"shared\":{\"frames\":[{\"name\":\"a\",\"file\":\"x.py\","
				       "\"line\":3,\"col\":7},{\"name\":"
				       "\"b\"},{\"name\":\"c\"},{\"name\":\"d\"}]},\"profiles\":[{"
				       "\"type\":\"sampled\",\"name\":\"t\","
				       "\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":"
				       "14000000,\"samples\":[[0,1,2],[0,1,3],"
				       "[0,1],[0]],\"weights\":[2000000,4000000,3000000,5000000]},{"
				       "\"type\":\"sampled\",\"name\":"
				       "\"t\",\"unit\":\"bytes\",\"startValue\":0,\"endValue\":11,"
				       "\"samples\":[[0,1],[0]],\"weights\":"
				       "[5,6]}]}\n";

	(void)state;
	assert_converts(&format_speedscope, STR(SAMPLE), &format_speedscope, STR(""),
			str_from(expected));
	assert_converts(&format_speedscope, str_from(expected), &format_speedscope, STR(""),
			str_from(expected));
	assert_converts(&format_speedscope, str_from(expected), &format_folded, STR("space"),
			STR("a 6\na;b 5\n"));
}

/* Functions of the same name in two programs are two frames. */
static void frames_are_distinguished_by_module(void **state)
{
	static const char *const modules[] = {"/bin/a", "/bin/b", "/bin/a"};
	struct profile_batch batch;
	struct profile_builder b;
	struct buf out = {0};
	struct err e = {0};

	(void)state;
	assert_ok(profile_batch_init(&batch, NULL));
	assert_ok(profile_builder_init(&b, &batch));
	assert_ok(profile_begin(&b, STR("samples"), STR("count")));
	for (size_t i = 0; i < countof(modules); i++) {
		struct function f = {0};
		struct mapping m = {0};
		struct line line = {0};
		struct location_parts at = {.address = i, .lines = &line, .line_count = 1};
		uint32_t id, stack;

		assert_ok(profile_add_string(&b, STR("work"), &f.name));
		assert_ok(profile_add_string(&b, str_from(modules[i]), &m.filename));
		assert_ok(profile_add_function(&b, &f, &line.function));
		assert_ok(profile_add_mapping(&b, &m, NULL, 0, &at.mapping));
		assert_ok(profile_add_location(&b, &at, &id));
		assert_ok(profile_add_stack(&b, &id, 1, &stack));
		assert_ok(profile_add_sample(&b, stack, 0, NULL, 0, 1));
	}
	assert_ok_err(speedscope_encode(&out, &batch, &(struct encode_options){0}, &e), &e);
	assert_true(str_find_str(buf_str(&out), STR("\"frames\":[{\"name\":\"work\"},{\"name\":"
						    "\"work\"}]")) < out.n);
	buf_fini(&out);
	profile_batch_fini(&batch);
}

static void malformed_files_are_rejected(void **state)
{
	static const struct {
		struct str in;
		const char *says;
	} cases[] = {
		{STR_INIT(HEAD EVENTED("none", "0", "9", C(0, 1)) "]}"), "found none to close"},
		{STR_INIT(HEAD EVENTED("none", "0", "9", O(0, 1) "," O(1, 2) "," C(0, 3)) "]}"),
		 "expected frame 1 to be closed first, found frame 0"},
		{STR_INIT(HEAD EVENTED("none", "0", "9", O(0, 3) "," C(0, 1)) "]}"),
		 "expected events in the order of time"},
		{STR_INIT(HEAD EVENTED("none", "5", "9", O(0, 3) "," C(0, 7)) "]}"),
		 "expected events in the order of time"},
		{STR_INIT(HEAD EVENTED("none", "9", "5", "") "]}"),
		 "endValue not before startValue"},
		{STR_INIT(HEAD EVENTED("none", "0", "9", O(4, 1)) "]}"), "index of a shared frame"},
		{STR_INIT(HEAD EVENTED("none", "0", "9", O(-1, 1)) "]}"),
		 "index of a shared frame"},
		{STR_INIT(HEAD EVENTED("none", "0", "9", O(0, 1e300)) "]}"), "a number"},
		{STR_INIT(HEAD EVENTED("none", "0", "9", "7") "]}"), "index of a shared frame"},
		{STR_INIT(HEAD EVENTED("parsecs", "0", "9", "") "]}"), "a unit of speedscope"},
		{STR_INIT(HEAD SAMPLED("none", "[0]", "1,2") "]}"), "as many weights"},
		{STR_INIT(HEAD SAMPLED("none", "[0]", "-1") "]}"), "not negative"},
		{STR_INIT(HEAD SAMPLED("none", "[9]", "1") "]}"), "index of a shared frame"},
		{STR_INIT(HEAD SAMPLED("none", "7", "1") "]}"), "array of at most"},
		{STR_INIT(HEAD SAMPLED("seconds", "[0]", "9223372036854775807") "]}"),
		 "not negative"},
		{STR_INIT(HEAD "{\"type\":\"other\"}]}"), "\"evented\" or \"sampled\""},
		{STR_INIT(HEAD "]}"), "an array of profiles"},
		{STR_INIT("{\"profiles\":[]}"), "shared.frames"},
		{STR_INIT("[]"), "shared.frames"},
		{STR_INIT(HEAD), "at byte"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		assert_refused(&format_speedscope, cases[i].in, cases[i].says);
}

static void speedscope_is_detected_by_content(void **state)
{
	(void)state;
	assert_true(format_speedscope.sniff(STR(SAMPLE)) > 90);
	assert_int_equal(format_speedscope.sniff(STR("{\"nodes\":[]}")), 0);
	assert_int_equal(format_speedscope.sniff(STR("main;shared 5\n")), 0);
	assert_ptr_equal(format_by_content(STR(SAMPLE)), &format_speedscope);
	assert_ptr_equal(format_by_path(STR("x/y.speedscope.json")), &format_speedscope);
}

static void invalid_input_is_safe(void **state)
{
	(void)state;
	survives_truncation(&format_speedscope, STR(SAMPLE));
	survives_mutation(&format_speedscope, STR(SAMPLE), 10000);
	survives_lack_of_memory(&format_speedscope, STR(SAMPLE));
	survives_failing_allocations(&format_speedscope, STR(SAMPLE));
}

TEST_MAIN(test(frames_are_distinguished_by_module), test(events_and_samples_become_stacks),
	  test(samples_keep_their_times), test(written_files_round_trip),
	  test(malformed_files_are_rejected), test(speedscope_is_detected_by_content),
	  test(invalid_input_is_safe))
