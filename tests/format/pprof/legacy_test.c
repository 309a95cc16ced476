/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The older forms of pprof. Each case is written by hand, its decoded contents are checked, and, if
 * go is installed, compared with the output of `go tool pprof -raw`.
 */
#include <unistd.h>

#include "format/pprof/pprof_support.h"

#define MAPS                                                                                       \
	"MAPPED_LIBRARIES:\n"                                                                      \
	"00400000-00500000 r-xp 00000000 fd:01 1234       /usr/bin/app\n"                          \
	"00500000-00600000 rw-p 00100000 fd:01 1234       /usr/bin/app\n"                          \
	"7f0000000000-7f0000100000 r-xp 00000000 fd:01 99 /lib/libc.so.6\n"                        \
	"7f0000100000-7f0000200000 r-xp 00100000 fd:01 99 /lib/libc.so.6\n"                        \
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n"

static const char tcmalloc_text[] =
	"heap profile:     12:    24576 [    40:   409600] @ heap_v2/524288\n"
	"     2:     2048 [     4:     4096] @ 0x00401122 0x00401222 0x7f0000001234\n"
	"    10:    22528 [    36:   405504] @ 0x00401133 0x00401222\n"
	"     0:        0 [     3:     9000] @ 0x7f0000150000\n"
	"\n" MAPS;

static const char heapz_text[] = "heap profile:     12:    24576 [    12:    24576] @ heapz_v2/1\n"
				 "     2:     2048 [     2:     2048] @ 0x401122 0x401222\n"
				 "    10:    22528 [    10:    22528] @ 0x401133 0x900000\n" MAPS;

static const char growth_text[] = "heap profile:     3:  3145728 [     3:  3145728] @ growthz\n"
				  "     3:  3145728 [     3:  3145728] @ 0x401122 0x401222\n" MAPS;

static const char heapprofile_text[] =
	"heap profile:      5:      500 [     9:      900] @ heapprofile\n"
	"     5:      500 [     9:      900] @ 0x401122 0x401222\n" MAPS;

static const char go_heap_text[] = "heap profile: 2: 2097152 [7: 7340032] @ heap/1048576\n"
				   "1: 1048576 [2: 2097152] @ 0x4a1b2c 0x43a8c5 0x46d9c1\n"
				   "#\t0x4a1b2b\tmain.inlined+0x1b\t\t/src/main.go:11\n"
				   "#\t0x4a1b2b\tmain.alloc+0x1b\t\t/src/main.go:21\n"
				   "#\t0x43a8c4\truntime.main+0x204\t/go/src/runtime/proc.go:250\n"
				   "\n"
				   "1: 1048576 [5: 5242880] @ 0x4a1b2c 0x46d9c1\n"
				   "\n"
				   "# runtime.MemStats\n"
				   "# Alloc = 3000\n";

static const char jemalloc_text[] = "heap_v2/524288\n"
				    "  t*: 13: 60000 [0: 0]\n"
				    "  t0: 3: 10000 [0: 0]\n"
				    "  t1: 10: 50000 [0: 0]\n"
				    "@ 0x401122 0x401222\n"
				    "  t*: 10: 50000 [0: 0]\n"
				    "  t1: 10: 50000 [0: 0]\n"
				    "@ 0x401133 0x401222 0x7f0000001234\n"
				    "  t*: 3: 10000 [0: 0]\n"
				    "  t0: 3: 10000 [0: 0]\n"
				    "\n" MAPS;

static const char contention_text[] = "--- contention:\n"
				      "cycles/second=2000000000\n"
				      "sampling period=100\n"
				      "ms since reset=6121\n"
				      "discarded samples=0\n"
				      "1500 3 @ 0x401122 0x401222\n"
				      "#\t0x401121\tmain.lock+0x21\t/src/main.go:5\n"
				      "500 1 @ 0x401133\n"
				      "--- Memory map: ---\n"
				      "  400000-500000: /usr/bin/app\n";

static const char mutex_text[] =
	"--- mutex:\n"
	"cycles/second=2594992000\n"
	"sampling period=1\n"
	"17094 2 @ 0x4a1b2c 0x46d9c1\n"
	"#\t0x4a1b2b\tsync.(*Mutex).Unlock+0x4b\t/go/src/sync/mutex.go:223\n";

static const char contentionz_text[] = "--- contentionz 1 ---\n"
				       "cycles/second = 3201000000\n"
				       "sampling period = 1\n"
				       "ms since reset = 16502830\n"
				       "discarded samples = 0\n"
				       "  19490304       27 @ 0xbccc97 0xc61202 0x42ed5f\n"
				       "      768        1 @ 0xbccc97 0xa42dc7\n"
				       "--- Memory map: ---\n"
				       "build=/opt\n"
				       "  00400000-00fcb000: $build/cppbench_server_main\n"
				       "  7ff67dcec000-7ff67dded000: /lib/libc-2.15.so\n";

static const char goroutine_text[] = "goroutine profile: total 5\n"
				     "3 @ 0x43a8c5 0x44b2c1 0x46d9c1\n"
				     "#\t0x44b2c0\tmain.worker+0x40\t/src/main.go:31\n"
				     "\n"
				     "2 @ 0x43a8c5 0x4a1b2c\n";

static const char threadcreate_text[] = "# comments first\n"
					"threadcreate profile: total 7\n"
					"6 @ 0x43a8c5 0x44b2c1\n"
					"1 @ 0x43a8c5\n";

static const char threadz_text[] = "--- threadz 1 ---\n"
				   "\n"
				   "--- Thread 7ff6a1a7c700 (name: main/14748) stack: ---\n"
				   "  PC: 0x401122 0x401233\n"
				   "  0x401333\n"
				   "--- Thread 7ff6a2a7d700 (name: thread1/14749) stack: ---\n"
				   "  [same as previous thread]\n"
				   "--- Thread 7ff6a3a7e700 (name: idle/14750) stack: ---\n"
				   "  0x401444 0x401444 0x401555\n"
				   "---- no stack trace for 1 thread\n"
				   "--- Memory map: ---\n"
				   "00400000-00500000 r-xp 00000000 fd:01 1234 /usr/bin/app\n";

static const char thread_only_text[] = "--- Thread 7ff6a1a7c700 (name: main/14748) stack: ---\n"
				       "  0x401122 0x401233\n"
				       "--- Memory map: ---\n"
				       "00400000-00500000 r-xp 00000000 fd:01 1234 /bin/app\n";

struct text_case {
	const char *name;
	const struct format *format;
	const char *text;
	bool go_reads; /* the go tool supports the form */
	uint32_t types, samples;
	int64_t sums[4];
};

static const struct text_case cases[] = {
	{"tcmalloc", &format_heap_text, tcmalloc_text, true, 4, 3, {0}},
	{"heapz", &format_heap_text, heapz_text, true, 2, 2, {12, 24576}},
	{"growthz", &format_heap_text, growth_text, true, 2, 1, {3, 3145728}},
	{"heapprofile", &format_heap_text, heapprofile_text, true, 4, 1, {9, 900, 5, 500}},
	{"go heap", &format_heap_text, go_heap_text, true, 4, 2, {0}},
	{"jemalloc", &format_heap_text, jemalloc_text, false, 2, 2, {0}},
	{"contention", &format_contention_text, contention_text, true, 2, 2, {400, 100000}},
	{"mutex", &format_contention_text, mutex_text, true, 2, 1, {2, 6587}},
	{"contentionz", &format_contention_text, contentionz_text, true, 2, 2, {28, 6089056}},
	{"goroutine", &format_thread_text, goroutine_text, true, 1, 2, {5}},
	{"threadcreate", &format_thread_text, threadcreate_text, true, 1, 2, {7}},
	{"threadz", &format_thread_text, threadz_text, true, 1, 2, {3}},
	{"thread", &format_thread_text, thread_only_text, true, 1, 1, {1}},
};

static void decode_text(struct profile_batch *b, const struct format *f, struct str in)
{
	struct err e = {0};

	assert_ok(profile_batch_init(b, NULL));
	assert_ok_err(f->decode(b, in, &(struct decode_options){0}, &e), &e);
	assert_ok_err(profile_batch_check(b, &e), &e);
}

static int64_t sum_of(const struct profile_batch *b, uint32_t profile)
{
	const struct profile *p = &b->profiles.at[profile];
	int64_t sum = 0;

	for (uint32_t i = 0; i < p->sample_count; i++)
		sum += sample_total(b, p->sample_first + i);
	return sum;
}

/* Parts of one mapping are merged; the mapping has the name of any of them. */
static void parts_of_a_mapping_share_their_name(void **state)
{
	static const char head[] = "heap profile:     1:  100 [     1:  100] @ heapprofile\n"
				   "     1:      100 [     1:      100] @ 0x401122 0x501222\n"
				   "MAPPED_LIBRARIES:\n";
	static const char *const maps[] = {
		"00400000-00500000 r-xp 00000000 fd:01 1234\n"
		"00500000-00600000 r-xp 00100000 fd:01 1234 /usr/bin/app\n",
		"00400000-00500000 r-xp 00000000 fd:01 1234 /usr/bin/app\n"
		"00500000-00600000 r-xp 00100000 fd:01 1234\n",
	};

	(void)state;
	for (size_t i = 0; i < countof(maps); i++) {
		struct profile_batch b;
		char text[500];

		snprintf(text, sizeof(text), "%s%s", head, maps[i]);
		decode_text(&b, &format_heap_text, str_from(text));
		assert_int_equal(b.mappings.n, 2);
		assert_int_equal(b.mappings.at[1].start, 0x400000);
		assert_int_equal(b.mappings.at[1].limit, 0x600000);
		assert_str_equal(string_of(&b, b.mappings.at[1].filename), STR("/usr/bin/app"));
		profile_batch_fini(&b);
	}
}

static void texts_decode_as_expected(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		const struct text_case *c = &cases[i];
		struct profile_batch b;

		decode_text(&b, c->format, str_from(c->text));
		assert_int_equal(b.profiles.n, c->types);
		for (uint32_t t = 0; t < c->types; t++) {
			assert_int_equal(b.profiles.at[t].sample_count, c->samples);
			if (c->sums[t] && sum_of(&b, t) != c->sums[t])
				fail_msg("%s: type %u adds up to %lld, expected %lld", c->name, t,
					 (long long)sum_of(&b, t), (long long)c->sums[t]);
		}
		profile_batch_fini(&b);
	}
}

static void each_text_is_detected_by_content(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		assert_ptr_equal(format_by_content(str_from(cases[i].text)), cases[i].format);
}

/* Write the bytes to a file, read it with the go tool, and compare with the batch. */
static void assert_as_go_reads(const char *name, struct str in, const struct profile_batch *b)
{
	char path[] = "/tmp/varve-legacy-XXXXXX";
	int fd = mkstemp(path);
	struct arena a;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, in.p, in.n), in.n);
	close(fd);
	arena_init(&a, NULL);

	struct str text = go_raw(&a, path);

	unlink(path);
	if (!text.n)
		fail_msg("%s: go does not read it", name);

	struct dump ours, theirs = dump_go_raw(text);

	dump_addresses_only = true;
	ours = dump_batch(b);
	dump_addresses_only = false;
	assert_dumps_equal(name, &ours, &theirs);
	dump_free(&ours);
	dump_free(&theirs);
	arena_fini(&a);
}

static void texts_decode_as_in_go_pprof(void **state)
{
	(void)state;
	if (!have_go()) {
		print_message("go is not installed\n");
		skip();
	}
	for (size_t i = 0; i < countof(cases); i++) {
		struct profile_batch b;

		if (!cases[i].go_reads)
			continue;
		decode_text(&b, cases[i].format, str_from(cases[i].text));
		assert_as_go_reads(cases[i].name, str_from(cases[i].text), &b);
		profile_batch_fini(&b);
	}
}

/* jemalloc writes the same numbers as tcmalloc in another form. */
static void jemalloc_counts_all_threads_once(void **state)
{
	static const char same[] = "heap profile: 13: 60000 [0: 0] @ heap_v2/524288\n"
				   "10: 50000 [0: 0] @ 0x401122 0x401222\n"
				   "3: 10000 [0: 0] @ 0x401133 0x401222 0x7f0000001234\n" MAPS;
	struct profile_batch one, two;

	(void)state;
	decode_text(&one, &format_heap_text, str_from(jemalloc_text));
	decode_text(&two, &format_heap_text, str_from(same));

	struct dump a = dump_batch(&one), b = dump_batch(&two);

	assert_dumps_equal("jemalloc", &a, &b);
	dump_free(&a);
	dump_free(&b);
	profile_batch_fini(&one);
	profile_batch_fini(&two);
}

static void comments_of_go_give_names_and_inlined_calls(void **state)
{
	struct profile_batch b;
	uint32_t n;

	(void)state;
	decode_text(&b, &format_heap_text, str_from(go_heap_text));

	const uint32_t *stack = stack_of(&b, b.sample_stack[0], &n);
	const struct location *leaf = &b.locations.at[stack[0]];
	const struct line *lines = b.lines.at + leaf->lines.at;

	assert_int_equal(leaf->lines.n, 2);
	assert_str_equal(string_of(&b, b.functions.at[lines[0].function].name),
			 STR("main.inlined"));
	assert_str_equal(string_of(&b, b.functions.at[lines[1].function].name), STR("main.alloc"));
	assert_str_equal(string_of(&b, b.functions.at[lines[1].function].filename),
			 STR("/src/main.go"));
	assert_int_equal(lines[1].line, 21);
	assert_int_equal(b.locations.at[stack[2]].lines.n, 0);
	profile_batch_fini(&b);
}

/* --- gperftools' binary form --- */

static void put_word(struct buf *b, uint64_t value, unsigned size, bool big)
{
	for (unsigned i = 0; i < size; i++)
		buf_put_char(b, (char)(value >> 8 * (big ? size - 1 - i : i)));
}

/* Make forty samples with a common signal handler frame, one duplicated leaf, and a map. */
static void make_cpu(struct buf *b, unsigned size, bool big, bool trailer)
{
	static const uint64_t header[] = {0, 3, 0, 10000, 0}, end[] = {0, 1, 0};

	for (size_t i = 0; i < countof(header); i++)
		put_word(b, header[i], size, big);
	for (uint64_t i = 0; i < 40; i++) {
		const uint64_t words[] = {i + 1,
					  4,
					  0x401000 + i % 3,
					  0x499999,
					  i % 2 ? 0x401000 + i % 3 : 0x402000 + i % 5,
					  0x403000};

		for (size_t k = 0; k < countof(words); k++)
			put_word(b, words[k], size, big);
	}
	for (size_t i = 0; trailer && i < countof(end); i++)
		put_word(b, end[i], size, big);
	if (trailer)
		buf_printf(b, "%s", MAPS);
}

static void gperftools_is_read_in_all_word_sizes_and_byte_orders(void **state)
{
	bool go = have_go();

	(void)state;
	for (unsigned k = 0; k < 8; k++) {
		unsigned size = k & 1 ? 8 : 4;
		struct buf in = {0};
		struct profile_batch b;

		make_cpu(&in, size, k & 2, k & 4);
		assert_ptr_equal(format_by_content(buf_str(&in)), &format_gperftools);
		decode_text(&b, &format_gperftools, buf_str(&in));
		assert_int_equal(b.profiles.n, 2);
		assert_int_equal(b.profiles.at[0].period, 10000000);
		assert_int_equal(sum_of(&b, 0), 40 * 41 / 2);
		assert_int_equal(sum_of(&b, 1), 40 * 41 / 2 * 10000000ll);

		uint32_t depth;

		stack_of(&b, b.sample_stack[0], &depth);
		assert_int_equal(depth, 3); /* without the handler's frame */
		stack_of(&b, b.sample_stack[1], &depth);
		assert_int_equal(depth, 2); /* and without the duplicated leaf */
		if (go)
			assert_as_go_reads("gperftools", buf_str(&in), &b);
		profile_batch_fini(&b);
		buf_fini(&in);
	}
}

/* --- invalid input --- */

struct bad_text {
	const struct format *format;
	const char *text, *says;
};

static const struct bad_text bad_texts[] = {
	{&format_heap_text, "heap profile: 1: 2 [3: 4] @ other/5\n",
	 "line 1: expected \"heap profile"},
	{&format_heap_text, "heap profile: 1: 2 [3: 4] @ heap_v2/5\n1: 2 @ 0x1\n",
	 "line 2: expected"},
	{&format_heap_text, "heap profile: 1: 2 [3: 4] @ heap_v2/5\n0: 2 [3: 4] @ 0x1\n",
	 "line 2: expected 0 bytes for 0 objects"},
	{&format_heap_text,
	 "heap profile: 1: 2 [3: 4] @ heap_v2/5\n1: 2 [3: 4] @ 0x11112222333344445\n",
	 "at most 64 bits"},
	{&format_heap_text, "heap_v2/5\nnonsense\n", "line 2: expected \"@ 0x"},
	{&format_heap_text, "heap profile: 1: 2 [3: 4] @ heap_v2/5\n\xff\n",
	 "at byte 38: expected UTF-8"},
	{&format_heap_text, "", "expected a heap profile"},
	{&format_contention_text, "--- mutex:\nformat = java\n", "line 2: expected a setting"},
	{&format_contention_text, "--- mutex:\ncycles/second = x\n", "line 2: expected a number"},
	{&format_contention_text, "--- mutex:\n1 x @ 0x5\n", "line 2: expected \"CYCLES"},
	{&format_contention_text, "nothing\n", "line 1: expected \"--- contention"},
	{&format_thread_text, "goroutine profile: total 1\nx @ 0x1\n", "line 2: expected \"N @"},
	{&format_thread_text, "--- threadz 1 ---\n--- other\n", "line 2: expected \"--- Thread"},
	{&format_thread_text, "\n\n", "expected a thread"},
	{&format_gperftools, "abc", "at byte 0: expected the words"},
};

static void invalid_texts_are_rejected_with_their_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(bad_texts); i++) {
		struct profile_batch b;
		struct err e = {0};

		assert_ok(profile_batch_init(&b, NULL));
		assert_int_equal(bad_texts[i].format->decode(&b, str_from(bad_texts[i].text),
							     &(struct decode_options){0}, &e),
				 -EBADMSG);
		assert_err_says(&e, bad_texts[i].says);
		profile_batch_fini(&b);
	}
}

static void check_if_decoded(struct profile_batch *b, const struct format *f, struct str in)
{
	struct err e = {0};

	assert_ok(profile_batch_reset(b));
	if (f->decode(b, in, &(struct decode_options){0}, &e) == 0)
		assert_ok_err(profile_batch_check(b, &e), &e);
}

/* Truncate at each byte, then change random bytes. */
static void damage(const struct format *f, struct str in, unsigned rounds)
{
	struct profile_batch b;
	uint64_t seed = 7;
	char *copy = malloc(in.n);

	assert_non_null(copy);
	assert_ok(profile_batch_init(&b, NULL));
	for (size_t n = 0; n < in.n; n++) {
		memcpy(copy + in.n - n, in.p, n); /* ends at the end of the block */
		check_if_decoded(&b, f, str_of(copy + in.n - n, n));
	}
	for (unsigned round = 0; round < rounds; round++) {
		memcpy(copy, in.p, in.n);
		for (unsigned k = 0; k <= round % 4; k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			copy[(seed >> 33) % in.n] =
				round % 2 ? in.p[(seed >> 20) % in.n] : (char)(seed >> 20);
		}
		check_if_decoded(&b, f, str_of(copy, in.n));
	}
	profile_batch_fini(&b);
	free(copy);
}

static void corrupted_input_is_safe(void **state)
{
	struct buf in = {0};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		damage(cases[i].format, str_from(cases[i].text), 1000);
	make_cpu(&in, 8, false, true);
	damage(&format_gperftools, buf_str(&in), 2000);
	buf_fini(&in);
}

static void every_allocation_failure_is_an_error(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		bool done = false;

		for (unsigned nth = 1; !done; nth++) {
			struct profile_batch b;
			struct err e = {0};
			int rc;

			assert_ok(profile_batch_init(&b, NULL));
			b.arena.fail_after = nth;
			rc = cases[i].format->decode(&b, str_from(cases[i].text),
						     &(struct decode_options){0}, &e);
			assert_true(rc == 0 || rc == -ENOMEM);
			done = rc == 0;
			profile_batch_fini(&b);
		}
	}
}

TEST_MAIN(test(parts_of_a_mapping_share_their_name), test(texts_decode_as_expected),
	  test(each_text_is_detected_by_content), test(texts_decode_as_in_go_pprof),
	  test(jemalloc_counts_all_threads_once), test(comments_of_go_give_names_and_inlined_calls),
	  test(gperftools_is_read_in_all_word_sizes_and_byte_orders),
	  test(invalid_texts_are_rejected_with_their_line), test(corrupted_input_is_safe),
	  test(every_allocation_failure_is_an_error))
