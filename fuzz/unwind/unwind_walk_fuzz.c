/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks over arbitrary stacks, registers and rules: they end and read only the memory that they
 * may. The rows and the dictionary of the table come from the input as well, so that every rule
 * occurs.
 */
#include "fuzz.h"

#include <string.h>

#include "unwind/table.h"

enum { RULES = 8, ROWS = 32, FRAMES = 64 };

/* Memory for `read`: unreadable below, the input's bytes above. */
struct outside {
	const uint8_t *bytes;
	size_t size;
};

static bool read_outside(void *arg, uint64_t address, uint64_t *word)
{
	struct outside *o = arg;

	if (o->size < 8 || !(address & 64))
		return false;
	memcpy(word, o->bytes + address % (o->size - 7), 8);
	return true;
}

/* Make a page of rows from the input, sorted and with valid dictionary indexes. */
static size_t make_rows(uint32_t rows[ROWS], const uint8_t *data, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < ROWS && 4 * i + 4 <= size; i++) {
		uint32_t row, rule;

		memcpy(&row, data + 4 * i, 4);
		rule = row & UNWIND_RULE_MASK;
		if (rule >> UNWIND_KIND_SHIFT == UNWIND_KIND_DICTIONARY)
			rule = (uint32_t)UNWIND_KIND_DICTIONARY << UNWIND_KIND_SHIFT | rule % RULES;
		rows[n++] = (uint32_t)(i * 128) << UNWIND_RULE_BITS | rule;
	}
	return n;
}

/*
 * Words outside of the trace do not matter: a walk over a stack with only the traced words gives
 * the same result.
 */
static void check_trace(const struct unwind_space *space, struct unwind_regs *regs,
			struct unwind_memory *memory, const uint64_t *pcs, uint32_t n)
{
	struct unwind_trace trace = *memory->trace;
	uint64_t again[FRAMES];
	enum unwind_end end;

	memset((char *)(uintptr_t)(memory->low + (uint64_t)memory->shift), 0x5a,
	       memory->high - memory->low);
	for (uint32_t i = 0; i < trace.n; i++)
		memcpy((char *)(uintptr_t)(trace.words[i].address + (uint64_t)memory->shift),
		       &trace.words[i].value, 8);
	if (!trace.fp_used)
		regs->fp ^= 0x5a50;
	FUZZ_CHECK(unwind_walk(space, regs, memory, again, FRAMES, &end) == n);
	FUZZ_CHECK(memcmp(again, pcs, n * sizeof(*pcs)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unwind_regs regs = {0};
	struct unwind_rule rules[RULES];
	uint32_t rows[ROWS], pages[2] = {0};
	uint64_t pcs[FRAMES];
	enum unwind_end end;
	size_t fixed = sizeof(regs.gpr) + 3 * 8 + sizeof(rules) + sizeof(rows);

	if (size < fixed)
		return 0;
	memcpy(&regs, data, 3 * 8);
	memcpy(regs.gpr, data + 3 * 8, sizeof(regs.gpr));
	regs.gpr_known = data[0] & 1;
	regs.pc_is_return = data[0] >> 1 & 1;
	memcpy(rules, data + 3 * 8 + sizeof(regs.gpr), sizeof(rules));
	pages[1] = (uint32_t)make_rows(rows, data + fixed - sizeof(rows), sizeof(rows));

	struct unwind_table table = {
		.base = 0x1000, .page_count = 1, .pages = pages, .rows = rows, .rules = rules};
	struct unwind_range ranges[2] = {{.start = 0x1000, .limit = 0x2000, .table = &table},
					 {.start = 0x5000, .limit = 0x9000}};
	struct unwind_space space = {ranges, 2};
	struct outside outside = {data, size};
	size_t words = (size - fixed) / 8 * 8;
	/* allocated with its exact size, so that ASan finds reads beyond it */
	char *stack = malloc(words ? words : 1);

	FUZZ_CHECK(stack);
	memcpy(stack, data + fixed, words);

	struct unwind_memory memory = {.low = 0x7000,
				       .high = 0x7000 + words,
				       .read = data[0] & 4 ? read_outside : NULL,
				       .arg = &outside};

	memory.shift = (ptrdiff_t)((uint64_t)(uintptr_t)stack - memory.low);

	struct unwind_trace trace;
	struct unwind_regs again = regs;

	memory.trace = &trace;

	uint32_t n = unwind_walk(&space, &regs, &memory, pcs, FRAMES, &end);

	FUZZ_CHECK(n >= 1 && n <= FRAMES && end <= UNWIND_NO_PROGRESS);
	if (trace.n <= UNWIND_TRACE_WORDS)
		check_trace(&space, &again, &memory, pcs, n);
	free(stack);
	return 0;
}
