/* SPDX-License-Identifier: Apache-2.0 */
/* Each rule with stacks that have its pattern, and with similar ones that have not. */
#include "query/findings/findings_json.h"

#include "base/buf.h"
#include "test/test.h"
#include "wire/json.h"

/* Add "main;work|app.py;leaf 12", the root first; a name may have a file. Values are in samples. */
static void add_stack(struct tree *t, struct str line, int64_t quantum)
{
	size_t space = str_find_last(line, ' ');
	struct str stack = str_head(line, space);
	uint32_t node = 0;
	int64_t value;

	assert_ok(str_to_i64(str_from_at(line, space + 1), &value));
	while (stack.n) {
		struct str file = str_cut(&stack, ';'), name = str_cut(&file, '|');
		uint32_t id;

		assert_ok(names_add(&t->names, name, file, (struct str){0}, &id));
		assert_ok(tree_child(t, node, id, &node));
	}
	assert_ok(tree_put(t, node, TREE_ONLY, value * quantum));
}

static void assert_contains(struct str text, const char *part)
{
	if (str_find_str(text, str_from(part)) == text.n)
		fail_msg("%.*s does not contain %s", STR_ARG(text), part);
}

/* Build a tree of lines of stacks. */
static void make_tree(struct tree *t, const char *type, const char *unit, const char *stacks,
		      int64_t quantum)
{
	static const struct tree_options options;
	struct str rest = str_from(stacks), line;

	assert_ok(tree_init(t, &options, NULL));
	assert_ok(tree_set_type(t, str_from(type), str_from(unit)));
	while (str_next_line(&rest, &line))
		if (line.n)
			add_stack(t, line, quantum);
	assert_ok(tree_finish(t));
}

static void put_name(struct buf *out, const struct tree *t, uint32_t name)
{
	buf_put_str(out, t->names.rows.at[name].text);
}

/* Format "rule value of function <- evidence value\n" for each finding. */
static void print_findings(struct buf *out, const struct tree *t, const struct findings *all,
			   int64_t quantum)
{
	for (uint32_t i = 0; i < all->rows.n; i++) {
		const struct finding *f = &all->rows.at[i];

		buf_printf(out, "%s %lld of ", f->rule->name, (long long)(f->value / quantum));
		put_name(out, t, f->functions[0]);
		for (uint32_t j = 0; j < f->evidence_n; j++) {
			buf_put_str(out, j ? STR(", ") : STR(" <- "));
			put_name(out, t, f->evidence[j].name);
			buf_printf(out, " %lld", (long long)(f->evidence[j].value / quantum));
		}
		buf_put_char(out, '\n');
	}
}

/* Assert the findings of stacks, as print_findings() shows them. */
static void assert_findings_of(const char *type, const char *unit, int64_t quantum,
			       const char *stacks, const char *expected)
{
	struct findings all;
	struct buf out = {0};
	struct tree t;

	make_tree(&t, type, unit, stacks, quantum);
	assert_ok(findings_of_tree(&all, &t, finding_kind_of((struct str){0}, t.type)));
	print_findings(&out, &t, &all, quantum);
	assert_str_equal(buf_str(&out), str_from(expected));
	buf_fini(&out);
	tree_fini(&t);
}

#define CPU(stacks, expected) assert_findings_of("cpu", "nanoseconds", 10000000, stacks, expected)
#define WALL(stacks, expected) assert_findings_of("wall", "nanoseconds", 10000000, stacks, expected)
#define ALLOC(stacks, expected)                                                                    \
	assert_findings_of("alloc_space", "bytes", 512 * 1024, stacks, expected)
#define LOCKS(stacks, expected) assert_findings_of("delay", "nanoseconds", 1000, stacks, expected)

static void one_function_with_most_of_the_time(void **state)
{
	(void)state;
	CPU("main;a;hot 60\nmain;b;hot 20\nmain;b 20\n", "hot-function 80 of hot <- a 60, b 20\n");
	/* callers in libraries are skipped, if the program has one */
	CPU("main;parse;std::f;memcpy 90\nmain;x 10\n", "hot-function 90 of memcpy <- parse 90\n");
	CPU("main;a 30\nmain;b 30\nmain;c 40\n", "");
	/* few samples; a share that may be chance */
	CPU("main;hot 15\n", "");
	CPU("main;hot 52\nmain;b 48\n", "");
	/* waits, and what other rules are about */
	WALL("loop;epoll_wait 100\n", "");
	CPU("main;backtrace::libunwind::trace 100\n", "");
}

static void garbage_collection_and_allocation(void **state)
{
	(void)state;
	CPU("runtime.gcBgMarkWorker;runtime.gcDrain 30\n"
	    "main.main;main.f;runtime.mallocgc 20\n"
	    "main.main;main.f;runtime.makeslice;runtime.mallocgc 10\n"
	    "main.main;main.f;runtime.mallocgc;runtime.gcAssistAlloc 10\n"
	    "main.main;main.f 5\nmain.main;main.g 25\nmain.main;main.h 35\n",
	    "garbage-collection 40 of runtime.gcBgMarkWorker <- main.f 10\n"
	    "allocation 30 of runtime.mallocgc <- main.f 30\n");
	CPU("main;f;malloc 8\nmain;f 42\nmain;g 50\n", "");
	/* a method named free in a program of another language */
	CPU("main|app.py;free|app.py 40\nmain|app.py;b|app.py 30\nmain|app.py;c|app.py 30\n", "");
	CPU("main;(garbage collector) 30\nmain;a 40\nmain;b 30\n",
	    "garbage-collection 30 of (garbage collector) <- main 30\n");
}

static void allocations_have_a_place(void **state)
{
	(void)state;
	ALLOC("main.main;main.render;bytes.growSlice 300\nmain.main;main.load;bytes.Clone 300\n"
	      "main.main;main.render 150\nmain.main;main.x 50\n",
	      "allocation-site 450 of main.render <- main.main 450\n"
	      "growing-buffers 300 of bytes.growSlice <- main.render 300\n");
	ALLOC("main.main;main.a 30\nmain.main;main.b 30\nmain.main;main.c 40\n", "");
}

static void buffers_that_grow(void **state)
{
	(void)state;
	CPU("main;fill;void std::vector<int, std::allocator<int> >::_M_realloc_insert<int>(int) "
	    "40\n"
	    "main;fill 40\nmain;b 20\n",
	    "growing-buffers 40 of void std::vector<int, std::allocator<int> "
	    ">::_M_realloc_insert<int>(int) <- fill 40\n");
	CPU("main.main;main.f;strings.(*Builder).grow 40\nmain.main;main.g 30\nmain.main;main.h "
	    "30\n",
	    "");
}

static void locks(void **state)
{
	(void)state;
	CPU("w;take;pthread_mutex_lock;__lll_lock_wait 30\nw;take 30\nw;b 40\n",
	    "lock-time 30 of pthread_mutex_lock <- take 30\n");
	WALL("w;take;sync.(*Mutex).Lock;sync.(*Mutex).lockSlow 40\nw;take 30\nw;b 30\n",
	     "lock-wait 40 of sync.(*Mutex).Lock <- take 40\n");
	/* waiting for work is no lock */
	WALL("start_thread;w;pthread_cond_wait;__pthread_mutex_cond_lock 1\n"
	     "start_thread;w;pthread_cond_wait 90\nstart_thread;w;f 9\n",
	     "");
	LOCKS("main;store;put;pthread_mutex_unlock 800\nmain;other;pthread_mutex_unlock 200\n",
	      "contended-lock 800 of put <- store 800\n");
	LOCKS("main;idle;sync.(*Cond).Wait 1000\n", "");
}

static void recursion_and_depth(void **state)
{
	struct buf stacks = {0}, deep = {0};

	(void)state;
	buf_put_str(&stacks, STR("main"));
	for (unsigned i = 0; i < 10; i++)
		buf_put_str(&stacks, STR(";fib"));
	buf_printf(&stacks, " 45\nmain;a 15\nmain;b 40\n%c", 0);
	CPU(stacks.p, "recursion 45 of fib <- main 45\n");
	buf_put_str(&deep, STR("main"));
	for (unsigned i = 1; i < 128; i++)
		buf_printf(&deep, ";f%u", i);
	buf_printf(&deep, " 30\nmain;a 35\nmain;b 35\n%c", 0);
	CPU(deep.p, "deep-stacks 30 of f127 <- f126 30\n");
	CPU("main;f;f;f;f 45\nmain;a 25\nmain;b 30\n", "");
	buf_fini(&stacks);
	buf_fini(&deep);
}

static void the_same_work_for_many_callers(void **state)
{
	(void)state;
	CPU("main;a;norm 12\nmain;b;norm 12\nmain;c;norm 12\nmain;d;norm 12\nmain;e;norm 12\n"
	    "main;x 90\nmain;y 150\n",
	    "same-work 60 of norm <- a 12, b 12, c 12, d 12, e 12\n");
	/* a dispatcher does something else for each */
	CPU("main;a;call;p 12\nmain;b;call;q 12\nmain;c;call;r 12\nmain;d;call;s 12\n"
	    "main;e;call;t 12\nmain;x 90\nmain;y 150\n",
	    "");
	/* one caller has most of it */
	CPU("main;a;norm 80\nmain;b;norm 5\nmain;c;norm 5\nmain;d;norm 5\nmain;e;norm 5\n"
	    "main;x 200\nmain;y 200\n",
	    "");
}

static void waits_of_threads_that_work(void **state)
{
	(void)state;
	WALL("start_thread;serve;handle;nanosleep 50\nstart_thread;serve;handle;work 30\n"
	     "start_thread;serve;poll 20\n",
	     "sleeping 50 of nanosleep <- handle 50\n");
	/* a housekeeper */
	WALL("start_thread;tick;nanosleep 97\nstart_thread;tick;work 3\n", "");
}

static void what_is_built_in_each_call(void **state)
{
	(void)state;
	CPU("main.main;main.f;regexp.MustCompile;regexp.compile 30\nmain.main;main.f 30\n"
	    "main.main;main.g 40\n",
	    "regex-compile 30 of regexp.MustCompile <- main.f 30\n");
	CPU("runtime.main;runtime.doInit1;main.init;regexp.MustCompile 30\n"
	    "main.main;main.f 30\nmain.main;main.g 40\n",
	    "");
	CPU("java/lang/Thread.run;app/Api.get;java/lang/String.matches;"
	    "java/util/regex/Pattern.compile 30\n"
	    "java/lang/Thread.run;app/Api.get 30\njava/lang/Thread.run;app/Api.b 40\n",
	    "regex-compile 30 of java/util/regex/Pattern.compile <- app/Api.get 30\n");
	CPU("run|app.py;compile|/usr/lib/python3.11/re/_compiler.py 30\nrun|app.py 30\n"
	    "run|app.py;b|app.py 40\n",
	    "regex-compile 30 of compile <- run 30\n");
	/* another function of that name */
	CPU("run|app.py;compile|app.py 30\nrun|app.py 30\nrun|app.py;b|app.py 40\n", "");
	CPU("app.Api.get;com.fasterxml.jackson.databind.ObjectMapper.<init> 20\napp.Api.get 40\n"
	    "app.Api.b 40\n",
	    "built-per-call 20 of com.fasterxml.jackson.databind.ObjectMapper.<init> <- "
	    "app.Api.get "
	    "20\n");
	CPU("main.main;main.f;fmt.Sprintf;fmt.x 30\nmain.main;main.f 30\nmain.main;main.g 40\n",
	    "format-strings 30 of fmt.Sprintf <- main.f 30\n");
}

static void builds_and_symbols(void **state)
{
	(void)state;
	CPU("main;f;int& std::forward<int>(int&) 20\nmain;f 40\nmain;g 40\n",
	    "debug-build 20 of int& std::forward<int>(int&) <- f 20\n");
	CPU("main;f;__asan_memcpy 20\nmain;f 40\nmain;g 40\n",
	    "instrumented-build 20 of __asan_memcpy <- f 20\n");
	CPU("main;app+0x12f0 20\nmain;0x7f12 10\nmain;f 40\nmain;g 30\n",
	    "missing-symbols 30 of app+0x12f0 <- main 30\n");
	CPU("main;linux-vdso.1.so+0xb03 30\nmain;f 40\nmain;g 30\n", "");
	CPU("main;_PyEval_EvalFrameDefault 50\nmain;_PyEval_EvalFrameDefault;PyNumber_Add 50\n",
	    "interpreter-frames 100 of _PyEval_EvalFrameDefault <- main 100\n");
	CPU("main;_PyEval_EvalFrameDefault;py::work:app.py 45\n"
	    "main;_PyEval_EvalFrameDefault;py::load:app.py 45\n"
	    "main;_PyEval_EvalFrameDefault 10\n",
	    "");
}

static void other_types_have_no_findings(void **state)
{
	(void)state;
	assert_findings_of("inuse_space", "bytes", 1 << 20, "main;hot 1000\n", "");
	assert_findings_of("goroutine", "count", 1, "main;hot 1000\n", "");
	CPU("", "");
	/* a difference of values, as in a diff written to a file */
	CPU("main;hot -1000\nmain;b 3\n", "");
}

static void names_are_taken_apart(void **state)
{
	static const struct {
		const char *text, *file, *function;
	} cases[] = {
		{"lib/app.py:-1 - work", "", "work"},
		{"mod.rs:66 - backtrace::trace", "", "backtrace::trace"},
		{":(idle):0", "", "(idle)"},
		{"node:internal/net:isIPv6:36", "", "isIPv6"},
		{"main.(*T).Run", "", "main.(*T).Run"},
		{"std::map<int, int>::find(int const&)", "", "std::map<int, int>::find"},
		{"int java.util.Random.next(int)", "Random.java", "java.util.Random.next"},
		{"a::b", "", "a::b"},
		{"", "", ""},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct frame_name name = {.text = str_from(cases[i].text),
					  .file = str_from(cases[i].file)};

		assert_str_equal(finding_name_of(&name).function, str_from(cases[i].function));
	}
	assert_true(finding_pattern_matches("a*c*", STR("abcd")));
	assert_true(finding_pattern_matches("java.util.*.f", STR("java/util/x/f")));
	assert_false(finding_pattern_matches("a*c", STR("abcd")));
	assert_false(finding_pattern_matches("a", STR("")));
}

static void findings_are_json(void **state)
{
	struct findings all;
	struct buf out = {0};
	struct arena arena;
	struct json doc;
	struct tree t;
	struct json_writer w = json_writer_to(&out, 0);

	(void)state;
	make_tree(&t, "cpu", "ns", "main;a(b)|x.c;hot 90\nmain;c 10\n", 10000000);
	assert_ok(findings_of_tree(&all, &t, finding_kind_of((struct str){0}, t.type)));
	json_open_object(&w);
	assert_ok(findings_put_json(&w, &all, &t));
	json_close_object(&w);
	arena_init(&arena, NULL);
	json_init(&doc, &arena);
	assert_ok(json_parse(&doc, buf_str(&out), NULL));
	assert_contains(buf_str(&out),
			"\"path\":[\"main\",\"a(b)\",\"hot\"],\"path_value\":900000000,"
			"\"focus\":\"^(?:hot)$\"");
	assert_contains(buf_str(&out), "\"evidence\":[{\"name\":\"a(b)\",\"file\":\"x.c\",");
	arena_fini(&arena);
	buf_fini(&out);
	tree_fini(&t);
}

TEST_MAIN(test(one_function_with_most_of_the_time), test(garbage_collection_and_allocation),
	  test(allocations_have_a_place), test(buffers_that_grow), test(locks),
	  test(recursion_and_depth), test(the_same_work_for_many_callers),
	  test(waits_of_threads_that_work), test(what_is_built_in_each_call),
	  test(builds_and_symbols), test(other_types_have_no_findings), test(names_are_taken_apart),
	  test(findings_are_json))
