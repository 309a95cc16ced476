/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that walks its own stack. Each function of a chain records its return address; a walk
 * must find these, one byte earlier, up to the root.
 *
 * In code of others (lazy binding by the loader, qsort, vfork, the vdso) the processor's trap flag
 * raises a signal at each instruction, and from each of them a walk must reach the recorded frames
 * and the root.
 */
#include "test/test.h"

#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "test/self_space.h"

enum { FRAMES_MAX = 2048 };

static struct self_space self;
static _Atomic uint64_t cache[1024]; /* small, so that addresses evict each other */
static volatile uint64_t sink;	     /* keeps results alive */

/* The current chain: return addresses of its functions, the outermost first. */
static struct chain {
	struct unwind_memory stack;
	uint64_t returns[FRAMES_MAX];
	uint32_t count;
	/* frames of the explicit walk, or of the first wrong walk in a handler */
	uint64_t pcs[FRAMES_MAX];
	uint32_t found;
	enum unwind_end end;
	uint64_t walks, bad;
} chain;

#define NOTE() (chain.returns[chain.count++] = (uint64_t)(uintptr_t)__builtin_return_address(0))

/* Prevent a tail call. */
#define KEEP() __asm__ volatile("" ::: "memory")

static struct unwind_regs regs_of(const ucontext_t *u)
{
	static const uint8_t order[UNWIND_REGS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
		REG_R8,	 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
	const greg_t *g = u->uc_mcontext.gregs;
	struct unwind_regs r = {
		.pc = (uint64_t)g[REG_RIP],
		.sp = (uint64_t)g[REG_RSP],
		.fp = (uint64_t)g[REG_RBP],
		.gpr_known = true,
	};

	for (unsigned i = 0; i < UNWIND_REGS; i++)
		r.gpr[i] = (uint64_t)g[order[i]];
	return r;
}

/* Read a word of this process through the kernel, which fails safely for unmapped memory. */
static bool read_self(void *arg, uint64_t address, uint64_t *word)
{
	int *pipe_ends = arg;

	/* not by write(), whose argument the address sanitizer checks */
	return syscall(SYS_write, pipe_ends[1], address, sizeof(*word)) == sizeof(*word) &&
	       syscall(SYS_read, pipe_ends[0], word, sizeof(*word)) == sizeof(*word);
}

/* Return true if the walk ends with the recorded frames of the chain. */
static bool ends_in_chain(const uint64_t *pcs, uint32_t n, enum unwind_end end)
{
	uint32_t above = 0;

	if (end != UNWIND_ROOT || n <= chain.count)
		return false;
	/* the frames above the outermost recorded one, found by its address, are those of main */
	while (above < n && pcs[n - 1 - above] != chain.returns[0] - 1)
		above++;
	if (n < above + chain.count)
		return false;
	for (uint32_t i = 0; i < chain.count; i++)
		if (pcs[n - 1 - above - i] != chain.returns[i] - 1)
			return false;
	return true;
}

static void walk_from(struct unwind_regs regs)
{
	chain.found =
		unwind_walk(&self.space, &regs, &chain.stack, chain.pcs, FRAMES_MAX, &chain.end);
}

static __attribute__((noinline)) void walk_here(void)
{
	ucontext_t u;

	NOTE();
	getcontext(&u);
	walk_from(regs_of(&u));
	KEEP();
}

/* Check that the walk from here has exactly the recorded frames. */
static void assert_chain(void)
{
	if (chain.end != UNWIND_ROOT)
		fail_msg("ended with %d after %u frames of %u", chain.end, chain.found,
			 chain.count);
	assert_true(chain.found > chain.count);
	for (uint32_t i = 0; i < chain.count; i++)
		if (chain.pcs[1 + i] != chain.returns[chain.count - 1 - i] - 1)
			fail_msg("frame %u is %lx, expected %lx", 1 + i, chain.pcs[1 + i],
				 chain.returns[chain.count - 1 - i] - 1);
}

static int setup(void **state)
{
	static int pipe_ends[2];

	(void)state;
	chain.count = chain.found = 0;
	chain.walks = chain.bad = 0;
	chain.stack = self_stack();
	if (!pipe_ends[1] && pipe(pipe_ends))
		return -1;
	chain.stack.read = read_self;
	chain.stack.arg = pipe_ends;
	return 0;
}

static __attribute__((noinline)) void recurse(unsigned depth)
{
	NOTE();
	if (depth)
		recurse(depth - 1);
	else
		walk_here();
	KEEP();
}

static void deep_recursion_is_walked(void **state)
{
	(void)state;
	recurse(1000);
	assert_chain();
	assert_true(chain.count > 1000);
}

static __attribute__((noinline)) void with_alloca(size_t n)
{
	volatile char *p = alloca(n);

	NOTE();
	p[0] = 1;
	p[n - 1] = 1;
	if (n < 100000)
		with_alloca(n * 3 + 1);
	else
		walk_here();
	KEEP();
}

static void frames_of_variable_size_are_walked(void **state)
{
	(void)state;
	with_alloca(7);
	assert_chain();
}

static __attribute__((noinline)) void with_aligned_stack(unsigned depth)
{
	_Alignas(64) volatile char buffer[256];

	NOTE();
	buffer[depth] = 1;
	sink += (uint64_t)buffer[depth];
	if (depth)
		with_aligned_stack(depth - 1);
	else
		walk_here();
	KEEP();
}

static void frames_that_align_the_stack_are_walked(void **state)
{
	(void)state;
	with_aligned_stack(9);
	assert_chain();
}

static __attribute__((noinline)) void with_large_frame(unsigned depth)
{
	volatile char buffer[100000];

	NOTE();
	buffer[depth] = 1;
	sink += (uint64_t)buffer[depth];
	if (depth)
		with_large_frame(depth - 1);
	else
		walk_here();
	KEEP();
}

static void frames_too_large_for_a_row_are_walked(void **state)
{
	(void)state;
	with_large_frame(3);
	assert_chain();
}

static jmp_buf back;

static __attribute__((noinline, noreturn)) void never_returns(void)
{
	NOTE();
	walk_here();
	longjmp(back, 1);
}

/* The call is the last instruction: its return address is after the function. */
static __attribute__((noinline)) void ends_with_a_call(void)
{
	NOTE();
	never_returns();
}

static void calls_that_never_return_are_walked(void **state)
{
	(void)state;
	if (!setjmp(back))
		ends_with_a_call();
	assert_chain();
}

static int compare_walking(const void *a, const void *b)
{
	(void)a;
	(void)b;
	if (!chain.found) {
		chain.count--; /* qsort's frames are in between */
		walk_here();
	}
	return 0;
}

static __attribute__((noinline)) void call_qsort(void)
{
	int numbers[8] = {3, 1, 2};

	NOTE();
	chain.count++;
	qsort(numbers, 8, sizeof(numbers[0]), compare_walking);
	KEEP();
}

static void callbacks_of_libc_are_walked(void **state)
{
	(void)state;
	call_qsort();
	/* the last recorded frame is that of walk_here in the callback */
	assert_int_equal(chain.pcs[1], chain.returns[chain.count - 1] - 1);
	chain.count--;
	assert_true(ends_in_chain(chain.pcs, chain.found, chain.end));
}

/* The red zones of the address sanitizer are copied, too. */
static __attribute__((no_sanitize("address"))) void copy_stack(char *to, uint64_t from, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		to[i] = *(volatile char *)(uintptr_t)(from + i);
}

/* Walk a copy of the stack with saved registers. */
static void a_copy_of_a_stack_is_walked(void **state)
{
	uint64_t low, pcs[FRAMES_MAX];
	struct unwind_regs regs;
	enum unwind_end end;
	ucontext_t u;

	(void)state;
	getcontext(&u);
	regs = regs_of(&u);
	walk_from(regs);

	low = regs.sp;
	char *copy = malloc(chain.stack.high - low);

	assert_non_null(copy);
	copy_stack(copy, low, chain.stack.high - low);

	struct unwind_memory memory = {
		.low = low,
		.high = chain.stack.high,
		.shift = (ptrdiff_t)((uint64_t)(uintptr_t)copy - low),
	};
	uint32_t n = unwind_walk(&self.space, &regs, &memory, pcs, FRAMES_MAX, &end);

	free(copy);
	assert_int_equal(n, chain.found);
	assert_int_equal(end, UNWIND_ROOT);
	assert_memory_equal(pcs, chain.pcs, n * sizeof(pcs[0]));
}

/* Signals. */

static void walk_in_handler(int number)
{
	(void)number;
	chain.count = chain.count - 1;
	walk_here();
}

static __attribute__((noinline)) void raise_signal(void)
{
	NOTE();
	chain.count++;		 /* for the frame that walk_here records */
	__asm__ volatile("ud2"); /* the interrupted frame makes no call */
	KEEP();
}

static void skip_ud2(int number, siginfo_t *info, void *context)
{
	ucontext_t *u = context;

	(void)info;
	walk_in_handler(number);
	chain.walks = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
	u->uc_mcontext.gregs[REG_RIP] += 2;
}

static void catch_ud2(int flags)
{
	struct sigaction action = {.sa_sigaction = skip_ud2, .sa_flags = SA_SIGINFO | flags}, old;

	sigaction(SIGILL, &action, &old);
	raise_signal();
	sigaction(SIGILL, &old, NULL);
	/* walk_here, the handler, the return from the signal, and the exact interrupted address */
	uint32_t at = 0;

	while (at < chain.found && chain.pcs[at] != chain.walks)
		at++;
	assert_in_range(at, 2, 6);
	chain.count--;
	assert_true(ends_in_chain(chain.pcs, chain.found, chain.end));
	/* the interrupted frame is followed by its caller */
	assert_int_equal(chain.pcs[at + 1], chain.returns[chain.count - 1] - 1);
}

static void a_signal_frame_is_walked(void **state)
{
	(void)state;
	catch_ud2(0);
}

static void a_signal_frame_on_another_stack_is_walked(void **state)
{
	static char other[65536];
	stack_t stack = {.ss_sp = other, .ss_size = sizeof(other)}, old;

	(void)state;
	sigaltstack(&stack, &old);
	catch_ud2(SA_ONSTACK);
	sigaltstack(&old, NULL);
}

/* Every instruction. */

static void on_step(int number, siginfo_t *info, void *context)
{
	static uint64_t pcs[FRAMES_MAX];
	struct unwind_regs regs = regs_of(context);
	enum unwind_end end;
	uint32_t n = unwind_walk(&self.space, &regs, &chain.stack, pcs, FRAMES_MAX, &end);

	(void)number;
	(void)info;
	chain.walks++;
	if (ends_in_chain(pcs, n, end) || chain.bad++)
		return;
	memcpy(chain.pcs, pcs, n * sizeof(pcs[0]));
	chain.found = n;
	chain.end = end;
}

/* trap_flag(0x100) sets the flag, trap_flag(0) clears it. In assembly: its pushes need CFI. */
void trap_flag(uint64_t flag);
__asm__(".text\n.type trap_flag, @function\ntrap_flag:\n"
	".cfi_startproc\n"
	"pushfq\n.cfi_adjust_cfa_offset 8\n"
	"andq $~0x100, (%rsp)\n"
	"orq %rdi, (%rsp)\n"
	"popfq\n.cfi_adjust_cfa_offset -8\n"
	"ret\n"
	".cfi_endproc\n.size trap_flag, .-trap_flag\n");

/* Call work() with a signal at each of its instructions. */
static __attribute__((noinline)) void in_steps(void (*work)(void))
{
	struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO}, old;

	NOTE();
	sigaction(SIGTRAP, &action, &old);
	trap_flag(0x100);
	work();
	trap_flag(0);
	sigaction(SIGTRAP, &old, NULL);
}

static void show_bad(void)
{
	struct unwind_range *r;

	for (uint32_t i = 0; i < chain.found && i < 20; i++) {
		r = (struct unwind_range *)unwind_find_range(&self.space, chain.pcs[i]);
		print_message("#   %u: %lx = module %d + %lx\n", i, chain.pcs[i],
			      r ? (int)(r - self.ranges) : -1, r ? chain.pcs[i] - r->bias : 0);
	}
}

static void assert_steps(void (*work)(void), uint64_t least)
{
	in_steps(work);
	print_message("# %lu walks\n", chain.walks);
	if (chain.bad) {
		show_bad();
		fail_msg("%lu of %lu walks are wrong; the first ended with %d after %u frames",
			 chain.bad, chain.walks, chain.end, chain.found);
	}
	assert_true(chain.walks >= least);
}

/* Functions that the loader binds at the first call through the PLT. */
static void bind_names(void)
{
	sink += (uint64_t)ffsll(12) + (uint64_t)getpgrp();
	sink += (uint64_t)l64a(77)[0];
}

static void every_instruction_of_lazy_binding_is_walked(void **state)
{
	(void)state;
	assert_steps(bind_names, 300);
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void sort_and_print(void)
{
	int numbers[16] = {9, 3, 1, 2, 8, 5, 4, 4, 3};
	char text[64];

	qsort(numbers, 16, sizeof(numbers[0]), compare_ints);
	snprintf(text, sizeof(text), "%d %g %s", numbers[3], 0.1 * numbers[2], "text");
	sink += (uint64_t)strtod(text, NULL) + strlen(text);
	free(malloc(100));
}

static void every_instruction_of_libc_functions_is_walked(void **state)
{
	(void)state;
	sort_and_print(); /* binds its functions */
	assert_steps(sort_and_print, 2000);
}

static void ask_time(void)
{
	struct timespec t;

	for (int i = 0; i < 3; i++)
		clock_gettime(CLOCK_MONOTONIC, &t);
	sink += (uint64_t)t.tv_nsec;
}

static void every_instruction_of_the_vdso_is_walked(void **state)
{
	(void)state;
	ask_time();
	assert_steps(ask_time, 50);
}

static void own_functions(void)
{
	static unsigned depth;

	depth = 0;
	/* prologues and epilogues of all kinds */
	volatile char *p = alloca(100 + depth);

	p[1] = 2;
	sink += (uint64_t)p[1];
}

static void every_instruction_of_a_prologue_is_walked(void **state)
{
	(void)state;
	assert_steps(own_functions, 8);
}

/* The child runs on our stack, but has its own signals. */
static void call_vfork(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

static void every_instruction_of_vfork_is_walked(void **state)
{
	(void)state;
#ifdef __SANITIZE_ADDRESS__
	print_message(
		"skipped: a sanitizer's vfork keeps the return address where no rule says it is\n");
	skip();
#endif
	call_vfork();
	assert_steps(call_vfork, 10);
}

/* Threads have a root, too. */

static void *thread_main(void *arg)
{
	(void)arg;
	chain.stack.low = self_stack().low;
	chain.stack.high = self_stack().high;
	recurse(10);
	return NULL;
}

static void the_start_of_a_thread_is_the_root(void **state)
{
	pthread_t thread;

	(void)state;
	assert_ok(pthread_create(&thread, NULL, thread_main, NULL));
	assert_ok(pthread_join(thread, NULL));
	assert_chain();
	/* thread_main, start_thread, clone */
	assert_in_range(chain.found, 1 + chain.count + 1, 1 + chain.count + 4);
}

/* The timer interrupts at any instruction. */

static void on_timer(int number, siginfo_t *info, void *context)
{
	on_step(number, info, context);
}

static __attribute__((noinline)) void burn(void)
{
	struct sigaction action = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO | SA_RESTART};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
	struct itimerspec every = {{0, 1000000}, {0, 1000000}};
	timer_t timer;

	NOTE();
	sigaction(SIGPROF, &action, NULL);
	assert_ok(timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer));
	assert_ok(timer_settime(timer, 0, &every, NULL));
	while (*(volatile uint64_t *)&chain.walks < 25)
		sort_and_print();
	timer_delete(timer);
	signal(SIGPROF, SIG_IGN);
}

static void any_instruction_interrupted_by_a_timer_is_walked(void **state)
{
	(void)state;
	burn();
	if (chain.bad) {
		show_bad();
		fail_msg("%lu of %lu walks are wrong", chain.bad, chain.walks);
	}
}

static int make_space(void **state)
{
	struct err e = {0};

	(void)state;
	if (self_space_init(&self, NULL, &e)) {
		print_error("%s\n", e.text);
		return -1;
	}
	self.space.cache = cache;
	self.space.cache_size = countof(cache);
	return 0;
}

static int free_space(void **state)
{
	(void)state;
	self_space_fini(&self);
	return 0;
}

#define replay(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		replay(deep_recursion_is_walked),
		replay(frames_of_variable_size_are_walked),
		replay(frames_that_align_the_stack_are_walked),
		replay(frames_too_large_for_a_row_are_walked),
		replay(calls_that_never_return_are_walked),
		replay(callbacks_of_libc_are_walked),
		replay(a_copy_of_a_stack_is_walked),
		replay(a_signal_frame_is_walked),
		replay(a_signal_frame_on_another_stack_is_walked),
		replay(every_instruction_of_libc_functions_is_walked),
		replay(every_instruction_of_the_vdso_is_walked),
		replay(every_instruction_of_a_prologue_is_walked),
		replay(every_instruction_of_vfork_is_walked),
		replay(the_start_of_a_thread_is_the_root),
		replay(any_instruction_interrupted_by_a_timer_is_walked),
		replay(every_instruction_of_lazy_binding_is_walked),
	};

	return cmocka_run_group_tests(tests, make_space, free_space);
}
