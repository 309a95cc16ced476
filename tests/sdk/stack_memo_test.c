/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/hook/stack_memo.h"

#include "sdk/hook/stack_ids.h"
#include "test/test.h"

enum { STACK_BYTES = 1 << 20 };

struct fixture {
	struct stack_memo memos[STACK_MEMOS];
	uint32_t known;
	struct unwind_space space;
	uint64_t words[4]; /* of a stack */
	struct unwind_regs regs;
	uint64_t pcs[2];
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f || stack_ids_init(64 * MIB))
		return -1;
	memset(f->memos, 0xa5, sizeof(f->memos)); /* they need no beginning */
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

/* As a hook does: the id that is known, or that of a walk, which read words[1]. */
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
	assert_true(walked); /* once is not often enough */
	assert_int_equal(find_or_walk(f, &walked), id);
	assert_false(walked);
	return id;
}

static void a_stack_that_was_walked_twice_is_known(void **state)
{
	(void)learn(*state);
}

static void what_the_walk_read_must_be_the_same(void **state)
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

static void the_beginning_must_be_the_same(void **state)
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

static void a_frame_pointer_matters_if_the_walk_made_use_of_it(void **state)
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

static void another_space_or_table_of_stacks_begins_anew(void **state)
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

static void a_walk_that_is_not_told_is_not_kept(void **state)
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

TEST_MAIN(memos(a_stack_that_was_walked_twice_is_known), memos(what_the_walk_read_must_be_the_same),
	  memos(the_beginning_must_be_the_same),
	  memos(a_frame_pointer_matters_if_the_walk_made_use_of_it),
	  memos(another_space_or_table_of_stacks_begins_anew),
	  memos(a_walk_that_is_not_told_is_not_kept))
