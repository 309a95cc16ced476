/* SPDX-License-Identifier: Apache-2.0 */
/* V8's .cpuprofile and .heapprofile files. */
#include "format/v8/v8.h"

#include "format/decode_helper.h"
#include "format/folded/folded.h"

#define FRAME(name, url, line)                                                                     \
	"\"callFrame\":{\"functionName\":\"" name "\",\"scriptId\":\"1\",\"url\":\"" url           \
	"\",\"lineNumber\":" line ",\"columnNumber\":4}"
#define NODE(id, name, more) "{\"id\":" id "," FRAME(name, "file:///a.js", "9") more "}"
#define ROOT(more) "{\"id\":1," FRAME("(root)", "", "-1") more "}"
#define NODES                                                                                      \
	"\"nodes\":[" ROOT(",\"hitCount\":0,\"children\":[2,4]") "," NODE(                         \
		"2", "main",                                                                       \
		",\"hitCount\":1,\"children\":[3]") "," NODE("3", "",                              \
							     ",\"hitCount\":3") "," NODE("4",      \
											 "(idle)", \
											 ",\"hitC" \
											 "ount\":" \
											 "0") "]"
#define TIMES                                                                                      \
	",\"startTime\":1000,\"endTime\":1900,\"samples\":[2,3,3,4,3],\"timeDeltas\":[100,200,50," \
	"150,200]"
#define SAMPLE "{" NODES TIMES "}"

#define HEAP                                                                                       \
	"{\"head\":{" FRAME("(root)", "", "-1") ",\"selfSize\":0,\"id\":1,\"children\":[{" FRAME(  \
		"main", "a.js",                                                                    \
		"0") ",\"selfSize\":100,\"id\":2,\"children\":[{" FRAME("alloc", "a.js",           \
									"7") ",\"selfSize\":4096," \
									     "\"id\":3,"           \
									     "\"children\":[]}]}," \
									     "{" FRAME("(V8 API)", \
										       "",         \
										       "-1") ",\"" \
											     "sel" \
											     "fSi" \
											     "ze"  \
											     "\":" \
											     "7."  \
											     "0,"  \
											     "\"i" \
											     "d\"" \
											     ":4," \
											     "\"c" \
											     "hil" \
											     "dre" \
											     "n\"" \
											     ":[]" \
											     "}]}" \
											     ",\"" \
											     "sam" \
											     "ple" \
											     "s\"" \
											     ":[{" \
											     "\"s" \
											     "ize" \
											     "\":" \
											     "409" \
											     "6,"  \
											     "\"n" \
											     "ode" \
											     "Id"  \
											     "\":" \
											     "3,"  \
											     "\"o" \
											     "rdi" \
											     "nal" \
											     "\":" \
											     "1}]" \
											     "}"

/* The old layout of v8-profiler. */
#define OLD                                                                                        \
	"{\"head\":{\"functionName\":\"(root)\",\"url\":\"\",\"lineNumber\":0,\"hitCount\":0,"     \
	"\"id\":1,"                                                                                \
	"\"children\":[{\"functionName\":\"f\",\"url\":\"x.js\",\"lineNumber\":12,\"hitCount\":2," \
	"\"id\":"                                                                                  \
	"2,\"children\":[]}]},\"startTime\":1,\"endTime\":2,\"samples\":[2,1,2],\"timestamps\":["  \
	"1000100,"                                                                                 \
	"1000300,1000400]}"

static void a_sample_lasts_until_the_next(void **state)
{
	static const struct {
		struct str in, out;
	} cases[] = {
		/* at 1100, 1300, 1350, 1500, 1700; the last one lasts the average of 150 */
		{STR_INIT(SAMPLE),
		 STR_INIT("(idle) 200000\nmain 200000\nmain;(anonymous) 350000\n")},
		/* out of order: 1300 before 1250 */
		{STR_INIT("{" NODES
			  ",\"startTime\":1000,\"samples\":[2,3,2],\"timeDeltas\":[300,-50,150]}"),
		 STR_INIT("main 175000\nmain;(anonymous) 50000\n")},
		/* parents instead of children */
		{STR_INIT("{\"nodes\":[" NODE("7", "b", ",\"parent\":5") "," ROOT("") "," NODE(
			 "5", "a", ",\"parent\":1") "],\"samples\":[7,5],\"timeDeltas\":[1,2]}"),
		 STR_INIT("a 2000\na;b 2000\n")},
		/* a single sample has no duration */
		{STR_INIT("{" NODES ",\"samples\":[2],\"timeDeltas\":[5]}"), STR_INIT("main 0\n")},
		/* no samples: hits get shares of the time, or are counts */
		{STR_INIT("{" NODES ",\"startTime\":0,\"endTime\":1000}"),
		 STR_INIT("main 250000\nmain;(anonymous) 750000\n")},
		{STR_INIT("{" NODES "}"), STR_INIT("main 1\nmain;(anonymous) 3\n")},
		/* nonexistent nodes, missing times */
		{STR_INIT("{" NODES ",\"samples\":[2,99,3],\"timeDeltas\":[1,2,3]}"),
		 STR_INIT("main 5000\nmain;(anonymous) 5000\n")},
		{STR_INIT("{" NODES ",\"samples\":[2,3,3],\"timeDeltas\":[1,2]}"),
		 STR_INIT("main 2000\nmain;(anonymous) 2000\n")},
		{STR_INIT("{\"nodes\":[" ROOT(
			 ",\"children\":[99]") "],\"samples\":[1,1],\"timeDeltas\":"
					       "[0,3]}"),
		 STR_INIT("[unknown] 6000\n")},
		{STR_INIT(OLD), STR_INIT("[unknown] 100000\nf 350000\n")},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		assert_converts(&format_cpuprofile, cases[i].in, &format_folded, STR(""),
				cases[i].out);
}

static void samples_have_time_and_stack(void **state)
{
	struct profile_batch b;
	struct err e = {0};
	const struct line *line;
	const struct location *location;
	const struct attribute *type;
	uint32_t n;

	(void)state;
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok_err(decode_as(&b, &format_cpuprofile, STR(SAMPLE), &e), &e);
	assert_batch_valid(&b);
	assert_str_equal(string_of(&b, b.profiles.at[0].sample_type.type), STR("wall"));
	assert_int_equal(b.profiles.at[0].time_unix_nano, 1000000);
	assert_int_equal(b.profiles.at[0].duration_nano, 900000);
	assert_int_equal(b.times.at[0], 1100000);
	location = &b.locations.at[stack_of(&b, b.sample_stack[0], &n)[0]];
	line = &b.lines.at[location->lines.at];
	assert_int_equal(line->line, 10);
	assert_int_equal(line->column, 5);
	assert_int_equal(b.functions.at[line->function].start_line, 10);
	type = profile_find_attribute(&b, b.attribute_refs.at + location->attributes.at,
				      location->attributes.n, STR("profile.frame.type"));
	assert_str_equal(type->value.s, STR("v8js"));
	profile_batch_fini(&b);
}

static void self_sizes_of_the_heap_are_samples(void **state)
{
	(void)state;
	assert_converts(&format_heapprofile, STR(HEAP), &format_folded, STR("inuse_space/bytes"),
			STR("(V8 API) 7\nmain 100\nmain;alloc 4096\n"));
}

static void malformed_files_are_rejected(void **state)
{
	static const struct {
		struct str in;
		const char *says;
	} cases[] = {
		{STR_INIT("{\"nodes\":5}"), "an array of nodes"},
		{STR_INIT("{}"), "an array of nodes"},
		{STR_INIT("{\"nodes\":[7]}"), "a node with an id"},
		{STR_INIT("{\"nodes\":[{}]}"), "a node with an id"},
		{STR_INIT("{\"nodes\":[{\"id\":1},{\"id\":1}]}"), "found 1 again"},
		{STR_INIT("{\"nodes\":[{\"id\":1,\"children\":[3]},{\"id\":2,\"children\":[3]},{"
			  "\"id\":3}]}"),
		 "node 3 has two parents"},
		{STR_INIT("{\"nodes\":[{\"id\":1,\"children\":[2],\"hitCount\":1},{\"id\":2,"
			  "\"children\":[1]"
			  "}]}"),
		 "in a cycle"},
		{STR_INIT("{\"nodes\":[{\"id\":1,\"parent\":1,\"hitCount\":1}]}"), "in a cycle"},
		{STR_INIT("{" NODES ",\"samples\":[2],\"timeDeltas\":[\"x\"]}"), "microseconds"},
		{STR_INIT("{" NODES ",\"samples\":[\"x\"],\"timeDeltas\":[1]}"),
		 "the id of a node"},
		{STR_INIT("{" NODES ",\"samples\":[2],\"timeDeltas\":[1e300]}"), "microseconds"},
		{STR_INIT("{\"nodes\":[{\"id\":1,\"hitCount\":9223372036854775807},{\"id\":2,"
			  "\"hitCount\":1}]"
			  "}"),
		 "2^63"},
		{STR_INIT("{\"nodes\":["), "at byte"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		assert_refused(&format_cpuprofile, cases[i].in, cases[i].says);
	assert_refused(&format_heapprofile, STR("{\"head\":5}"), "a head");
	assert_refused(&format_heapprofile, STR("{\"head\":{\"selfSize\":-5}}"), "not negative");
	assert_refused(&format_heapprofile, STR("{\"head\":{\"children\":[5]}}"), "a node");
}

/* Encode as .cpuprofile, decode again, and compare the collapsed stacks. */
static void assert_round_trip(const struct format *from, struct str in, struct str expected)
{
	struct profile_batch b;
	struct buf out = {0};
	struct err e = {0};

	assert_ok(profile_batch_init(&b, NULL));
	assert_ok_err(decode_as(&b, from, in, &e), &e);
	assert_ok_err(cpuprofile_encode(&out, &b, NULL, &e), &e);
	assert_ptr_equal(format_by_content(buf_str(&out)), &format_cpuprofile);
	assert_converts(&format_cpuprofile, buf_str(&out), &format_folded, STR(""), expected);
	buf_fini(&out);
	profile_batch_fini(&b);
}

#define WRITTEN_FRAME(name, url, line, column)                                                     \
	"\"callFrame\":{\"functionName\":\"" name "\",\"scriptId\":\"0\",\"url\":\"" url           \
	"\",\"lineNumber\":" line ",\"columnNumber\":" column "}"

static void a_cpuprofile_round_trips(void **state)
{
	(void)state;
	assert_converts(
		&format_cpuprofile, STR(SAMPLE), &format_cpuprofile, STR(""),
		STR("{\"nodes\":[{\"id\":1," WRITTEN_FRAME(
			"(root)", "", "-1",
			"-1") ",\"hitCount\":0,\"children\":[4,2]},"
			      "{\"id\":2," WRITTEN_FRAME(
				      "main", "file:///a.js", "9",
				      "4") ",\"hitCount\":1,\"children\":[3]},"
					   "{\"id\":3," WRITTEN_FRAME(
						   "", "file:///a.js", "9",
						   "4") ",\"hitCount\":3},"
							"{\"id\":4," WRITTEN_FRAME(
								"(idle)", "file:///a.js", "9",
								"4") ",\"hitCount\":1}],"
								     "\"startTime\":1100,"
								     "\"endTime\":1850,\"samples\":"
								     "[2,3,3,4,3],\"timeDeltas\":["
								     "0,200,50,150,200]}\n"));
	assert_round_trip(&format_cpuprofile, STR(SAMPLE),
			  STR("(idle) 200000\nmain 200000\nmain;(anonymous) 350000\n"));
	assert_round_trip(&format_cpuprofile, STR(OLD), STR("[unknown] 100000\nf 350000\n"));
}

static void samples_without_times_are_written_in_sequence(void **state)
{
	(void)state;
	/* counts are written as microseconds */
	assert_round_trip(&format_folded, STR("a;b 3000\na;c 6000\n"),
			  STR("a;b 3000000\na;c 6000000\n"));
	assert_round_trip(&format_folded, STR("a 8\n"), STR("a 8000\n"));
	assert_round_trip(&format_folded, STR("a 0\nb 6\n c\nd -5\n"), STR("a 0\nb 6000\n"));
	assert_round_trip(&format_folded, STR(" 4\n"), STR("[unknown] 4000\n"));
	assert_round_trip(&format_folded, STR("(root);(root);f 8\n"),
			  STR("(root);(root);f 8000\n"));
}

static void idle_time_between_samples_is_kept(void **state)
{
	(void)state;
	assert_round_trip(format_by_name(STR("perf-script")),
			  STR("app 1 10.000000: 1000000 cpu-clock:\n\t1 f (app)\n\n"
			      "app 1 10.001000: 1000000 cpu-clock:\n\t1 f (app)\n\n"
			      "app 1 10.005000: 1000000 cpu-clock:\n\t2 g (app)\n\n"
			      "app 1 10.006500: 1000000 cpu-clock:\n\t1 f (app)\n\n"),
			  /* the last one lasts the average: 6.5 ms by four */
			  STR("(idle) 3000000\nf 3625000\ng 1500000\n"));
	/* a sample without a time lasts until the next one */
	assert_round_trip(format_by_name(STR("perf-script")),
			  STR("app 1 10.000000: 77 cycles:\n\t1 f (app)\n\n"
			      "app 1 10.001000: 77 cycles:\n\t2 g (app)\n\n"
			      "app 1 10.005000: 77 cycles:\n\t2 g (app)\n\n"),
			  STR("f 1000000\ng 6500000\n"));
}

static void values_out_of_range_are_rejected(void **state)
{
	static const struct str inputs[] = {
		STR_INIT("a 9223372036854775807\n"),
		STR_INIT("a 9000000000000000000\nb 9000000000000000000\n"
			 "c 9000000000000000000\n")};
	struct profile_batch b;
	struct buf out = {0};
	struct err e = {0};

	(void)state;
	assert_ok(profile_batch_init(&b, NULL));
	for (size_t i = 0; i < countof(inputs); i++) {
		assert_ok(profile_batch_reset(&b));
		assert_ok_err(decode_as(&b, &format_folded, inputs[i], &e), &e);
		assert_int_equal(cpuprofile_encode(&out, &b, NULL, &e), -EOVERFLOW);
		assert_err_says(&e, "more than 2^63");
	}
	buf_fini(&out);
	profile_batch_fini(&b);
}

static void encoding_without_memory_is_an_error(void **state)
{
	struct profile_batch b;
	struct err e = {0};
	int rc = -ENOMEM;

	(void)state;
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok_err(decode_as(&b, &format_cpuprofile, STR(SAMPLE), &e), &e);
	for (size_t limit = 0; rc; limit += 512) {
		struct budget budget = {.limit = limit};
		struct buf out;

		buf_init(&out, &budget);
		rc = cpuprofile_encode(&out, &b, NULL, &e);
		assert_true(rc == 0 || rc == -ENOMEM);
		buf_fini(&out);
		assert_int_equal(budget.used, 0);
	}
	profile_batch_fini(&b);
}

static void v8_formats_are_detected_by_content(void **state)
{
	(void)state;
	assert_ptr_equal(format_by_content(STR(SAMPLE)), &format_cpuprofile);
	assert_ptr_equal(format_by_content(STR(OLD)), &format_cpuprofile);
	assert_ptr_equal(format_by_content(STR(HEAP)), &format_heapprofile);
	assert_int_equal(
		format_cpuprofile.sniff(STR("{\"traceEvents\":[{\"nodes\":[{\"callFrame\":")), 0);
	assert_int_equal(format_cpuprofile.sniff(STR("[]")), 0);
	assert_ptr_equal(format_by_path(STR("CPU.20261115.cpuprofile")), &format_cpuprofile);
}

static void invalid_input_is_safe(void **state)
{
	static const struct str inputs[] = {STR_INIT(SAMPLE), STR_INIT(OLD)};

	(void)state;
	for (size_t i = 0; i < countof(inputs); i++) {
		survives_truncation(&format_cpuprofile, inputs[i]);
		survives_mutation(&format_cpuprofile, inputs[i], 10000);
		survives_lack_of_memory(&format_cpuprofile, inputs[i]);
		survives_failing_allocations(&format_cpuprofile, inputs[i]);
	}
	survives_truncation(&format_heapprofile, STR(HEAP));
	survives_mutation(&format_heapprofile, STR(HEAP), 10000);
	survives_lack_of_memory(&format_heapprofile, STR(HEAP));
}

TEST_MAIN(test(a_sample_lasts_until_the_next), test(samples_have_time_and_stack),
	  test(self_sizes_of_the_heap_are_samples), test(malformed_files_are_rejected),
	  test(a_cpuprofile_round_trips), test(samples_without_times_are_written_in_sequence),
	  test(idle_time_between_samples_is_kept), test(values_out_of_range_are_rejected),
	  test(encoding_without_memory_is_an_error), test(v8_formats_are_detected_by_content),
	  test(invalid_input_is_safe))
