/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwinding: time per frame with warm caches, compared with other unwinders, on a stack of 16
 * functions that call each other by pointer; and the time and memory of compiling tables.
 */
#include "bench.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <ucontext.h>

#ifdef HAVE_PEER
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#endif

#include "symbol/symbol.h"
#include "test/self_space.h"

enum { DEPTH = 48, WALKS = 20000, ROUNDS = 9, FRAMES = 256 };

struct context {
	struct self_space self;
	struct unwind_memory stack;
	int (*backtrace)(void **, int); /* glibc's; libunwind has one of that name, too */
	uint64_t frames;		/* of the last walk */
	uint64_t pcs[FRAMES];
	_Atomic uint64_t cache[4096];
	double tables, ours, frame_pointers, libunwind, libgcc; /* ns per frame */
};

static NO_INLINE void walk_ours(void *arg)
{
	struct context *c = arg;
	struct unwind_regs start = {0};
	enum unwind_end end;

	__asm__ volatile("leaq (%%rip), %0; movq %%rsp, %1; movq %%rbp, %2"
			 : "=r"(start.pc), "=r"(start.sp), "=r"(start.fp));
	for (unsigned i = 0; i < WALKS; i++) {
		struct unwind_regs regs = {.pc = start.pc, .sp = start.sp, .fp = start.fp};

		c->frames = unwind_walk(&c->self.space, &regs, &c->stack, c->pcs, FRAMES, &end);
		bench_keep(c->pcs[c->frames - 1]);
	}
	if (end != UNWIND_ROOT)
		fprintf(stderr, "a walk ended with %d after %lu frames\n", end, c->frames);
}

static NO_INLINE void walk_frame_pointers(void *arg)
{
	struct context *c = arg;

	for (unsigned i = 0; i < WALKS; i++) {
		uint64_t fp = (uint64_t)(uintptr_t)__builtin_frame_address(0);
		uint64_t n = 0;

		while (n < DEPTH && fp >= c->stack.low && fp < c->stack.high - 16 && !(fp & 7)) {
			const uint64_t *frame = (const uint64_t *)(uintptr_t)fp;

			c->pcs[n++] = frame[1] - 1;
			if (frame[0] <= fp)
				break;
			fp = frame[0];
		}
		c->frames = n;
		bench_keep(c->pcs[0]);
	}
}

static NO_INLINE void walk_libgcc(void *arg)
{
	struct context *c = arg;

	for (unsigned i = 0; i < WALKS / 20; i++)
		c->frames = (uint64_t)c->backtrace((void **)c->pcs, FRAMES);
}

#ifdef HAVE_PEER
static NO_INLINE void walk_libunwind(void *arg)
{
	struct context *c = arg;

	for (unsigned i = 0; i < WALKS; i++)
		c->frames = (uint64_t)unw_backtrace((void **)c->pcs, FRAMES);
}
#endif

static double ns_a_frame(struct context *c, void (*walk)(void *), unsigned walks)
{
	double seconds = bench_best(ROUNDS, walk, c);

	return seconds * 1e9 / walks / (double)c->frames;
}

static void measure_walks(struct context *c)
{
	c->tables = ns_a_frame(c, walk_ours, WALKS);
	c->self.space.cache = c->cache;
	c->self.space.cache_size = countof(c->cache);
	c->ours = ns_a_frame(c, walk_ours, WALKS);
	c->frame_pointers = ns_a_frame(c, walk_frame_pointers, WALKS);
	c->libgcc = ns_a_frame(c, walk_libgcc, WALKS / 20);
#ifdef HAVE_PEER
	c->libunwind = ns_a_frame(c, walk_libunwind, WALKS);
#endif
}

/* Sixteen functions with different frames, so that sixteen rules are looked up. */
typedef void link_function(struct context *c, unsigned depth);
static link_function *const links[];

#define LINK(n)                                                                                    \
	static NO_INLINE void link_##n(struct context *c, unsigned depth)                          \
	{                                                                                          \
		volatile char local[8 + 24 * (n)];                                                 \
                                                                                                   \
		local[n] = (char)depth;                                                            \
		if (depth)                                                                         \
			links[(depth * 7 + (n)) % 16](c, depth - 1);                               \
		else                                                                               \
			measure_walks(c);                                                          \
		bench_keep((uint64_t)local[n]);                                                    \
	}

LINK(0)
LINK(1)
LINK(2)
LINK(3)
LINK(4)
LINK(5)
LINK(6)
LINK(7)
LINK(8)
LINK(9)
LINK(10)
LINK(11)
LINK(12)
LINK(13)
LINK(14)
LINK(15)

static link_function *const links[] = {link_0,	link_1,	 link_2,  link_3, link_4,  link_5,
				       link_6,	link_7,	 link_8,  link_9, link_10, link_11,
				       link_12, link_13, link_14, link_15};

static void report_walks(const struct context *c)
{
	const char *method = "a stack of 50 frames of 16 functions, warm caches; CPU, best of 9";

	bench_report(&(struct bench_result){"unwind-frame", c->ours, "ns", BENCH_LESS,
					    "glibc backtrace()", c->libgcc, method});
	if (c->libunwind > 0)
		bench_report(&(struct bench_result){"unwind-frame", c->ours, "ns", BENCH_LESS,
						    "libunwind unw_backtrace()", c->libunwind,
						    method});
	else
		bench_skip("unwind-frame against libunwind", "libunwind-dev is not installed");
	bench_report(&(struct bench_result){"unwind-frame", c->ours, "ns", BENCH_LESS,
					    "frame pointers", c->frame_pointers, method});
	bench_report(&(struct bench_result){"unwind-frame-without-cache", c->tables, "ns",
					    BENCH_LESS, "glibc backtrace()", c->libgcc, method});
}

/* ---- tables ---- */

struct file {
	struct unwind_source source;
	struct budget budget;
	struct unwind_table_stats stats;
};

static void compile_file(void *arg)
{
	struct file *f = arg;
	struct unwind_table *t;

	f->budget = (struct budget){.limit = SIZE_MAX};
	if (unwind_table_compile(&t, &f->source, &f->budget, NULL))
		return;
	f->stats = unwind_table_stats(t);
	unwind_table_free(t);
}

static void measure_table(const char *path, unsigned rounds)
{
	struct symbol_options options = {0};
	struct symbol_file *symbols;
	struct file f = {0};
	char name[128], method[256];

	if (symbol_file_open(&symbols, path, &options, NULL)) {
		bench_skip(path, "no such file");
		return;
	}
	f.source.eh_frame = symbol_file_section(symbols, ".eh_frame", &f.source.eh_frame_address);
	f.source.text = symbol_file_section(symbols, ".text", &f.source.text_address);
	f.source.text_limit = f.source.text_address + f.source.text.n;

	double seconds = bench_best(rounds, compile_file, &f);
	const char *base = strrchr(path, '/');

	snprintf(name, sizeof(name), "unwind-compile-%s", base ? base + 1 : path);
	snprintf(method, sizeof(method),
		 "%u functions, %u rows, %u rules in %zu bytes (%.1f %% of .eh_frame, %.1f ns per "
		 "row); peak "
		 "%zu bytes; CPU, best of %u",
		 f.stats.functions, f.stats.rows, f.stats.rules, f.stats.bytes,
		 100.0 * (double)f.stats.bytes / (double)f.source.eh_frame.n,
		 seconds * 1e9 / f.stats.rows, (size_t)f.budget.peak, rounds);
	bench_report(
		&(struct bench_result){name, seconds * 1e3, "ms", BENCH_LESS, NULL, 0, method});
	symbol_file_close(symbols);
}

int main(void)
{
	static struct context c;
	struct err e = {0};

	if (self_space_init(&c.self, NULL, &e)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	c.stack = self_stack();
	c.backtrace = (int (*)(void **, int))(uintptr_t)dlsym(dlopen("libc.so.6", RTLD_LAZY),
							      "backtrace");
	if (!c.backtrace)
		return 1;
	links[0](&c, DEPTH);
	report_walks(&c);
	measure_table("/lib/x86_64-linux-gnu/libc.so.6", 15);
	measure_table("/lib/x86_64-linux-gnu/libcrypto.so.3", 15);
	measure_table("/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1", 5);
	self_space_fini(&c.self);
	return 0;
}
