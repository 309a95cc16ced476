/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/hook/guest.h"

#include <errno.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sdk/collect/modules.h"
#include "sdk/hook/guest_threads.h"
#include "sdk/hook/heap.h"
#include "sdk/hook/stack_ids.h"
#include "sdk/trace/span.h"

_Static_assert((int)GUEST_SCRATCH == (int)UNWIND_SCRATCH, "what a walk asks for");

struct guest guest;
static struct {
	struct record_ring rings[2]; /* the second is the heap's: it floods none but itself */
	const struct modules *modules;
	_Atomic uint32_t visitors; /* between guest_visit_begin() and guest_visit_end() */
} state;

/* The record of this thread, if the guest that made it still lives. */
static struct guest_thread *own_record(void)
{
	struct guest_thread *t = guest_self;

	if (likely(t &&
		   t->generation == atomic_load_explicit(&guest.generation, memory_order_relaxed)))
		return t;
	return guest_meet_thread();
}

/*
 * Inside first, then look whether the guest is still there: guest_stop() turns it off first and looks who is inside then, so one of the two
 * sees the other.
 */
static struct guest_thread *go_inside(struct guest_thread *t)
{
	if (!atomic_fetch_add_explicit(&t->depth, 1, memory_order_seq_cst))
		atomic_store_explicit(&t->visits,
				      atomic_load_explicit(&t->visits, memory_order_relaxed) + 1,
				      memory_order_release);
	if (likely(atomic_load_explicit(&guest.on, memory_order_seq_cst)))
		return t;
	guest_leave(t);
	return NULL;
}

struct guest_thread *guest_enter(void)
{
	struct guest_thread *t;

	if (guest_own || !guest_on())
		return NULL;
	t = own_record();
	if (!t || atomic_load_explicit(&t->depth, memory_order_relaxed))
		return NULL;
	return go_inside(t);
}

struct guest_thread *guest_interrupted(bool always)
{
	struct guest_thread *t;

	if ((guest_own && !always) || !guest_on())
		return NULL;
	t = own_record();
	return t ? go_inside(t) : NULL;
}

void guest_call_end(struct guest_call call)
{
	guest_own = call.was_own;
	if (!guest_own)
		heap_call_ended();
	errno = call.saved_errno;
}

/* xorshift*: good enough to pick samples, and eight bytes of state. */
double guest_random(struct guest_thread *t)
{
	uint64_t x = t->random ? t->random : 1;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	t->random = x;
	return ((double)(x * UINT64_C(0x2545F4914F6CDD1D) >> 11) + 0.5) * 0x1p-53;
}

bool guest_copy(void *arg, uint64_t address, void *to, size_t n)
{
	struct iovec local = {to, n}, remote = {(void *)address, n};

	(void)arg;
	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)n;
}

static bool read_with_care(void *arg, uint64_t address, uint64_t *word)
{
	return guest_copy(arg, address, word, sizeof(*word));
}

static void registers_here(struct unwind_regs *regs)
{
	*regs = (struct unwind_regs){0};
	__asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
			 : "=r"(regs->pc), "=r"(regs->sp), "=r"(regs->fp));
}

/* mcontext's order, by DWARF number. */
static const int register_of[16] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
				    REG_RBP, REG_RSP, REG_R8,  REG_R9,	REG_R10, REG_R11,
				    REG_R12, REG_R13, REG_R14, REG_R15};

static void registers_of(struct unwind_regs *regs, const ucontext_t *uc)
{
	const greg_t *g = uc->uc_mcontext.gregs;

	*regs = (struct unwind_regs){.pc = (uint64_t)g[REG_RIP],
				     .sp = (uint64_t)g[REG_RSP],
				     .fp = (uint64_t)g[REG_RBP],
				     .gpr_known = true};
	for (unsigned i = 0; i < countof(register_of); i++)
		regs->gpr[i] = (uint64_t)g[register_of[i]];
}

/* Leave out the frames of the hook itself: all before the call of it. */
static uint64_t *after_hook(uint64_t *pcs, uint32_t *n, const void *caller)
{
	uint64_t call = (uint64_t)(uintptr_t)caller - 1;

	for (uint32_t i = 0; i < *n && i < GUEST_HOOK_FRAMES; i++) {
		if (pcs[i] == call) {
			*n -= i;
			return pcs + i;
		}
	}
	return pcs;
}

/* Of the hook on this thread, or of the signal in it. Nobody asks when there is no room_of(). */
static void *scratch_of(struct guest_thread *t)
{
	uint32_t inside = atomic_load_explicit(&t->depth, memory_order_relaxed) - 1;

	return inside < countof(t->scratch) ? t->scratch[inside] : NULL;
}

/* Where a walk from *regs on this thread may read, and where it writes. `trace` may be NULL. */
static uint32_t walk(struct guest_thread *t, const struct unwind_space *space,
		     struct unwind_regs *regs, struct unwind_trace *trace, uint64_t *pcs,
		     uint32_t max)
{
	uint64_t low = atomic_load_explicit(&t->stack_low, memory_order_relaxed);
	uint64_t high = atomic_load_explicit(&t->stack_high, memory_order_relaxed);
	struct unwind_memory memory = {.read = read_with_care,
				       .copy = guest_copy,
				       .scratch = scratch_of(t),
				       .trace = trace};
	enum unwind_end end;

	if (regs->sp >= low && regs->sp < high) {
		memory.low = regs->sp;
		memory.high = high;
	} else if (!high) {
		atomic_store_explicit(&t->seen_sp, regs->sp, memory_order_relaxed);
	}
	return unwind_walk(space, regs, &memory, pcs, max, &end);
}

/* Room for one stack of this thread: a hook has one, a signal in it another; NULL: no more. */
static uint64_t *room_of(struct guest_thread *t)
{
	uint32_t inside = atomic_load_explicit(&t->depth, memory_order_relaxed) - 1;

	return inside < countof(t->pcs) ? t->pcs[inside] : NULL;
}

/* guest_stack(), and (`function` not 0) guest_stack_as(). */
static NO_INLINE uint32_t stack_of(struct guest_thread *t, enum varve_profile kind,
				   const ucontext_t *uc, const void *caller, uintptr_t function)
{
	uint64_t *pcs = room_of(t), *first = pcs;
	int saved_errno = errno;
	struct unwind_regs regs;
	uint32_t n, max = atomic_load_explicit(&guest.max_depth, memory_order_relaxed);

	if (!pcs)
		return STACK_LOST;
	if (uc)
		registers_of(&regs, uc);
	else
		registers_here(&regs);
	n = walk(t, modules_space(state.modules), &regs, NULL, pcs,
		 max + (caller ? GUEST_HOOK_FRAMES : 0));
	if (caller)
		first = after_hook(pcs, &n, caller);
	if (function) {
		first[0] = function;
		n = n ? n : 1;
	}
	errno = saved_errno;
	return stack_ids_add(kind, first, n < max ? n : max);
}

uint32_t guest_stack(struct guest_thread *t, enum varve_profile kind, const ucontext_t *uc,
		     const void *caller)
{
	return stack_of(t, kind, uc, caller, 0);
}

uint32_t guest_stack_as(struct guest_thread *t, uintptr_t function, const void *caller)
{
	return stack_of(t, VARVE_CPU, NULL, caller, function);
}

uint32_t guest_stack_above(struct guest_thread *t, const void *frame, const void *caller)
{
	const uint64_t *saved = frame;
	const struct unwind_space *space = modules_space(state.modules);
	uint32_t max, stack;
	uint64_t *pcs = room_of(t);
	struct stack_memo *memo;
	struct unwind_regs regs;

	if (!pcs || !saved || saved[1] != (uintptr_t)caller)
		return guest_stack(t, VARVE_HEAP, NULL, caller);
	regs = (struct unwind_regs){
		.pc = saved[1], .sp = (uintptr_t)(saved + 2), .fp = saved[0], .pc_is_return = true};
	stack = stack_memo_find(t->memos, &t->known_memos, &regs, space, &memo);
	if (stack != STACK_NONE)
		return stack;
	max = atomic_load_explicit(&guest.max_depth, memory_order_relaxed);
	stack = stack_ids_add(VARVE_HEAP, pcs,
			      walk(t, space, &regs, memo ? &memo->trace : NULL, pcs, max));
	if (memo)
		stack_memo_keep(t->memos, &t->known_memos, memo, stack);
	return stack;
}

bool guest_record_as(struct guest_thread *t, enum record_kind kind, unsigned flags, uint32_t stack,
		     int64_t value, int64_t weight, struct record *copy)
{
	struct record r = {.kind = (uint8_t)kind,
			   .flags = (uint8_t)flags,
			   .stack = stack,
			   .tid = (uint32_t)atomic_load_explicit(&t->tid, memory_order_relaxed),
			   .labels = t->labels,
			   .value = value,
			   .weight = weight};

	if (span_current_ids(r.trace_id, r.span_id) || kind != RECORD_ALLOC)
		r.time_ns = clock_monotonic_ns();
	if (!span_wants_samples())
		r.flags |= RECORD_UNWANTED;
	if (copy)
		*copy = r;
	return guest_put(&r);
}

bool guest_record(struct guest_thread *t, enum record_kind kind, uint32_t stack, int64_t value,
		  int64_t weight)
{
	return guest_record_as(t, kind, 0, stack, value, weight, NULL);
}

static struct record_ring *ring_of(unsigned kind)
{
	return &state.rings[kind == RECORD_ALLOC || kind == RECORD_MMAP || kind == RECORD_MUNMAP];
}

bool guest_put(const struct record *r)
{
	if (record_ring_put(ring_of(r->kind), r))
		return true;
	if (r->kind != RECORD_ALLOC) /* which are counted at their stack */
		atomic_fetch_add_explicit(&guest.lost, 1, memory_order_relaxed);
	return false;
}

int guest_start(const struct guest_options *o)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < countof(state.rings); i++)
		rc = record_ring_init(&state.rings[i], o->ring_records);
	rc = rc ? rc : stack_ids_init(o->stack_bytes);
	if (rc) {
		for (size_t i = 0; i < countof(state.rings); i++)
			record_ring_fini(&state.rings[i]);
		return rc;
	}
	state.modules = o->modules;
	atomic_fetch_add(&guest.generation, 1);
	return 0;
}

static void note_inside(void *arg, struct guest_thread *t)
{
	bool *inside = arg;

	*inside |= t != guest_self && atomic_load(&t->depth);
}

void guest_visit_begin(void)
{
	atomic_fetch_add(&state.visitors, 1);
}

void guest_visit_end(void)
{
	atomic_fetch_sub(&state.visitors, 1);
}

bool guest_somebody_inside(void)
{
	bool inside = atomic_load(&state.visitors);

	guest_each_thread(note_inside, &inside);
	return inside;
}

static void note_waited(void *arg, struct guest_thread *t)
{
	(void)arg;
	t->waited_visit = atomic_load(&t->visits);
	t->waited = t != guest_self && atomic_load(&t->depth);
}

void guest_wait_for_hooks(void)
{
	guest_each_thread(note_waited, NULL);
}

static void note_still(void *arg, struct guest_thread *t)
{
	bool *still = arg;

	t->waited =
		t->waited && atomic_load(&t->depth) && atomic_load(&t->visits) == t->waited_visit;
	*still |= t->waited;
}

bool guest_hooks_left(void)
{
	bool still = atomic_load(&state.visitors);

	guest_each_thread(note_still, &still);
	return !still;
}

void guest_stop(void)
{
	struct timespec pause = {0, 1000000};

	atomic_store(&guest.on, 0);
	for (unsigned waited_ms = 0; guest_somebody_inside(); waited_ms++) {
		if (waited_ms > 1000)
			return; /* a thread that was stopped inside: better a leak than a fault */
		nanosleep(&pause, NULL);
	}
	for (size_t i = 0; i < countof(state.rings); i++)
		record_ring_fini(&state.rings[i]);
	stack_ids_fini();
	state.modules = NULL;
}

const struct modules *guest_modules(void)
{
	return state.modules;
}

bool guest_take(struct record *out)
{
	uint64_t samples = atomic_load_explicit(&guest.samples, memory_order_relaxed);

	if (!record_ring_take(&state.rings[0], out) && !record_ring_take(&state.rings[1], out))
		return false;
	if (out->kind != RECORD_SPAN_END)
		atomic_store_explicit(&guest.samples, samples + 1, memory_order_relaxed);
	return true;
}

bool guest_is_empty(void)
{
	return record_ring_is_empty(&state.rings[0]) && record_ring_is_empty(&state.rings[1]);
}

void guest_forked(void)
{
	for (size_t i = 0; i < countof(state.rings); i++)
		record_ring_clear(&state.rings[i]);
	atomic_store(&state.visitors, 0); /* they were threads of the parent */
	guest_threads_forked();
}
