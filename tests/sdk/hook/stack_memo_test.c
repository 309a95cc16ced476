/* SPDX-License-Identifier: Apache-2.0 */
/* The per-thread cache of walked stacks. */
#include "sdk/hook/stack_memo.h"

#include "sdk/hook/stack_ids.h"
#include "test/test.h"

enum { STACK_BYTES = 1 << 20 };

struct fixture {
	struct stack_memo memos[STACK_MEMOS];
	uint32_t known;
	struct unwind_space space;
	uint64_t words[4]; /* stack memory */
	struct unwind_regs regs;
	uint64_t pcs[2];
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f || stack_ids_init(64 * MIB))
		return -1;
	memset(f->memos, 0xa5, sizeof(f->memos)); /* entries need no initialization */
	f->space.number = 1;
	f->regs = (struct unwind_regs){
		.pc = 0x1000, .sp = (uintptr_t)f->words, .fp = 77, .pc_is_return = true};
	f->pcs[0] = 0xfff;
	f->pcs[1] = 0x1fff;
	*state = f;
	return 0;
}

static int fixture_teardown(void **state)
{
	stack_ids_fini();
	free(*state);
	return 0;
}

/* Return the cached id, or the id of a simulated walk that reads words[1], as a hook does. */
static uint32_t find_or_walk(struct fixture *f, bool *walked)
{
	struct stack_memo *memo;
	uint32_t id = stack_memo_find(f->memos, &f->known, &f->regs, &f->space, &memo);

	*walked = id == STACK_NONE;
	if (!*walked)
		return id;
	id = stack_ids_add(VARVE_HEAP, f->pcs, countof(f->pcs));
	if (memo) {
		memo->trace.n = 1;
		memo->trace.fp_used = false;
		memo->trace.words[0] = (struct unwind_word){(uintptr_t)&f->words[1], f->words[1]};
		stack_memo_keep(f->memos, &f->known, memo, id);
	}
	return id;
}

static uint32_t learn(struct fixture *f)
{
	bool walked;
	uint32_t id = find_or_walk(f, &walked);

	assert_true(walked);
	assert_int_equal(find_or_walk(f, &walked), id);
	assert_true(walked); /* cached after the second walk only */
	assert_int_equal(find_or_walk(f, &walked), id);
	assert_false(walked);
	return id;
}

static void a_stack_is_cached_after_two_walks(void **state)
{
	(void)learn(*state);
}

static void a_hit_needs_unchanged_stack_words(void **state)
{
	struct fixture *f = *state;
	uint32_t id = learn(f);
	bool walked;

	f->words[0] = f->words[2] = 5;
	assert_int_equal(find_or_walk(f, &walked), id);
	assert_false(walked);
	f->words[1] = 5;
	f->pcs[1] = 0x5fff;
	assert_int_not_equal(find_or_walk(f, &walked), id);
	assert_true(walked);
	(void)find_or_walk(f, &walked);
	assert_false(walked);
}

static void a_hit_needs_equal_pc_and_sp(void **state)
{
	struct fixture *f = *state;
	struct unwind_regs regs = f->regs;
	bool walked;

	(void)learn(f);
	f->regs.sp += 16;
	(void)find_or_walk(f, &walked);
	assert_true(walked);
	f->regs = regs;
	f->regs.pc++;
	(void)find_or_walk(f, &walked);
	assert_true(walked);
}

static void the_frame_pointer_is_compared_if_the_walk_used_it(void **state)
{
	struct fixture *f = *state;
	bool walked;

	(void)learn(f);
	f->regs.fp = 78;
	(void)find_or_walk(f, &walked);
	assert_false(walked);
	for (unsigned i = 0; i < STACK_MEMOS; i++)
		f->memos[i].trace.fp_used = true;
	(void)find_or_walk(f, &walked);
	assert_true(walked);
}

static void a_new_unwind_space_or_stack_table_invalidates_entries(void **state)
{
	struct fixture *f = *state;
	uint32_t id = learn(f);
	bool walked;

	f->space.number++;
	assert_int_equal(learn(f), id);
	assert_ok(stack_ids_begin_renewal(VARVE_HEAP, 1));
	assert_int_not_equal(find_or_walk(f, &walked), id);
	assert_true(walked);
	stack_ids_end_renewal(VARVE_HEAP);
}

static void an_incomplete_walk_is_not_cached(void **state)
{
	struct fixture *f = *state;
	struct stack_memo *memo;

	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(stack_memo_find(f->memos, &f->known, &f->regs, &f->space, &memo),
				 STACK_NONE);
		assert_true(!memo == !i);
		if (!memo)
			continue;
		memo->trace.n = i == 1 ? UNWIND_TRACE_VOID : 0;
		stack_memo_keep(f->memos, &f->known, memo, i == 1 ? STACK_FIRST : STACK_LOST);
	}
}

#define memos(name) test_with(fixture, name)

TEST_MAIN(memos(a_stack_is_cached_after_two_walks), memos(a_hit_needs_unchanged_stack_words),
	  memos(a_hit_needs_equal_pc_and_sp),
	  memos(the_frame_pointer_is_compared_if_the_walk_used_it),
	  memos(a_new_unwind_space_or_stack_table_invalidates_entries),
	  memos(an_incomplete_walk_is_not_cached))
