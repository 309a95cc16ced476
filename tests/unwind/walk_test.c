/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over hand-made stacks and tables. */
#include "test/test.h"

#include "unwind/section.h"

enum { STACK_WORDS = 64, STACK_ADDRESS = 0x700000 };
#define BIAS 0x50000000u

/* The functions of the module under test. */
enum {
	PLAIN = 0x1000,	 /* CFA = rsp + 16, nothing saved */
	FRAMED = 0x1100, /* CFA = rbp + 16, rbp at CFA - 16 */
	ROOT = 0x1200,	 /* no return address */
	NO_RULE = 0x1300,
	IN_R10 = 0x1400,  /* CFA = r10 */
	EMPTY = 0x1500,	  /* CFA = rsp + 0, returns to rdi */
	ALIGNED = 0x1600, /* CFA = *(rbp - 8), rbp at *(rbp) */
};

struct fixture {
	struct unwind_table *table;
	struct unwind_range ranges[2];
	struct unwind_space space;
	uint64_t words[STACK_WORDS];
	struct unwind_memory memory;
	uint64_t code; /* the word returned by `read` */
	uint64_t pcs[STACK_WORDS];
	enum unwind_end end;
};

static bool read_code(void *arg, uint64_t address, uint64_t *word)
{
	struct fixture *f = arg;

	*word = f->code;
	return address - BIAS < TEXT_LIMIT;
}

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct section s = {0};
	struct unwind_source source;

	GCC_CIE(&s);
	FUNCTION(&s, PLAIN, 0x100, 0x0e, 16);
	FUNCTION(&s, FRAMED, 0x100, 0x0c, 6, 16, 0x86, 2);
	FUNCTION(&s, ROOT, 0x100, 0x07, 16);
	FUNCTION(&s, IN_R10, 0x100, 0x0c, 10, 0);
	FUNCTION(&s, EMPTY, 0x100, 0x0e, 0, 0x09, 16, 5);
	FUNCTION(&s, ALIGNED, 0x100, 0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0);
	source = source_of_section(&s);
	if (!f || unwind_table_compile(&f->table, &source, NULL, NULL))
		return -1;
	f->ranges[0] = (struct unwind_range){
		.start = BIAS + 0x1000, .limit = BIAS + 0x2000, .bias = BIAS, .table = f->table};
	f->ranges[1] =
		(struct unwind_range){.start = BIAS + 0x100000, .limit = BIAS + 0x200000}; /* JIT */
	f->space = (struct unwind_space){f->ranges, 2};
	f->memory = (struct unwind_memory){
		.low = STACK_ADDRESS,
		.high = STACK_ADDRESS + sizeof(f->words),
		.shift = (ptrdiff_t)((uint64_t)(uintptr_t)f->words - STACK_ADDRESS),
	};
	*state = f;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	unwind_table_free(f->table);
	free(f);
	return 0;
}

static uint64_t at(unsigned word)
{
	return STACK_ADDRESS + 8 * word;
}

static uint32_t walk(struct fixture *f, uint64_t pc, unsigned sp, uint64_t fp)
{
	struct unwind_regs regs = {.pc = pc, .sp = at(sp), .fp = fp};

	return unwind_walk(&f->space, &regs, &f->memory, f->pcs, STACK_WORDS, &f->end);
}

static void rows_are_followed_to_the_root(void **state)
{
	struct fixture *f = *state;

	f->words[1] = BIAS + FRAMED + 8; /* return address of PLAIN */
	f->words[4] = 0x1234;		 /* the caller's frame pointer */
	f->words[5] = BIAS + ROOT + 8;
	assert_int_equal(walk(f, BIAS + PLAIN, 0, at(4)), 3);
	assert_int_equal(f->end, UNWIND_ROOT);
	assert_int_equal(f->pcs[0], BIAS + PLAIN);
	assert_int_equal(f->pcs[1], BIAS + FRAMED + 7);
	assert_int_equal(f->pcs[2], BIAS + ROOT + 7);
}

static void return_addresses_are_looked_up_one_byte_earlier(void **state)
{
	struct fixture *f = *state;

	f->words[1] = BIAS + FRAMED; /* after PLAIN's last byte: its call never returns */
	f->words[3] = BIAS + ROOT + 8;
	assert_int_equal(walk(f, BIAS + PLAIN, 0, 0), 3);
	assert_int_equal(f->end, UNWIND_ROOT);
}

static void a_return_address_of_zero_is_the_root(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(walk(f, BIAS + PLAIN, 0, 0), 1);
	assert_int_equal(f->end, UNWIND_ROOT);
}

static void a_full_walk_can_be_continued(void **state)
{
	struct fixture *f = *state;
	struct unwind_regs regs = {.pc = BIAS + PLAIN, .sp = at(0)};

	for (unsigned i = 1; i < 20; i += 2)
		f->words[i] = BIAS + PLAIN + i;
	f->words[21] = BIAS + ROOT + 1;
	assert_int_equal(unwind_walk(&f->space, &regs, &f->memory, f->pcs, 5, &f->end), 5);
	assert_int_equal(f->end, UNWIND_FULL);
	assert_int_equal(f->pcs[4], BIAS + PLAIN + 6);
	assert_true(regs.pc_is_return && regs.pc == BIAS + PLAIN + 7);
	assert_int_equal(unwind_walk(&f->space, &regs, &f->memory, f->pcs, 64, &f->end), 8);
	assert_int_equal(f->end, UNWIND_ROOT);
	assert_int_equal(f->pcs[0], BIAS + PLAIN + 6);
	/* no space, no frames */
	assert_int_equal(unwind_walk(&f->space, &regs, &f->memory, f->pcs, 0, &f->end), 0);
	assert_int_equal(f->end, UNWIND_FULL);
}

static void missing_memory_ends_the_walk(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(walk(f, BIAS + PLAIN, STACK_WORDS - 1, 0), 1);
	assert_int_equal(f->end, UNWIND_NO_MEMORY);
	assert_int_equal(walk(f, BIAS + FRAMED, 0, (uint64_t)0 - 16), 1);
	assert_true(f->end == UNWIND_NO_MEMORY || f->end == UNWIND_NO_PROGRESS);
	/* a stack of less than a word, or of negative size */
	f->memory.high = f->memory.low + 7;
	assert_int_equal(walk(f, BIAS + PLAIN, 0, 0), 1);
	assert_int_equal(f->end, UNWIND_NO_MEMORY);
	f->memory.high = f->memory.low - 64;
	assert_int_equal(walk(f, BIAS + PLAIN, 0, 0), 1);
	assert_int_equal(f->end, UNWIND_NO_MEMORY);
}

static void a_stack_that_does_not_grow_ends_the_walk(void **state)
{
	struct fixture *f = *state;

	f->words[2] = at(2);
	f->words[3] = BIAS + FRAMED + 8;
	/* FRAMED returns to FRAMED with the same frame pointer, forever */
	assert_int_equal(walk(f, BIAS + FRAMED, 0, at(2)), 2);
	assert_int_equal(f->end, UNWIND_NO_PROGRESS);
	assert_int_equal(walk(f, BIAS + FRAMED, 0, at(2) + 4), 1);
	assert_int_equal(f->end, UNWIND_NO_PROGRESS);
}

static void frame_pointers_are_followed_without_a_rule(void **state)
{
	struct fixture *f = *state;

	f->words[4] = at(8);
	f->words[5] = BIAS + NO_RULE + 20;
	f->words[8] = 0x77;
	f->words[9] = BIAS + ROOT + 5;
	assert_int_equal(walk(f, BIAS + NO_RULE, 0, at(4)), 2);
	/* the frame pointer of the third frame is invalid: 0x77 is not above it */
	assert_int_equal(f->end, UNWIND_NO_RULE);
	f->words[8] = at(20);
	assert_int_equal(walk(f, BIAS + NO_RULE, 0, at(4)), 3);
	assert_int_equal(f->end, UNWIND_ROOT);
	/* code without a table */
	assert_int_equal(walk(f, BIAS + 0x100010, 0, at(4)), 3);
	assert_int_equal(f->end, UNWIND_ROOT);
	/* a return address outside of code */
	f->words[9] = 0x99;
	assert_int_equal(walk(f, BIAS + NO_RULE, 0, at(4)), 2);
	assert_int_equal(f->end, UNWIND_NO_RULE);
}

static void a_leaf_without_rule_is_left_through_its_call_site(void **state)
{
	struct fixture *f = *state;

	f->words[2] = BIAS + ROOT + 8;
	assert_int_equal(walk(f, BIAS + NO_RULE, 0, 0), 1);
	assert_int_equal(f->end, UNWIND_NO_RULE);
	f->memory.read = read_code;
	f->memory.arg = f;
	assert_int_equal(walk(f, BIAS + NO_RULE, 0, 0), 1); /* not preceded by a call */
	f->code = 0x00000000e8000000;			    /* call relative */
	assert_int_equal(walk(f, BIAS + NO_RULE, 0, 0), 2);
	assert_int_equal(f->end, UNWIND_ROOT);
	f->code = 0xd0ff000000000000; /* call *%rax */
	assert_int_equal(walk(f, BIAS + NO_RULE, 0, 0), 2);
	assert_int_equal(f->pcs[1], BIAS + ROOT + 7);
}

static void a_call_to_an_invalid_address_is_left_to_its_caller(void **state)
{
	struct fixture *f = *state;

	f->memory.read = read_code;
	f->memory.arg = f;
	f->code = 0xd0ff000000000000;
	f->words[0] = BIAS + PLAIN + 8;
	f->words[2] = BIAS + ROOT + 8;
	assert_int_equal(walk(f, 0, 0, at(6)), 3);
	assert_int_equal(f->end, UNWIND_ROOT);
	assert_int_equal(f->pcs[1], BIAS + PLAIN + 7);
}

static void registers_are_known_in_the_leaf_only(void **state)
{
	struct fixture *f = *state;
	struct unwind_regs regs = {.pc = BIAS + IN_R10, .sp = at(0), .gpr_known = true};

	f->words[5] = BIAS + ROOT + 8;
	regs.gpr[10] = at(6);
	assert_int_equal(unwind_walk(&f->space, &regs, &f->memory, f->pcs, 9, &f->end), 2);
	assert_int_equal(f->end, UNWIND_ROOT);
	/* unknown: the rule cannot be applied */
	assert_int_equal(walk(f, BIAS + IN_R10, 0, 0), 1);
	assert_int_equal(f->end, UNWIND_NO_RULE);
	/* the return address of vfork is in a register */
	regs = (struct unwind_regs){.pc = BIAS + EMPTY, .sp = at(0), .gpr_known = true};
	regs.gpr[5] = BIAS + ROOT + 9;
	assert_int_equal(unwind_walk(&f->space, &regs, &f->memory, f->pcs, 9, &f->end), 2);
	assert_int_equal(f->pcs[1], BIAS + ROOT + 8);
}

static void a_cfa_in_memory_is_loaded(void **state)
{
	struct fixture *f = *state;

	f->words[3] = at(10); /* *(rbp - 8) */
	f->words[4] = 0x55;
	f->words[9] = BIAS + ROOT + 9;
	assert_int_equal(walk(f, BIAS + ALIGNED, 0, at(4)), 2);
	assert_int_equal(f->end, UNWIND_ROOT);
}

static void an_empty_space_has_only_the_leaf(void **state)
{
	struct fixture *f = *state;

	f->space.count = 0;
	assert_int_equal(walk(f, BIAS + PLAIN, 0, 0), 1);
	assert_int_equal(f->end, UNWIND_NO_RULE);
	assert_null(unwind_find_range(&f->space, 5));
}

/* Results with a cache are the same, also for addresses that differ only above its 44 bits. */
static void a_cache_does_not_change_results(void **state)
{
	struct fixture *f = *state;
	_Atomic uint64_t cache[UNWIND_CACHE_MIN] = {0};

	f->space.cache = cache;
	f->space.cache_size = countof(cache);
	for (unsigned i = 0; i < 3; i++) {
		rows_are_followed_to_the_root(state);
		return_addresses_are_looked_up_one_byte_earlier(state);
		registers_are_known_in_the_leaf_only(state);
		memset(f->words, 0, sizeof(f->words));
		for (unsigned bit = 44; bit < 64; bit++) {
			assert_int_equal(walk(f, (BIAS + PLAIN) | (uint64_t)1 << bit, 0, 0), 1);
			assert_int_equal(f->end, UNWIND_NO_RULE);
		}
	}
}

static void ranges_are_found_by_address(void **state)
{
	struct fixture *f = *state;

	assert_null(unwind_find_range(&f->space, BIAS + 0xfff));
	assert_ptr_equal(unwind_find_range(&f->space, BIAS + 0x1000), &f->ranges[0]);
	assert_ptr_equal(unwind_find_range(&f->space, BIAS + 0x1fff), &f->ranges[0]);
	assert_null(unwind_find_range(&f->space, BIAS + 0x2000));
	assert_ptr_equal(unwind_find_range(&f->space, BIAS + 0x100000), &f->ranges[1]);
	assert_null(unwind_find_range(&f->space, UINT64_MAX));
}

static bool is_traced(const struct unwind_trace *t, uint64_t address)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->words[i].address == address)
			return true;
	return false;
}

static void a_trace_has_the_words_that_were_read(void **state)
{
	struct fixture *f = *state;
	struct unwind_trace t;

	f->memory.trace = &t;
	/* return address of PLAIN, which does not change the frame pointer */
	f->words[1] = BIAS + FRAMED + 8;
	f->words[4] = at(8);
	f->words[5] = BIAS + FRAMED + 8;
	f->words[8] = 0x1234; /* an unused frame pointer */
	f->words[9] = BIAS + ROOT + 8;
	assert_int_equal(walk(f, BIAS + PLAIN, 0, at(4)), 4);
	assert_true(t.fp_used);
	assert_int_equal(t.n, 4);
	assert_true(is_traced(&t, at(1)) && is_traced(&t, at(4)) && is_traced(&t, at(5)) &&
		    is_traced(&t, at(9)));
	assert_int_equal(walk(f, BIAS + PLAIN, 8, 0), 2);
	assert_false(t.fp_used);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.words[0].value, BIAS + ROOT + 8);
}

static void words_outside_a_trace_do_not_affect_the_walk(void **state)
{
	static const unsigned functions[] = {PLAIN,  PLAIN,  PLAIN, PLAIN, PLAIN,  FRAMED,
					     FRAMED, FRAMED, ROOT,  ROOT,  IN_R10, NO_RULE};
	struct fixture *f = *state;
	uint64_t random = 88172645463325252u, pcs[STACK_WORDS];
	unsigned told = 0, deep = 0;
	struct unwind_trace t;

	f->memory.trace = &t;
	for (unsigned round = 0; round < 20000; round++) {
		uint64_t fp = at(round % 8 * 2);
		enum unwind_end end;
		uint32_t n;

		for (unsigned i = 0; i < STACK_WORDS; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			f->words[i] =
				i % 2 ? BIAS + functions[(random >> 40) % countof(functions)] + 8
				      : at(i + (unsigned)(random >> 40) % 4 * 2);
		}
		n = walk(f, BIAS + PLAIN, 0, fp);
		if (t.n == UNWIND_TRACE_VOID)
			continue;
		told++;
		deep += n > 5;
		memcpy(pcs, f->pcs, sizeof(pcs));
		end = f->end;
		for (unsigned i = 0; i < STACK_WORDS; i++)
			f->words[i] = is_traced(&t, at(i)) ? f->words[i] : ~f->words[i];
		assert_int_equal(walk(f, BIAS + PLAIN, 0, t.fp_used ? fp : ~fp), n);
		assert_int_equal(f->end, end);
		assert_memory_equal(f->pcs, pcs, n * sizeof(*pcs));
	}
	assert_true(told > 1000 && deep > 100);
}

static void guessed_or_too_long_walks_have_no_trace(void **state)
{
	struct fixture *f = *state;
	struct unwind_trace t;

	f->memory.trace = &t;
	f->words[2] = at(8);
	f->words[3] = BIAS + ROOT + 8;
	assert_int_equal(walk(f, BIAS + NO_RULE, 0, at(2)), 2);
	assert_int_equal(t.n, UNWIND_TRACE_VOID);
	for (unsigned i = 1; i < STACK_WORDS; i += 2) /* 32 frames, whose words fit the trace */
		f->words[i] = BIAS + PLAIN + 8;
	f->words[STACK_WORDS - 1] = BIAS + ROOT + 8;
	assert_int_equal(walk(f, BIAS + PLAIN, 0, 0), 33);
	assert_int_equal(t.n, UNWIND_TRACE_WORDS);
	f->words[1] = BIAS + FRAMED + 8; /* one that reads another word */
	f->words[3] = BIAS + PLAIN + 8;
	assert_int_equal(walk(f, BIAS + PLAIN, 0, at(2)), 33);
	assert_int_equal(t.n, UNWIND_TRACE_VOID);
}

#define walks(name) test_with(fixture, name)

TEST_MAIN(walks(a_trace_has_the_words_that_were_read),
	  walks(words_outside_a_trace_do_not_affect_the_walk),
	  walks(guessed_or_too_long_walks_have_no_trace), walks(rows_are_followed_to_the_root),
	  walks(return_addresses_are_looked_up_one_byte_earlier),
	  walks(a_return_address_of_zero_is_the_root), walks(a_full_walk_can_be_continued),
	  walks(missing_memory_ends_the_walk), walks(a_stack_that_does_not_grow_ends_the_walk),
	  walks(frame_pointers_are_followed_without_a_rule),
	  walks(a_leaf_without_rule_is_left_through_its_call_site),
	  walks(a_call_to_an_invalid_address_is_left_to_its_caller),
	  walks(registers_are_known_in_the_leaf_only), walks(a_cfa_in_memory_is_loaded),
	  walks(an_empty_space_has_only_the_leaf), walks(a_cache_does_not_change_results),
	  walks(ranges_are_found_by_address))
