/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder of `perf script` output. */
#include "format/perf_script/perf_script.h"

#include "format/decode_helper.h"
#include "format/folded/folded.h"
#include "format/perf_script/event_line.h"
#include "format/perf_script/frame_line.h"

/* Event lines of perf for different sets of fields, and their expected contents. */
static void event_lines_are_parsed(void **state)
{
	static const struct {
		const char *line, *comm;
		int64_t pid, tid, cpu; /* -1: absent */
		uint64_t time;	       /* 0: absent */
		int64_t period;
		const char *event, *rest;
	} cases[] = {
		{"java 25607 4794564.109216: 1 cycles:", "java", -1, 25607, -1, 4794564109216000, 1,
		 "cycles", ""},
		{"java 12688 [002] 6544038.708352: 235 cpu-clock: ", "java", -1, 12688, 2,
		 6544038708352000, 235, "cpu-clock", ""},
		{"V8 WorkerThread 24636/25607 [000] 94564.109216: 100 cycles:", "V8 WorkerThread",
		 24636, 25607, 0, 94564109216000, 100, "cycles", ""},
		{"hot  9788/9788   1086.790341671:    1001001   cpu-clock: ", "hot", 9788, 9788, -1,
		 1086790341671, 1001001, "cpu-clock", ""},
		{"iperf 27409/28744 [000] 441995.133575: cpu-clock: ", "iperf", 27409, 28744, 0,
		 441995133575000, -1, "cpu-clock", ""},
		{"vote   913    72.176760:     257597 cycles:uppp: ", "vote", -1, 913, -1,
		 72176760000, 257597, "cycles:uppp", ""},
		{"           false 64414 20110.539270:      34467 cycles:u:  ffffffff9aa3c8de "
		 "[unknown] "
		 "([unknown])",
		 "false", -1, 64414, -1, 20110539270000, 34467, "cycles:u",
		 "ffffffff9aa3c8de [unknown] ([unknown])"},
		{"hot 10108 [000]  1096.025751:       sched:sched_switch: prev_comm=hot prev_pid=1 "
		 "==> "
		 "next: 5",
		 "hot", -1, 10108, 0, 1096025751000, -1, "sched:sched_switch",
		 "prev_comm=hot prev_pid=1 ==> next: 5"},
		{"a 1 [000] 5.000001: raw_syscalls:sys_enter: NR 0 (3, 7ff)", "a", -1, 1, 0,
		 5000001000, -1, "raw_syscalls:sys_enter", "NR 0 (3, 7ff)"},
		/* spaces, digits and colons in the comm */
		{"Thread 12 9788 1086.790341: 1001001 cpu-clock:", "Thread 12", -1, 9788, -1,
		 1086790341000, 1001001, "cpu-clock", ""},
		{"nginx: worker 77 [001] 5.5: 10 cycles:", "nginx: worker", -1, 77, 1, 5500000000,
		 10, "cycles", ""},
		{"kworker/0:1-eve    42 [000] 5.5: 10 cycles:", "kworker/0:1-eve", -1, 42, 0,
		 5500000000, 10, "cycles", ""},
		{"1234 99 5.5: 10 cycles:", "1234", -1, 99, -1, 5500000000, 10, "cycles", ""},
		{":-1    -1 5.5: 10 cycles:", ":-1", -1, -1, -1, 5500000000, 10, "cycles", ""},
		/* -F misc */
		{"hot  9788 U   1086.738799:          1 page-faults: ", "hot", -1, 9788, -1,
		 1086738799000, 1, "page-faults", ""},
		/* without a time */
		{"java 19983 cycles:", "java", -1, 19983, -1, 0, -1, "cycles", ""},
		{"node-v011 31912 cpu-clock: ", "node-v011", -1, 31912, -1, 0, -1, "cpu-clock", ""},
		{"java 12/13 [003] 10000 cycles:", "java", 12, 13, 3, 0, 10000, "cycles", ""},
		{"   1001001   cpu-clock: ", "", -1, -1, -1, 0, 1001001, "cpu-clock", ""},
		/* without a thread, without an event */
		{"hot   cpu-clock: ", "hot", -1, -1, -1, 0, -1, "cpu-clock", ""},
		{"  1086.738799:   page-faults: ", "", -1, -1, -1, 1086738799000, -1, "page-faults",
		 ""},
		{"hot  9915  1091.058737:      556ce5530210 leaf", "hot", -1, 9915, -1,
		 1091058737000, -1, "", "556ce5530210 leaf"},
		{"hot 9 5.5: 10 cpu/event=0xc0,umask=0x1/u:", "hot", -1, 9, -1, 5500000000, 10,
		 "cpu/event=0xc0,umask=0x1/u", ""},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct perf_event e;

		if (!perf_event_parse(str_from(cases[i].line), true, &e))
			fail_msg("not an event line: %s", cases[i].line);
		assert_str_equal(e.comm, str_from(cases[i].comm));
		assert_int_equal(e.has_pid ? e.pid : -1, cases[i].pid);
		assert_int_equal(e.has_tid ? e.tid : -1, cases[i].tid);
		assert_int_equal(e.has_cpu ? (int64_t)e.cpu : -1, cases[i].cpu);
		assert_int_equal(e.has_time ? e.time : 0, cases[i].time);
		assert_int_equal(e.has_period ? (int64_t)e.period : -1, cases[i].period);
		assert_str_equal(e.event, str_from(cases[i].event));
		assert_str_equal(str_trim(e.rest), str_from(cases[i].rest));
	}
}

static void other_lines_are_not_events(void **state)
{
	static const char *const lines[] = {
		"",
		"hello world",
		"hot",
		"a;b;c 12",
		"5.5",
		"x 5.5",
		"99999999999999999999.5: x",
		"\t114d inner+0x14 (inlined)",
		"562039122f0f <a::B<K,V> as c>::d+0xbf (/b)",
		"  inl.c:2",
	};
	struct perf_event e;

	(void)state;
	for (size_t i = 0; i < countof(lines); i++)
		if (perf_event_parse(str_from(lines[i]), false, &e))
			fail_msg("an event line: %s", lines[i]);
}

static void frames_are_parsed(void **state)
{
	static const struct {
		const char *line;
		uint64_t address;
		const char *symbol, *dso, *type;
		bool inlined;
	} cases[] = {
		{"\tffffffff821f5618 __schedule+0x618 ([kernel.kallsyms])", 0xffffffff821f5618,
		 "__schedule", "[kernel.kallsyms]", "kernel", false},
		{"\t            1216 leaf+0x16 (/tmp/hot)", 0x1216, "leaf", "/tmp/hot", "native",
		 false},
		{"\t    7f53389994d0 [unknown] ([unknown])", 0x7f53389994d0, "", "", "", false},
		{"\t    7f1e2215d058  (/lib/libc-2.15.so)", 0x7f1e2215d058, "", "/lib/libc-2.15.so",
		 "native", false},
		{"\t            114d inner+0x14 (inlined)", 0x114d, "inner", "", "", true},
		{"\t  8c3453 tcp_sendmsg (/lib/modules/4.3.0/build/vmlinux)", 0x8c3453,
		 "tcp_sendmsg", "/lib/modules/4.3.0/build/vmlinux", "kernel", false},
		{"\tffffffffb8f03eaa net_rx_action+0x13a (/usr/lib/debug/boot/vmlinux-5.4.14)",
		 0xffffffffb8f03eaa, "net_rx_action", "/usr/lib/debug/boot/vmlinux-5.4.14",
		 "kernel", false},
		{"\t 7d8 ipv4_conntrack_local+0x7f8f80b8 ([nf_conntrack_ipv4])", 0x7d8,
		 "ipv4_conntrack_local", "[nf_conntrack_ipv4]", "kernel", false},
		{"\tffffffffc087cbc9 mlx5e_xdp+0xa9 (/lib/modules/5/kernel/mlx5_core.ko.xz)",
		 0xffffffffc087cbc9, "mlx5e_xdp", "/lib/modules/5/kernel/mlx5_core.ko.xz", "kernel",
		 false},
		{"\t7ffd1 __vdso_gettimeofday+0x1 ([vdso])", 0x7ffd1, "__vdso_gettimeofday",
		 "[vdso]", "native", false},
		{"\t13a80b608e0a RegExp:[&<>\\\"\\'] (/tmp/perf-7539.map)", 0x13a80b608e0a,
		 "RegExp:[&<>\\\"\\']", "/tmp/perf-7539.map", "jit", false},
		{"\tf719f4a4 fib.smx::fib+0x3c (/tmp/jitted-31714-4.so)", 0xf719f4a4,
		 "fib.smx::fib", "/tmp/jitted-31714-4.so", "jit", false},
		/* parentheses in names and files */
		{"\t 74d468 v8::Function::Call(v8::Handle<v8::Value>, int) (/tmp/node-v011)",
		 0x74d468, "v8::Function::Call(v8::Handle<v8::Value>, int)", "/tmp/node-v011",
		 "native", false},
		{"\t 53d165 regexp/syntax.(*parser).push+0x235 (/usr/bin/go)", 0x53d165,
		 "regexp/syntax.(*parser).push", "/usr/bin/go", "native", false},
		{"\t 1 (anonymous namespace)::f(int)+0x3 (/memfd:x y (deleted))", 1,
		 "(anonymous namespace)::f(int)", "/memfd:x y (deleted)", "native", false},
		/* -F dsoff, -F ip, -F ip,sym */
		{"\t 1210 leaf+0x10 (/tmp/hot+0x1210)", 0x1210, "leaf", "/tmp/hot", "native",
		 false},
		{"\tffffffff81579770", 0xffffffff81579770, "", "", "", false},
		{"\tffffffff81579770 perf_event", 0xffffffff81579770, "perf_event", "", "kernel",
		 false},
		{"ffffffff8103d0ca native_write_msr_safe ([kernel.kallsyms])", 0xffffffff8103d0ca,
		 "native_write_msr_safe", "[kernel.kallsyms]", "kernel", false},
	};
	struct perf_frame f;

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		if (!perf_frame_parse(str_from(cases[i].line), &f))
			fail_msg("not a frame: %s", cases[i].line);
		assert_int_equal(f.address, cases[i].address);
		assert_str_equal(f.symbol, str_from(cases[i].symbol));
		assert_str_equal(f.dso, str_from(cases[i].dso));
		assert_str_equal(perf_frame_type(&f), str_from(cases[i].type));
		assert_int_equal(f.inlined, cases[i].inlined);
	}
	assert_false(perf_frame_parse(STR("\thello world (x)"), &f));
	assert_false(perf_frame_parse(STR("\t12345678123456781 x (y)"), &f));
	assert_false(perf_frame_parse(STR(""), &f));
}

#define PLAIN                                                                                      \
	"# ========\n# hostname : box\n# arch : x86_64\n#\n"                                       \
	"hot  9788 [001] 1086.790341:    1001001   cpu-clock: \n"                                  \
	"\tffffffff821f5618 __schedule+0x618 ([kernel.kallsyms])\n"                                \
	"\t            1216 leaf+0x16 (/tmp/hot)\n"                                                \
	"\t            108a main+0x1a (/tmp/hot)\n"                                                \
	"\n"                                                                                       \
	"hot  9788 [001] 1086.791334:          3   page-faults: \n"                                \
	"\t            121b leaf+0x1b (/tmp/hot)\n"                                                \
	"\n"                                                                                       \
	"hot  9788 [001] 1086.792341:    1001001   cpu-clock: \n"                                  \
	"\tffffffff821f5618 __schedule+0x618 ([kernel.kallsyms])\n"                                \
	"\t            1216 leaf+0x16 (/tmp/hot)\n"                                                \
	"\t            108a main+0x1a (/tmp/hot)\n"                                                \
	"\n"

static void each_event_is_a_profile_with_its_times(void **state)
{
	struct profile_batch b;
	struct err e = {0};
	const struct profile *p;
	const struct attribute *a;
	const struct value *host;

	(void)state;
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok_err(decode_as(&b, &format_perf_script, STR(PLAIN), &e), &e);
	assert_batch_valid(&b);
	assert_int_equal(b.profiles.n, 2);
	p = &b.profiles.at[0];
	assert_str_equal(string_of(&b, p->sample_type.type), STR("cpu"));
	assert_str_equal(string_of(&b, p->sample_type.unit), STR("nanoseconds"));
	assert_int_equal(p->period, 1001001);
	assert_int_equal(p->time_unix_nano, 1086790341000);
	assert_int_equal(p->duration_nano, 2000001);
	assert_int_equal(p->sample_count, 1); /* two equal samples at different times */
	assert_int_equal(b.times.at[1], 1086792341000);
	assert_int_equal(b.values.at[1], 1001001);
	assert_int_equal(b.sample_attributes.n, 2 * 3);
	a = profile_find_attribute(&b, b.sample_attributes.at, 3, STR("thread.name"));
	assert_str_equal(a->value.s, STR("hot"));
	a = profile_find_attribute(&b, b.sample_attributes.at, 3, STR("thread.id"));
	assert_int_equal(a->value.i, 9788);
	a = profile_find_attribute(&b, b.sample_attributes.at, 3, STR("cpu.logical_number"));
	assert_int_equal(a->value.i, 1);
	assert_str_equal(string_of(&b, b.profiles.at[1].sample_type.type), STR("page-faults"));
	host = profile_find_keyvalue(&b, b.resources.at[0].attributes, STR("host.name"));
	assert_str_equal(host->s, STR("box"));
	profile_batch_fini(&b);
}

/* Complete outputs and their expected stacks. */
static void complete_outputs_become_stacks(void **state)
{
	static const struct {
		const char *type, *in, *out;
	} cases[] = {
		{"", PLAIN, "main;leaf;__schedule_[k] 2002002\n"},
		{"page-faults", PLAIN, "leaf 3\n"},
		/* no call chain, no empty lines; source lines below */
		{"",
		 " hot  9915  1.0: 5 cycles:      556ce5530210 leaf+0x10 (/tmp/hot)\n"
		 " hot  9915  1.1: 6 cycles:  ffffffff821f04e5 irqentry+0x105 "
		 "([kernel.kallsyms])\n",
		 "irqentry_[k] 6\nleaf 5\n"},
		{"",
		 " hot  556ce5530210 leaf (/tmp/hot)\n  hot.c:4\n hot 556ce5530216 leaf "
		 "(/tmp/hot)\n"
		 "  hot.c:5\n",
		 "leaf 2\n"},
		/* no frames: counted under the comm */
		{"", "hot 9 1.0: 5 cycles: \nhot 9 1.1: 6 cycles: \n\n", "[unknown] 11\n"},
		/* -F ip,sym and the like */
		{"", "\n\t 1216 leaf\n\t 108a main\n\n\n\t 1216 leaf\n\t 108a main\n\n",
		 "main;leaf 2\n"},
		{"", "hot   cpu-clock: \n\t 1216 leaf\n\t 108a main\n\n", "main;leaf 1\n"},
		{"", "hot 9788 \n\t 1216 leaf\n\t 108a main\n\n", "main;leaf 1\n"},
		/* no tab, no trailing empty line */
		{"", "java 19983 cycles:\nffffffff8103d0ca f ([k])\n7f1 main (/j)",
		 "main;f_[k] 1\n"},
		{"",
		 "boa 1 2.0: 7 cycles:u: \n     562039122f0f <T as U>::g+0xbf (/b)\n     5620 h "
		 "(/b)\n\n",
		 "h;<T as U>::g 7\n"},
		/* inlined calls belong to the frame below with the same address */
		{"",
		 "inl 1 2.0: 7 cycles: \n\t 114d inner+0x14 (inlined)\n\t 114d outer+0x14 "
		 "(inlined)\n"
		 "\t 114d work+0x14 (/tmp/inl)\n\t 27304 start (inlined)\n\t 1070 _start "
		 "(/tmp/inl)\n\n",
		 "_start;start;work;outer;inner 7\n"},
		{"",
		 "inl 1 2.0: 7 cycles: \n\t 114d inner+0x14\n  inl.c:2 (inlined)\n\t 114d "
		 "work+0x14 "
		 "(/tmp/inl)\n  inl.c:4\n\n",
		 "work;inner 7\n"},
		/* inlined calls of Java, but not C++'s operator */
		{"",
		 "java 1 2.0: 7 cycles: \n\t 7f LA;::a->LB;::b->LC;::c+0x3 (/tmp/perf-1.map)\n\n",
		 "LA:::a_[j];LB:::b_[j];LC:::c_[j] 7\n"},
		{"", "cc 1 2.0: 7 cycles: \n\t 7f std::p<int>::operator->() const (/bin/cc)\n\n",
		 "std::p<int>::operator->() const 7\n"},
		/* a payload is not a frame; other records are skipped */
		{"", "hot 1 [000] 1.0: sched:sched_switch: prev_comm=a (b)\n\tffff f ([k])\n\n",
		 "f_[k] 1\n"},
		{"",
		 "hot 1/1 1.0: PERF_RECORD_MMAP2 1/1: [0x55(0x1000) @ 0 08:01 1 0]: r-xp /tmp/hot\n"
		 "hot 1/1 1.0: PERF_RECORD_COMM: hot:1/1\n"
		 "hot 1/1 1.1: 4 cycles: \n\t 1 main (/tmp/hot)\n\n",
		 "main 4\n"},
		/* no name: the file; no file: unknown */
		{"",
		 "sh 1 1.1: 4 cycles: \n\t 12ce4 [unknown] (/usr/bin/dash)\n\t 5 [unknown] "
		 "([unknown])\n\n",
		 "[unknown];[dash] 4\n"},
		/* unknown lines and frames without an event are skipped */
		{"",
		 "hot 1 1.1: 4 cycles: \n\t 1 main (/tmp/hot)\n\tWEIRD_LINE\n\n\t 2 lost "
		 "(/tmp/hot)\n",
		 "main 4\n"},
		{"", "hot 1 1.1: 4 cycles: \r\n\t 1 main (/tmp/hot)\r\n\r\n", "main 4\n"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		assert_converts(&format_perf_script, str_from(cases[i].in), &format_folded,
				str_from(cases[i].type), str_from(cases[i].out));
}

static void source_lines_are_assigned_to_functions(void **state)
{
	struct profile_batch b;
	struct err e = {0};
	const struct location *l;
	uint32_t n;

	(void)state;
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok_err(
		decode_as(&b, &format_perf_script,
			  STR("inl 1 2.0: 7 cycles: \n\t 114d inner+0x14\n  inl.c:2 (inlined)\n\t"
			      " 114d work+0x14 (/tmp/inl)\n  inl.c:4\n\n"),
			  &e),
		&e);
	l = &b.locations.at[stack_of(&b, b.sample_stack[0], &n)[0]];
	assert_int_equal(n, 1);
	assert_int_equal(l->address, 0x114d);
	assert_int_equal(l->lines.n, 2);
	assert_int_equal(b.lines.at[l->lines.at].line, 2);
	assert_int_equal(b.lines.at[l->lines.at + 1].line, 4);
	assert_str_equal(string_of(&b, b.functions.at[b.lines.at[l->lines.at].function].name),
			 STR("inner"));
	assert_str_equal(string_of(&b, b.functions.at[b.lines.at[l->lines.at].function].filename),
			 STR("inl.c"));
	assert_str_equal(string_of(&b, b.mappings.at[l->mapping].filename), STR("/tmp/inl"));
	profile_batch_fini(&b);
}

/* A source that generates `left` lines on demand, like a long pipe. */
struct endless {
	uint64_t left;
	struct line_source *source;
};

static int next_endless(void *arg, struct str *line, struct err *e)
{
	static const char *const lines[] = {
		"hot 1 [000] 1.000001: 10 cycles:", "\t 1216 leaf (/tmp/hot)",
		"\t 108a main (/tmp/hot)", ""};
	struct endless *x = arg;

	(void)e;
	if (!x->left--)
		return 0;
	*line = str_from(lines[x->source->number++ % countof(lines)]);
	return 1;
}

static void a_long_pipe_uses_bounded_memory(void **state)
{
	const uint64_t samples = 5000000; /* more than the limit of times */
	struct budget budget = {.limit = 256 * MIB};
	struct endless x = {.left = samples * 4};
	struct line_source source = {.arg = &x, .next = next_endless};
	unsigned warnings = 0;
	struct decode_options o = {.warn = count_warning, .warn_arg = &warnings};
	struct profile_batch b;
	struct err e = {0};

	(void)state;
	x.source = &source;
	assert_ok(profile_batch_init(&b, &budget));
	assert_ok_err(format_perf_script.decode_lines(&b, &source, &o, &e), &e);
	assert_batch_valid(&b);
	assert_int_equal(b.sample_count, 1);
	assert_int_equal(sample_total(&b, 0), (int64_t)samples * 10);
	assert_int_equal(b.times.n, 0);
	assert_int_equal(warnings, 1);
	profile_batch_fini(&b);
}

static void perf_script_is_detected_by_content(void **state)
{
	(void)state;
	assert_int_equal(format_perf_script.sniff(STR(PLAIN)), 80);
	assert_true(format_perf_script.sniff(
			    STR("hot   cpu-clock: \n\t 1216 leaf\n\t 10 main\n\n")) > 0);
	assert_true(format_perf_script.sniff(
			    STR(" hot  9915  1.0: 5 cycles:  556ce5530210 leaf (/tmp/hot)\n")) > 0);
	assert_true(format_perf_script.sniff(STR(" 5122.074514: \n\t 115a leaf (/hot)\n\n")) > 0);
	assert_int_equal(format_perf_script.sniff(STR("a;b;c 12\nmain;x 5\n")), 0);
	assert_int_equal(format_perf_script.sniff(STR("hello world\nthis is text: yes\n")), 0);
	assert_int_equal(format_perf_script.sniff(STR("{\"a\": 1}")), 0);
	assert_int_equal(format_perf_script.sniff(STR("")), 0);
	assert_ptr_equal(format_by_content(STR(PLAIN)), &format_perf_script);
	assert_ptr_equal(format_by_content(STR("a;b;c 12\n")), &format_folded);
}

static void invalid_input_is_safe(void **state)
{
	struct str all =
		STR(PLAIN "inl 1 2.0: 7 cycles: \n\t 114d inner+0x14\n  inl.c:2 (inlined)\n\t"
			  " 114d work+0x14 (/tmp/inl)\n  inl.c:4\n\n"
			  " hot 99 556ce5530210 leaf (/tmp/hot)\n");

	(void)state;
	assert_refused(&format_perf_script, STR("hello\n"), "found none");
	survives_truncation(&format_perf_script, all);
	survives_mutation(&format_perf_script, all, 10000);
	survives_lack_of_memory(&format_perf_script, all);
	survives_failing_allocations(&format_perf_script, all);
}

TEST_MAIN(test(event_lines_are_parsed), test(other_lines_are_not_events), test(frames_are_parsed),
	  test(each_event_is_a_profile_with_its_times), test(complete_outputs_become_stacks),
	  test(source_lines_are_assigned_to_functions), test(a_long_pipe_uses_bounded_memory),
	  test(perf_script_is_detected_by_content), test(invalid_input_is_safe))
