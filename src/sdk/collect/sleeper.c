/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of sleeping threads: read registers, copy the stack, walk the copy, check the registers.
 */
#include "sdk/collect/sleeper.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sdk/collect/modules.h"
#include "sdk/hook/stack_ids.h"

enum {
	TEXT_MAX = 256,
	COPY_MAX = 64 * 1024, /* of the stack */
};

static bool read_syscall(pid_t tid, char text[TEXT_MAX])
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, TEXT_MAX - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

/*
 * Parse "35 0x.. 0x.. 0x.. 0x.. 0x.. 0x.. SP PC". "running" and "-1 SP PC" (blocked outside of a
 * system call) fail.
 */
static bool parse_syscall(const char *text, struct unwind_regs *regs)
{
	unsigned long long sp, pc;

	if (sscanf(text, "%*d %*x %*x %*x %*x %*x %*x %llx %llx", &sp, &pc) != 2)
		return false;
	*regs = (struct unwind_regs){.pc = pc, .sp = sp};
	return pc && sp;
}

/* Copy the stack from `sp` up to its end, if known, or COPY_MAX. Return the number of bytes. */
static size_t copy_stack(const struct guest_thread *t, uint64_t sp, char *out)
{
	uint64_t high = atomic_load(&t->stack_high);
	size_t size = high > sp && high - sp < COPY_MAX ? (size_t)(high - sp) : COPY_MAX;
	struct iovec local = {out, size}, remote = {(void *)(uintptr_t)sp, size};
	ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

	return n > 0 ? (size_t)n & ~(size_t)7 : 0;
}

/* -- frames with an unknown frame pointer ------------------------------------------------------ */

/*
 * The kernel does not report the frame pointer, and a system call's wrapper need not have saved it,
 * so the first function that uses one (all functions compiled without optimization) cannot be left
 * by its rule. Its frame is searched for: two words, the caller's frame pointer and a return
 * address after a call of this very function. Stale pairs left by earlier calls follow calls of
 * other functions. Where the target of a call is unknown (by pointer or into another module), the
 * first pair whose walk reaches the root is used.
 */
enum { PAIRS_MAX = 32, CODE_MAX = 4096 };

struct frame_search {
	const struct unwind_memory *memory;
	struct unwind_regs regs; /* of the frame */
	uint64_t function;	 /* its code's start, after endbr64; 0: unknown */
};

static uint64_t word_at(const struct frame_search *s, uint64_t address)
{
	uint64_t word;

	memcpy(&word, (const char *)(uintptr_t)address + s->memory->shift, sizeof(word));
	return word;
}

/*
 * Return the start of the function of `pc`, which keeps a frame pointer: the last `push %rbp` with
 * `mov %rsp,%rbp` shortly after it; 0: not found.
 */
static uint64_t function_start(uint64_t pc)
{
	static const uint8_t move[] = {0x48, 0x89, 0xe5};
	enum { PUSH = 0x55, BETWEEN = 16 };
	uint8_t code[CODE_MAX];
	const uint8_t *end = code + sizeof(code), *at;
	size_t n = sizeof(code);

	if (!guest_copy(NULL, pc - n, code, n)) {
		n = pc & 4095; /* the previous page may not be mapped */
		if (!guest_copy(NULL, pc - n, code + sizeof(code) - n, n))
			return 0;
	}
	for (at = end - sizeof(move); at > end - n; at--)
		if (!memcmp(at, move, sizeof(move)))
			break;
	for (unsigned i = 0; i < BETWEEN && at > end - n; i++)
		if (*--at == PUSH)
			return pc - (uint64_t)(end - at);
	return 0;
}

/* Return whether the code is a PLT stub, which jumps through a word. */
static bool is_plt_stub(uint64_t address)
{
	uint8_t code[8];
	unsigned at = 0;

	if (!guest_copy(NULL, address, code, sizeof(code)))
		return false;
	if (code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] == 0xfa)
		at = 4; /* endbr64 */
	if (code[at] == 0xf2)
		at++; /* bnd */
	return code[at] == 0xff && code[at + 1] == 0x25;
}

enum call { CALL_NONE, CALL_UNKNOWN, CALL_OF_FUNCTION };

/* Classify the call before a return address: of this function, possibly of it, or not. */
static enum call classify_call(const struct frame_search *s, uint64_t address)
{
	uint8_t code[8];
	int32_t distance;
	uint64_t target;

	if (!guest_copy(NULL, address - sizeof(code), code, sizeof(code)))
		return CALL_NONE;
	for (unsigned size = 2; size <= 7; size++) /* ff /2: call *register, *memory */
		if (code[8 - size] == 0xff && (code[9 - size] >> 3 & 7) == 2)
			return CALL_UNKNOWN;
	if (code[3] != 0xe8)
		return CALL_NONE;
	memcpy(&distance, code + 4, sizeof(distance));
	target = address + (uint64_t)(int64_t)distance;
	if (s->function && (target == s->function || target + 4 == s->function))
		return CALL_OF_FUNCTION;
	return is_plt_stub(target) ? CALL_UNKNOWN : CALL_NONE;
}

/*
 * Walk from the frame with frame pointer `fp`. Return the number of addresses, or 0 if the walk
 * does not reach the root.
 */
static uint32_t walk_from(const struct frame_search *s, uint64_t fp, uint64_t *pcs, uint32_t max)
{
	struct unwind_regs regs = s->regs;
	enum unwind_end end;
	uint32_t n;

	regs.fp = fp;
	n = unwind_walk(modules_space(guest_modules()), &regs, s->memory, pcs, max, &end);
	return end == UNWIND_ROOT || end == UNWIND_FULL ? n : 0;
}

/*
 * Find the frame of s->regs, whose address is pcs[0], and walk on. Return the number of addresses,
 * 1 if it is not found.
 */
static uint32_t search_frame(struct frame_search *s, uint64_t *pcs, uint32_t max)
{
	const struct unwind_space *space = modules_space(guest_modules());
	uint64_t first = pcs[0], candidates[PAIRS_MAX];
	uint32_t n = 0, count = 0;

	s->function = function_start(s->regs.pc);
	for (uint64_t at = s->regs.sp & ~UINT64_C(7);
	     !n && count < PAIRS_MAX && at + 16 <= s->memory->high; at += 8) {
		uint64_t address = word_at(s, at + 8);
		enum call call =
			unwind_find_range(space, address) ? classify_call(s, address) : CALL_NONE;

		if (call == CALL_OF_FUNCTION)
			n = walk_from(s, at, pcs, max);
		else if (call == CALL_UNKNOWN)
			candidates[count++] = at;
	}
	for (uint32_t i = 0; i < count && !n; i++)
		n = walk_from(s, candidates[i], pcs, max);
	pcs[0] = first;
	return n ? n : 1;
}

/* -- the stack --------------------------------------------------------------------------------- */

/* Walk a copy of the stack. Return the number of addresses, or 0 when it cannot be read. */
static uint32_t walk_copy(const struct guest_thread *t, struct unwind_regs *regs, char *copy,
			  uint64_t *pcs, uint32_t max)
{
	size_t size = copy_stack(t, regs->sp, copy);
	struct unwind_memory memory = {
		.low = regs->sp,
		.high = regs->sp + size,
		.shift = copy - (char *)(uintptr_t)regs->sp,
		.copy = guest_copy,
		.scratch = copy + COPY_MAX,
	};
	enum unwind_end end = UNWIND_NO_MEMORY;
	uint32_t n;

	if (!size)
		return 0;
	n = unwind_walk(modules_space(guest_modules()), regs, &memory, pcs, max, &end);
	if (end == UNWIND_ROOT || end == UNWIND_FULL)
		return n;
	if (!n || regs->sp < memory.low || regs->sp >= memory.high)
		return 0;
	struct frame_search search = {.memory = &memory, .regs = *regs};

	return n - 1 + search_frame(&search, pcs + n - 1, max - (n - 1));
}

bool sleeper_stack(struct guest_thread *t, enum varve_profile kind, uint32_t *stack)
{
	uint64_t pcs[GUEST_DEPTH_MAX];
	uint32_t n, max = atomic_load_explicit(&guest.max_depth, memory_order_relaxed);
	char before[TEXT_MAX], after[TEXT_MAX], *copy;
	pid_t tid = atomic_load(&t->tid);
	struct unwind_regs regs;

	if (!read_syscall(tid, before) || !parse_syscall(before, &regs))
		return false;
	copy = malloc(COPY_MAX + UNWIND_SCRATCH);
	if (!copy)
		return false;
	n = walk_copy(t, &regs, copy, pcs, max);
	free(copy);
	if (!n || !read_syscall(tid, after) || strcmp(before, after) != 0)
		return false; /* the thread woke up meanwhile */
	*stack = stack_ids_add(kind, pcs, n);
	return true;
}
