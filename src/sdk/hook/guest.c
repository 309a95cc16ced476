/* SPDX-License-Identifier: Apache-2.0 */
/* Entering and leaving hooks, stack walks, and the rings of records. */
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
#include "sdk/trace/span_thread.h"

_Static_assert((int)GUEST_SCRATCH == (int)UNWIND_SCRATCH, "the scratch memory of a walk");

struct guest guest;
static struct {
	struct record_ring rings[2]; /* [1] is for heap and mmap records, which may overflow it */
	const struct modules *modules;
	_Atomic uint32_t pins; /* between guest_pin_begin() and guest_pin_end() */
} state;

/*
 * Return this thread's record, registering the thread if its record is of another generation. NULL:
 * no memory.
 */
static struct guest_thread *own_record(void)
{
	struct guest_thread *t = guest_self;

	if (likely(t &&
		   t->generation == atomic_load_explicit(&guest.generation, memory_order_relaxed)))
		return t;
	return guest_register_thread();
}

/*
 * Increment `depth` first, then check guest.on: guest_stop() clears guest.on first and then checks
 * `depth`, so one of the two sees the other's change.
 */
static struct guest_thread *enter_hook(struct guest_thread *t)
{
	if (!atomic_fetch_add_explicit(&t->depth, 1, memory_order_seq_cst))
		atomic_store_explicit(&t->entries,
				      atomic_load_explicit(&t->entries, memory_order_relaxed) + 1,
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
	return enter_hook(t);
}

struct guest_thread *guest_enter_signal(bool always)
{
	struct guest_thread *t;

	if ((guest_own && !always) || !guest_on())
		return NULL;
	t = own_record();
	return t ? enter_hook(t) : NULL;
}

void guest_call_end(struct guest_call call)
{
	guest_own = call.was_own;
	if (!guest_own)
		heap_call_ended();
	errno = call.saved_errno;
}

/* xorshift*: good enough to select samples, with eight bytes of state. */
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

static bool read_checked(void *arg, uint64_t address, uint64_t *word)
{
	return guest_copy(arg, address, word, sizeof(*word));
}

static void registers_here(struct unwind_regs *regs)
{
	*regs = (struct unwind_regs){0};
	__asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
			 : "=r"(regs->pc), "=r"(regs->sp), "=r"(regs->fp));
}

/* mcontext's registers by DWARF number. */
static const int register_of[16] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
				    REG_RBP, REG_RSP, REG_R8,  REG_R9,	REG_R10, REG_R11,
				    REG_R12, REG_R13, REG_R14, REG_R15};

static void registers_from_context(struct unwind_regs *regs, const ucontext_t *uc)
{
	const greg_t *g = uc->uc_mcontext.gregs;

	*regs = (struct unwind_regs){.pc = (uint64_t)g[REG_RIP],
				     .sp = (uint64_t)g[REG_RSP],
				     .fp = (uint64_t)g[REG_RBP],
				     .gpr_known = true};
	for (unsigned i = 0; i < countof(register_of); i++)
		regs->gpr[i] = (uint64_t)g[register_of[i]];
}

/*
 * Skip the hook's own frames: all before the call at `caller`. Return the first frame left, and
 * reduce *n.
 */
static uint64_t *skip_hook_frames(uint64_t *pcs, uint32_t *n, const void *caller)
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

/*
 * Return the scratch buffer of this hook, or of the signal in it. NULL only if pcs_buffer() returns
 * NULL too.
 */
static void *scratch_buffer(struct guest_thread *t)
{
	uint32_t inside = atomic_load_explicit(&t->depth, memory_order_relaxed) - 1;

	return inside < countof(t->scratch) ? t->scratch[inside] : NULL;
}

/*
 * Walk from *regs on this thread; return the number of addresses written to `pcs`. `trace` may be
 * NULL.
 */
static uint32_t walk_stack(struct guest_thread *t, const struct unwind_space *space,
			   struct unwind_regs *regs, struct unwind_trace *trace, uint64_t *pcs,
			   uint32_t max)
{
	uint64_t low = atomic_load_explicit(&t->stack_low, memory_order_relaxed);
	uint64_t high = atomic_load_explicit(&t->stack_high, memory_order_relaxed);
	struct unwind_memory memory = {.read = read_checked,
				       .copy = guest_copy,
				       .scratch = scratch_buffer(t),
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

/*
 * Return the buffer for a stack of this thread: one is for a hook, one for a signal in it; NULL:
 * none left.
 */
static uint64_t *pcs_buffer(struct guest_thread *t)
{
	uint32_t inside = atomic_load_explicit(&t->depth, memory_order_relaxed) - 1;

	return inside < countof(t->pcs) ? t->pcs[inside] : NULL;
}

/* Implements guest_stack() and, if `function` is not 0, guest_stack_of_function(). */
static NO_INLINE uint32_t walk_and_intern(struct guest_thread *t, enum varve_profile kind,
					  const ucontext_t *uc, const void *caller,
					  uintptr_t function)
{
	uint64_t *pcs = pcs_buffer(t), *first = pcs;
	int saved_errno = errno;
	struct unwind_regs regs;
	uint32_t n, max = atomic_load_explicit(&guest.max_depth, memory_order_relaxed);

	if (!pcs)
		return STACK_LOST;
	if (uc)
		registers_from_context(&regs, uc);
	else
		registers_here(&regs);
	n = walk_stack(t, modules_space(state.modules), &regs, NULL, pcs,
		       max + (caller ? GUEST_HOOK_FRAMES : 0));
	if (caller)
		first = skip_hook_frames(pcs, &n, caller);
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
	return walk_and_intern(t, kind, uc, caller, 0);
}

uint32_t guest_stack_of_function(struct guest_thread *t, uintptr_t function, const void *caller)
{
	return walk_and_intern(t, VARVE_CPU, NULL, caller, function);
}

uint32_t guest_stack_from_frame(struct guest_thread *t, const void *frame, const void *caller)
{
	const uint64_t *saved = frame;
	const struct unwind_space *space = modules_space(state.modules);
	uint32_t max, stack;
	uint64_t *pcs = pcs_buffer(t);
	struct stack_memo *memo;
	struct unwind_regs regs;

	if (!pcs || !saved || saved[1] != (uintptr_t)caller)
		return guest_stack(t, VARVE_HEAP, NULL, caller);
	regs = (struct unwind_regs){
		.pc = saved[1], .sp = (uintptr_t)(saved + 2), .fp = saved[0], .pc_is_return = true};
	stack = stack_memo_find(t->memos, &t->valid_memos, &regs, space, &memo);
	if (stack != STACK_NONE)
		return stack;
	max = atomic_load_explicit(&guest.max_depth, memory_order_relaxed);
	stack = stack_ids_add(VARVE_HEAP, pcs,
			      walk_stack(t, space, &regs, memo ? &memo->trace : NULL, pcs, max));
	if (memo)
		stack_memo_keep(t->memos, &t->valid_memos, memo, stack);
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
	return guest_put_record(&r);
}

bool guest_record(struct guest_thread *t, enum record_kind kind, uint32_t stack, int64_t value,
		  int64_t weight)
{
	return guest_record_as(t, kind, 0, stack, value, weight, NULL);
}

static struct record_ring *ring_for_kind(unsigned kind)
{
	return &state.rings[kind == RECORD_ALLOC || kind == RECORD_MMAP || kind == RECORD_MUNMAP];
}

bool guest_put_record(const struct record *r)
{
	if (record_ring_put(ring_for_kind(r->kind), r))
		return true;
	if (r->kind != RECORD_ALLOC) /* those are counted at their stack instead */
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

static void note_active_hook(void *arg, struct guest_thread *t)
{
	bool *inside = arg;

	*inside |= t != guest_self && atomic_load(&t->depth);
}

void guest_pin_begin(void)
{
	atomic_fetch_add(&state.pins, 1);
}

void guest_pin_end(void)
{
	atomic_fetch_sub(&state.pins, 1);
}

bool guest_hook_is_active(void)
{
	bool inside = atomic_load(&state.pins);

	guest_each_thread(note_active_hook, &inside);
	return inside;
}

static void note_hook_to_wait_for(void *arg, struct guest_thread *t)
{
	(void)arg;
	t->waited_entry = atomic_load(&t->entries);
	t->awaited = t != guest_self && atomic_load(&t->depth);
}

void guest_wait_for_hooks(void)
{
	guest_each_thread(note_hook_to_wait_for, NULL);
}

static void note_still_inside(void *arg, struct guest_thread *t)
{
	bool *still = arg;

	t->awaited =
		t->awaited && atomic_load(&t->depth) && atomic_load(&t->entries) == t->waited_entry;
	*still |= t->awaited;
}

bool guest_hooks_left(void)
{
	bool still = atomic_load(&state.pins);

	guest_each_thread(note_still_inside, &still);
	return !still;
}

void guest_stop(void)
{
	struct timespec pause = {0, 1000000};

	atomic_store(&guest.on, 0);
	for (unsigned waited_ms = 0; guest_hook_is_active(); waited_ms++) {
		if (waited_ms > 1000)
			return; /* a thread is stopped inside a hook: leak rather than crash */
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

bool guest_take_record(struct record *out)
{
	uint64_t samples = atomic_load_explicit(&guest.samples, memory_order_relaxed);

	if (!record_ring_take(&state.rings[0], out) && !record_ring_take(&state.rings[1], out))
		return false;
	if (out->kind != RECORD_SPAN_END)
		atomic_store_explicit(&guest.samples, samples + 1, memory_order_relaxed);
	return true;
}

bool guest_rings_are_empty(void)
{
	return record_ring_is_empty(&state.rings[0]) && record_ring_is_empty(&state.rings[1]);
}

void guest_forked(void)
{
	for (size_t i = 0; i < countof(state.rings); i++)
		record_ring_clear(&state.rings[i]);
	atomic_store(&state.pins, 0); /* held by threads of the parent */
	guest_threads_forked();
}
