/* SPDX-License-Identifier: Apache-2.0 */
/* Compilation of .eh_frame sections into unwind tables. */
#include "test/test.h"
#include "unwind/table.h"

#include <errno.h>

#include "test/self_space.h"
#include "unwind/section.h"

/* Expected rules. */
#define BY(kind, offset, slot)                                                                     \
	((uint32_t)(kind) << UNWIND_KIND_SHIFT | (uint32_t)(offset) / 8 << UNWIND_OFFSET_SHIFT |   \
	 (uint32_t)(slot))
#define SP(offset, slot) BY(UNWIND_KIND_SP, offset, slot)
#define FP(offset, slot) BY(UNWIND_KIND_FP, offset, slot)

static struct unwind_table *compile(const struct unwind_source *source)
{
	struct unwind_table *t;
	struct err e = {0};

	assert_ok_err(unwind_table_compile(&t, source, NULL, &e), &e);
	return t;
}

static struct unwind_table *compile_section(const struct section *s)
{
	struct unwind_source source = source_of_section(s);

	return compile(&source);
}

#define assert_rule(t, address, rule) assert_int_equal(unwind_table_find(t, address), rule)

/* Return the dictionary's rule at an address. */
static struct unwind_rule entry_at(const struct unwind_table *t, uint64_t address)
{
	uint32_t rule = unwind_table_find(t, address);

	assert_int_equal(rule >> UNWIND_KIND_SHIFT, UNWIND_KIND_DICTIONARY);
	assert_in_range(rule & UNWIND_INDEX_MAX, 0, t->stats.rules - 1);
	return t->rules[rule & UNWIND_INDEX_MAX];
}

static void a_function_with_a_frame_pointer_is_compiled(void **state)
{
	struct section s = {0};

	(void)state;
	GCC_CIE(&s);
	/* push %rbp; mov %rsp,%rbp; ...; leave; ret */
	FUNCTION(&s, 0x1000, 0x40, 0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x78, 0x0c, 7, 8);

	struct unwind_table *t = compile_section(&s);

	assert_rule(t, 0xfff, UNWIND_RULE_GUESS);
	assert_rule(t, 0x1000, SP(8, 0));
	assert_rule(t, 0x1001, SP(16, 2));
	assert_rule(t, 0x1003, SP(16, 2));
	assert_rule(t, 0x1004, FP(16, 2));
	assert_rule(t, 0x103b, FP(16, 2));
	/* after `leave` the slot is below the stack pointer: already popped */
	assert_rule(t, 0x103c, SP(8, 0));
	assert_rule(t, 0x1040, UNWIND_RULE_GUESS);
	assert_int_equal(t->stats.functions, 1);
	assert_int_equal(t->stats.invalid, 0);
	unwind_table_free(t);
}

static void states_are_saved_and_restored(void **state)
{
	struct section s = {0};

	(void)state;
	GCC_CIE(&s);
	FUNCTION(&s, 0x1000, 0x40, 0x41, 0x0e, 16, 0x86, 2, 0x41, 0x0a, 0x0e, 8, 0xc6, 0x41, 0x0b);

	struct unwind_table *t = compile_section(&s);

	assert_rule(t, 0x1001, SP(16, 2));
	assert_rule(t, 0x1002, SP(8, 0));
	assert_rule(t, 0x1003, SP(16, 2));
	unwind_table_free(t);
}

static void rules_that_do_not_fit_a_row_are_in_the_dictionary(void **state)
{
	struct section s = {0};
	struct unwind_rule rule;

	(void)state;
	GCC_CIE(&s);
	/* CFA = rsp + 100000 */
	FUNCTION(&s, 0x1000, 0x10, 0x0e, 0xa0, 0x8d, 0x06);
	/* aligned stack: CFA = *(rbp - 8), rbp at *(rbp + 0) */
	FUNCTION(&s, 0x1010, 0x10, 0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0);
	/* CFA = *(rsp + 24) + 8 */
	FUNCTION(&s, 0x1020, 0x10, 0x0f, 5, 0x77, 24, 0x06, 0x23, 8);
	/* vfork: the return address is in rdi, CFA = rsp + 0 */
	FUNCTION(&s, 0x1030, 0x10, 0x0e, 0, 0x09, 16, 5);
	/* CFA = r10 + 0, and the same again */
	FUNCTION(&s, 0x1040, 0x10, 0x0c, 10, 0);
	FUNCTION(&s, 0x1050, 0x10, 0x12, 10, 0);

	struct unwind_table *t = compile_section(&s);

	rule = entry_at(t, 0x1000);
	assert_int_equal(rule.cfa_register, UNWIND_REG_SP);
	assert_int_equal(rule.cfa_offset, 100000);
	assert_int_equal(rule.ra_place, UNWIND_PLACE_AT_CFA);
	assert_int_equal(rule.ra_offset, -8);
	rule = entry_at(t, 0x1010);
	assert_true(rule.cfa_in_memory && rule.cfa_register == UNWIND_REG_FP &&
		    rule.cfa_offset == -8);
	assert_true(rule.fp_place == UNWIND_PLACE_AT_REGISTER && rule.fp_register == 6 &&
		    rule.fp_offset == 0);
	rule = entry_at(t, 0x1020);
	assert_true(rule.cfa_in_memory && rule.cfa_register == UNWIND_REG_SP &&
		    rule.cfa_offset == 24 && rule.cfa_add == 8);
	rule = entry_at(t, 0x1030);
	assert_true(rule.ra_place == UNWIND_PLACE_IN_REGISTER && rule.ra_register == 5 &&
		    rule.cfa_offset == 0);
	assert_int_equal(unwind_table_find(t, 0x1040), unwind_table_find(t, 0x1050));
	assert_int_equal(t->stats.rules, 5);
	assert_int_equal(t->stats.invalid, 0);
	unwind_table_free(t);
}

static void commands_for_walks_are_compiled(void **state)
{
	struct section s = {0};

	(void)state;
	GCC_CIE(&s);
	FUNCTION(&s, 0x1000, 0x10, 0x07, 16); /* no return address: the root */
	FUNCTION(&s, 0x1010, 0x10, 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24,
		 0x22);
	FUNCTION(&s, 0x1020, 0x10, 0x0e, 0); /* its return address is below the stack pointer */
	/* S: the return from a signal, by expressions */
	CIE(&s, 1, 'z', 'R', 'S', 0, 1, 0x78, 16, 1, 0x1b);
	FUNCTION(&s, 0x1040, 9, 0x0f, 4, 0x77, 0xa0, 1, 0x06, 0x10, 16, 3, 0x77, 0xa8, 1);

	struct unwind_table *t = compile_section(&s);

	assert_rule(t, 0x1000, UNWIND_RULE_STOP);
	assert_rule(t, 0x1010, UNWIND_COMMAND(UNWIND_COMMAND_PLT, 11));
	assert_rule(t, 0x1020, UNWIND_RULE_STOP);
	assert_rule(t, 0x103e, UNWIND_RULE_GUESS);
	assert_rule(t, 0x103f, UNWIND_RULE_SIGNAL);
	assert_rule(t, 0x1048, UNWIND_RULE_SIGNAL);
	assert_rule(t, 0x1049, UNWIND_RULE_GUESS);
	unwind_table_free(t);
}

static void unsupported_rules_become_guesses(void **state)
{
	static const uint8_t deep[] = {0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a,
				       0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a};
	struct section s = {0};

	(void)state;
	GCC_CIE(&s);
	FUNCTION(&s, 0x1000, 0x10, 0x0e, 16, 0x44, 0x3f);	/* an invalid operation */
	FUNCTION(&s, 0x1010, 0x10, 0x0e, 16, 0x44, 0x0b);	/* nothing to restore */
	FUNCTION(&s, 0x1020, 0x10, 0x0e, 16, 0x44, 0x0e, 0x80); /* truncated */
	FUNCTION(&s, 0x1030, 0x10, 0x0f, 2, 0x70, 0x80);	/* a truncated expression */
	FUNCTION(&s, 0x1040, 0x10, 0x0f, 5, 0x77, 0, 0x06, 0x06, 0x06);
	FUNCTION(&s, 0x1050, 0x10, 0x0c, 99, 8); /* an invalid register */
	put_function(&s, 0x1060, 0x10, deep, sizeof(deep));
	FUNCTION(&s, 0x1070, 0x10, 0x0f, 0x7f); /* longer than its entry */

	struct unwind_table *t = compile_section(&s);

	assert_rule(t, 0x1000, SP(16, 0));
	assert_rule(t, 0x1004, UNWIND_RULE_GUESS);
	assert_rule(t, 0x1014, UNWIND_RULE_GUESS);
	assert_rule(t, 0x1020, SP(16, 0));
	assert_rule(t, 0x1024, UNWIND_RULE_GUESS);
	for (uint64_t address = 0x1030; address < 0x1080; address += 0x10)
		assert_rule(t, address, UNWIND_RULE_GUESS);
	assert_int_equal(t->stats.functions, 8);
	assert_int_equal(t->stats.invalid, 8);
	unwind_table_free(t);
}

static void functions_can_be_unordered_and_overlap(void **state)
{
	struct section s = {0};

	(void)state;
	GCC_CIE(&s);
	FUNCTION(&s, 0x3000, 0x10, 0x0e, 32);
	FUNCTION(&s, 0x1000, 0x30, 0x0e, 16);
	FUNCTION(&s, 0x1010, 0x10, 0x0e, 24); /* inside the previous one */
	FUNCTION(&s, 0x2000, 0x10, 0x0e, 40);
	FUNCTION(&s, 0x2000, 0x10, 0x0e, 48); /* at the same address: the last one wins */
	FUNCTION(&s, 0x200f, 0x0a, 0x0e, 56);
	FUNCTION(&s, 0x2020, 0x10, 0x0e, 64); /* seven bytes of padding before it */
	FUNCTION(&s, 0x0000, 0x10, 0x0e, 80); /* dropped by the linker */
	FUNCTION(&s, 0x90000, 0x10, 0x0e, 80);

	struct unwind_table *t = compile_section(&s);

	assert_rule(t, 0x100f, SP(16, 0));
	assert_rule(t, 0x1010, SP(24, 0));
	assert_rule(t, 0x1020, UNWIND_RULE_GUESS);
	assert_rule(t, 0x2000, SP(48, 0));
	assert_rule(t, 0x200f, SP(56, 0));
	assert_rule(t, 0x201f, SP(56, 0));
	assert_rule(t, 0x2020, SP(64, 0));
	assert_rule(t, 0x2030, UNWIND_RULE_GUESS);
	assert_rule(t, 0x3000, SP(32, 0));
	assert_rule(t, 0x90000, UNWIND_RULE_GUESS);
	unwind_table_free(t);
}

static void a_rule_extends_over_pages(void **state)
{
	struct section s = {0};

	(void)state;
	GCC_CIE(&s);
	FUNCTION(&s, 0x1ff0, 0x5000, 0x0e, 16, 0x50, 0x0e, 24, 0x04, 0x00, 0x40, 0, 0, 0x0e, 32);

	struct unwind_table *t = compile_section(&s);

	assert_rule(t, 0x1fff, SP(16, 0));
	for (uint64_t address = 0x2000; address < 0x6000; address += 0x7ff)
		assert_rule(t, address, SP(24, 0));
	assert_rule(t, 0x6000, SP(32, 0));
	assert_rule(t, 0x6fef, SP(32, 0));
	assert_rule(t, 0x6ff0, UNWIND_RULE_GUESS);
	/* one row per page without rows of its own */
	assert_int_equal(t->stats.rows, 1 + 4 + 1 + 1);
	unwind_table_free(t);
}

static void all_versions_of_entries_are_read(void **state)
{
	struct section s = {0};
	static const uint8_t large[] = {0xff, 0xff, 0xff, 0xff, 28, 0, 0, 0, 0, 0, 0, 0};

	(void)state;
	/* zPLR with a personality of 4 bytes, version 3 */
	CIE(&s, 3, 'z', 'P', 'L', 'R', 0, 1, 0x78, 16, 7, 0x1b, 1, 2, 3, 4, 0x1b, 0x1b, 0x0c, 7, 8,
	    0x90, 1);
	FUNCTION(&s, 0x1000, 0x10, 0x0e, 16);
	/* version 4, addresses of 8 bytes */
	CIE(&s, 4, 'z', 'R', 0, 8, 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1);
	FUNCTION(&s, 0x1010, 0x10, 0x0e, 24);
	/* unknown letters: its functions are ignored */
	CIE(&s, 1, 'z', 'R', 'X', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1);
	FUNCTION(&s, 0x1020, 0x10, 0x0e, 32);
	/* absolute addresses, and an entry with a length of 64 bits */
	CIE(&s, 1, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1);

	uint64_t words[] = {s.n + 12 - s.cie, 0x1030, 0x10};

	put(&s, large, sizeof(large));
	put(&s, words, sizeof(words));
	put(&s, "\x0e\x28\0", 4);

	struct unwind_table *t = compile_section(&s);

	assert_rule(t, 0x1000, SP(16, 0));
	assert_rule(t, 0x1010, SP(24, 0));
	assert_rule(t, 0x1020, UNWIND_RULE_GUESS);
	assert_rule(t, 0x1030, SP(40, 0));
	assert_int_equal(t->stats.invalid, 1);
	unwind_table_free(t);
}

static void an_oversized_entry_is_an_error_after_valid_entries(void **state)
{
	struct section s = {0};
	struct unwind_table *t;
	struct err e = {0};

	(void)state;
	GCC_CIE(&s);
	FUNCTION(&s, 0x1000, 0x10, 0x0e, 16);

	uint32_t bad = s.n;
	char text[64];

	put_u32(&s, 1000);
	put_u32(&s, 4);

	struct unwind_source source = source_of_section(&s);

	assert_int_equal(unwind_table_compile(&t, &source, NULL, &e), -EBADMSG);
	snprintf(text, sizeof(text), "the entry at byte %u exceeds", bad);
	assert_err_says(&e, text);
	assert_rule(t, 0x1000, SP(16, 0));
	unwind_table_free(t);
}

static void bytes_after_the_terminator_are_ignored(void **state)
{
	struct section s = {0};

	(void)state;
	GCC_CIE(&s);
	FUNCTION(&s, 0x1000, 0x10, 0x0e, 16);
	put_u32(&s, 0);
	put_u32(&s, 0x12345678);
	unwind_table_free(compile_section(&s));
}

static void missing_call_frame_information_is_an_empty_table(void **state)
{
	struct unwind_source source = {0};
	struct unwind_table *t = compile(&source);

	(void)state;
	assert_rule(t, 0, UNWIND_RULE_GUESS);
	assert_rule(t, UINT64_MAX, UNWIND_RULE_GUESS);
	unwind_table_free(t);
}

/* lld writes no rules for its PLT, and musl none at all. */
static void code_without_rules_is_recognized_by_its_bytes(void **state)
{
	static const uint8_t plt[] = {0xff, 0x25, 1, 2, 3, 4, 0x68, 0, 0, 0, 0, 0xe9, 5, 6, 7, 8};
	static const uint8_t plt_sec[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 1, 2, 3, 4};
	static const uint8_t sigreturn[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
	char text[0x400];
	struct unwind_source source = {
		.text = str_of(text, sizeof(text)),
		.text_address = 0x1000,
		.text_limit = 0x1400,
	};

	(void)state;
	memset(text, 0xcc, sizeof(text));
	memcpy(text + 0x20, plt, sizeof(plt));
	memcpy(text + 0x30, plt, sizeof(plt));
	memcpy(text + 0x40, plt_sec, sizeof(plt_sec));
	memcpy(text + 0x101, sigreturn, sizeof(sigreturn));

	struct unwind_table *t = compile(&source);

	assert_rule(t, 0x101f, UNWIND_RULE_GUESS);
	assert_rule(t, 0x1020, UNWIND_COMMAND(UNWIND_COMMAND_PLT, 11));
	assert_rule(t, 0x103f, UNWIND_COMMAND(UNWIND_COMMAND_PLT, 11));
	assert_rule(t, 0x1040, SP(8, 0));
	assert_rule(t, 0x1050, UNWIND_RULE_GUESS);
	assert_rule(t, 0x10ff, UNWIND_RULE_GUESS);
	assert_rule(t, 0x1100, UNWIND_RULE_SIGNAL);
	assert_rule(t, 0x1109, UNWIND_RULE_SIGNAL);
	assert_rule(t, 0x110a, UNWIND_RULE_GUESS);
	unwind_table_free(t);
}

/* A function with a huge size allocates a page index only. */
static void huge_sizes_allocate_no_memory(void **state)
{
	struct budget budget = {.limit = 16 * MIB};
	struct section s = {0};
	struct unwind_table *t;
	struct err e = {0};

	(void)state;
	CIE(&s, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x00, 0x0c, 7, 8, 0x90, 1); /* absolute */

	uint64_t words[] = {0x1000, UINT64_MAX / 2};

	put_entry(&s, s.cie, words, sizeof(words));
	put(&s, "\0", 1);

	struct unwind_source source = source_of_section(&s);

	source.text_address = source.text_limit = 0;
	s.bytes[s.n - sizeof(words) - 9] = sizeof(words) + 5;
	assert_ok_err(unwind_table_compile(&t, &source, &budget, &e), &e);
	assert_true(budget.peak < 16 * MIB);
	assert_rule(t, 0x40000000, SP(8, 0));
	unwind_table_free(t);
	assert_int_equal(budget.used, 0);
}

/* Check that rows are sorted and that their rules are in the dictionary. */
static void check_table(const struct unwind_table *t)
{
	for (uint32_t page = 0; page < t->page_count; page++) {
		assert_true(t->pages[page] <= t->pages[page + 1]);
		for (uint32_t i = t->pages[page]; i < t->pages[page + 1]; i++) {
			uint32_t rule = t->rows[i] & UNWIND_RULE_MASK;

			assert_true(i == t->pages[page] || t->rows[i] >> UNWIND_RULE_BITS >
								   t->rows[i - 1] >>
								   UNWIND_RULE_BITS);
			if (rule >> UNWIND_KIND_SHIFT == UNWIND_KIND_DICTIONARY)
				assert_true((rule & UNWIND_INDEX_MAX) < t->stats.rules);
		}
	}
	assert_int_equal(t->pages[t->page_count], t->stats.rows);
}

static void try_source(const struct unwind_source *source)
{
	struct budget budget = {.limit = 64 * MIB};
	struct unwind_table *t;
	struct err e = {0};
	int rc = unwind_table_compile(&t, source, &budget, &e);

	assert_true(rc == 0 || rc == -EBADMSG);
	assert_true(rc == 0 || e.text[0]);
	check_table(t);
	unwind_table_free(t);
	assert_int_equal(budget.used, 0);
}

static void truncation_at_every_byte_is_safe(void **state)
{
	struct unwind_source source;
	char *copy;

	(void)state;
	assert_true(self_source(&source));
	source.eh_frame.n = min_size(source.eh_frame.n, 3000);
	/* in its own allocation, so that a sanitizer detects overreads */
	for (size_t n = source.eh_frame.n; n > 0; n--) {
		struct unwind_source cut = source;

		copy = malloc(n);
		assert_non_null(copy);
		memcpy(copy, source.eh_frame.p, n);
		cut.eh_frame = str_of(copy, n);
		try_source(&cut);
		free(copy);
	}
}

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	return *state ^= *state << 5;
}

static void random_changes_are_safe(void **state)
{
	struct unwind_source source;
	uint32_t random = 12345;
	char *copy;

	(void)state;
	assert_true(self_source(&source));
	source.eh_frame.n = min_size(source.eh_frame.n, 6000);
	copy = malloc(source.eh_frame.n);
	assert_non_null(copy);
	for (unsigned round = 0; round < 2000; round++) {
		struct unwind_source changed = source;

		memcpy(copy, source.eh_frame.p, source.eh_frame.n);
		for (unsigned i = 0; i < 1 + round % 20; i++)
			copy[next_random(&random) % source.eh_frame.n] = (char)next_random(&random);
		changed.eh_frame.p = copy;
		try_source(&changed);
	}
	free(copy);
}

static void too_small_budgets_fail_without_leaks(void **state)
{
	struct unwind_source source;
	struct budget budget = {.limit = SIZE_MAX};
	struct unwind_table *t;
	struct err e = {0};

	(void)state;
	assert_true(self_source(&source));
	assert_ok(unwind_table_compile(&t, &source, &budget, NULL));
	assert_int_equal(budget.used, t->stats.bytes);
	unwind_table_free(t);

	size_t needed = budget.peak;

	for (size_t limit = 0; limit < needed; limit += 1 + limit / 50) {
		budget = (struct budget){.limit = limit};
		assert_int_equal(unwind_table_compile(&t, &source, &budget, &e), -ENOMEM);
		assert_null(t);
		assert_int_equal(budget.used, 0);
	}
	budget = (struct budget){.limit = needed};
	assert_ok(unwind_table_compile(&t, &source, &budget, NULL));
	unwind_table_free(t);
}

static void the_section_is_found_through_the_header(void **state)
{
	static const char relative[] = {1, 0x1b, 3, 0x3b, 0x10, 0, 0, 0};
	static const char none[] = {1, (char)0xff, 3, 0x3b, 0x10, 0, 0, 0};
	uint64_t address;

	(void)state;
	assert_true(unwind_find_eh_frame(str_of(relative, 8), 0x1000, &address));
	assert_int_equal(address, 0x1014);
	assert_false(unwind_find_eh_frame(str_of(none, 8), 0x1000, &address));
	for (size_t n = 0; n < 8; n++)
		assert_false(unwind_find_eh_frame(str_of(relative, n), 0x1000, &address));
}

TEST_MAIN(test(a_function_with_a_frame_pointer_is_compiled), test(states_are_saved_and_restored),
	  test(rules_that_do_not_fit_a_row_are_in_the_dictionary),
	  test(commands_for_walks_are_compiled), test(unsupported_rules_become_guesses),
	  test(functions_can_be_unordered_and_overlap), test(a_rule_extends_over_pages),
	  test(all_versions_of_entries_are_read),
	  test(an_oversized_entry_is_an_error_after_valid_entries),
	  test(bytes_after_the_terminator_are_ignored),
	  test(missing_call_frame_information_is_an_empty_table),
	  test(code_without_rules_is_recognized_by_its_bytes), test(huge_sizes_allocate_no_memory),
	  test(truncation_at_every_byte_is_safe), test(random_changes_are_safe),
	  test(too_small_budgets_fail_without_leaks), test(the_section_is_found_through_the_header))
