/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/sleeper.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sdk/modules.h"
#include "sdk/stack_ids.h"

enum {
	TEXT_MAX = 256,
	COPY_MAX = 64 * 1024, /* of the stack; deeper ones are asked by signal */
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

/* "35 0x.. 0x.. 0x.. 0x.. 0x.. 0x.. SP PC"; "running", and "-1 SP PC" of one that waits elsewhere, are not. */
static bool parse_syscall(const char *text, struct unwind_regs *regs)
{
	unsigned long long sp, pc;

	if (sscanf(text, "%*d %*x %*x %*x %*x %*x %*x %llx %llx", &sp, &pc) != 2)
		return false;
	*regs = (struct unwind_regs){.pc = pc, .sp = sp};
	return pc && sp;
}

/* Copy of its stack from `sp` on: how many bytes, at most the stack's end where that is known. */
static size_t copy_stack(const struct guest_thread *t, uint64_t sp, char *out)
{
	uint64_t high = atomic_load(&t->stack_high);
	size_t size = high > sp && high - sp < COPY_MAX ? (size_t)(high - sp) : COPY_MAX;
	struct iovec local = {out, size}, remote = {(void *)(uintptr_t)sp, size};
	ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

	return n > 0 ? (size_t)n & ~(size_t)7 : 0;
}

bool sleeper_stack(struct guest_thread *t, uint32_t *stack)
{
	uint64_t pcs[GUEST_DEPTH_MAX], size;
	uint32_t n, max = atomic_load_explicit(&guest.max_depth, memory_order_relaxed);
	char before[TEXT_MAX], after[TEXT_MAX], *copy;
	pid_t tid = atomic_load(&t->tid);
	struct unwind_regs regs;
	enum unwind_end end = UNWIND_NO_MEMORY;

	if (!read_syscall(tid, before) || !parse_syscall(before, &regs))
		return false;
	copy = malloc(COPY_MAX + UNWIND_SCRATCH);
	if (!copy)
		return false;
	size = copy_stack(t, regs.sp, copy);
	struct unwind_memory memory = {
		.low = regs.sp,
		.high = regs.sp + size,
		.shift = copy - (char *)(uintptr_t)regs.sp,
		.copy = guest_copy,
		.scratch = copy + COPY_MAX,
	};

	n = size ? unwind_walk(modules_space(guest_modules()), &regs, &memory, pcs, max, &end) : 0;
	free(copy);
	if (end != UNWIND_ROOT && end != UNWIND_FULL)
		return false;
	if (!read_syscall(tid, after) || strcmp(before, after) != 0)
		return false; /* it woke up meanwhile */
	*stack = stack_ids_add(pcs, n);
	return true;
}
