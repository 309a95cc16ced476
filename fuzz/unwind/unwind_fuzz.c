/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiler of unwind rules on arbitrary bytes. The first four bytes set the size of the text
 * and the addresses of section and text. The result must be a valid table for any input, and walks
 * over it must end.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "unwind/table.h"

enum { STACK_WORDS = 256, FRAMES = 128 };

static void check_rows(const struct unwind_table *t)
{
	for (uint32_t page = 0; page < t->page_count; page++) {
		FUZZ_CHECK(t->pages[page] <= t->pages[page + 1]);
		for (uint32_t i = t->pages[page]; i < t->pages[page + 1]; i++) {
			uint32_t row = t->rows[i], rule = row & UNWIND_RULE_MASK;

			FUZZ_CHECK(i == t->pages[page] ||
				   row >> UNWIND_RULE_BITS > t->rows[i - 1] >> UNWIND_RULE_BITS);
			FUZZ_CHECK(rule >> UNWIND_KIND_SHIFT != UNWIND_KIND_DICTIONARY ||
				   (rule & UNWIND_INDEX_MAX) < t->stats.rules);
		}
	}
	FUZZ_CHECK(t->pages[t->page_count] == t->stats.rows);
}

/*
 * Walk over a stack whose words are addresses in the table and in the stack, chosen by the input.
 */
static void walk_over(const struct unwind_table *t, struct str seed)
{
	uint64_t words[STACK_WORDS], pcs[FRAMES];
	struct unwind_range range = {
		.start = t->base,
		.limit = t->base + ((uint64_t)t->page_count << UNWIND_PAGE_BITS),
		.table = t,
	};
	struct unwind_space space = {&range, 1};
	struct unwind_memory memory = {.low = 0x7000000, .high = 0x7000000 + sizeof(words)};
	enum unwind_end end;

	if (!seed.n || !t->page_count)
		return;
	memory.shift = (ptrdiff_t)((uint64_t)(uintptr_t)words - memory.low);
	for (size_t i = 0; i < STACK_WORDS; i++) {
		uint8_t byte = (uint8_t)seed.p[i % seed.n];
		uint64_t in_text = ((uint64_t)byte * 2654435761u + i * 97) %
				   ((uint64_t)t->page_count << UNWIND_PAGE_BITS);

		words[i] = byte & 1 ? t->base + in_text : memory.low + 8 * (uint64_t)byte;
	}
	for (size_t i = 0; i < 16 && i < t->stats.rows; i++) {
		struct unwind_regs regs = {.pc = words[i] | 1,
					   .sp = memory.low + 8 * (i & 7),
					   .fp = memory.low + 8 * (uint64_t)(uint8_t)seed.p[0],
					   .gpr_known = i & 1};

		memcpy(regs.gpr, words, sizeof(regs.gpr));

		uint32_t n = unwind_walk(&space, &regs, &memory, pcs, FRAMES, &end);

		FUZZ_CHECK(n >= 1 && n <= FRAMES && end <= UNWIND_NO_PROGRESS);
		FUZZ_CHECK((n == FRAMES) >= (end == UNWIND_FULL));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct unwind_source source = {.eh_frame_address = 0x100000};
	struct unwind_table *t = NULL;
	struct err e = {0};

	if (size < 4)
		return 0;

	size_t text = min_size(size - 4, (size_t)data[0] * 4);

	source.text = str_of((const char *)data + 4, text);
	source.text_address = (uint64_t)data[1] << 8;
	/* without a limit the text has 4 GB, which is slow and therefore tested rarely */
	source.text_limit = data[2] == 255 && data[3] >> 5 == 7
				    ? 0
				    : source.text_address + (((uint64_t)data[2] + 1) << 12);
	source.eh_frame = str_of((const char *)data + 4 + text, size - 4 - text);
	source.eh_frame_address <<= data[3] & 31;

	int rc = unwind_table_compile(&t, &source, &budget, &e);

	FUZZ_CHECK(rc == 0 || rc == -EBADMSG || rc == -E2BIG);
	FUZZ_CHECK(!rc || e.text[0]);
	FUZZ_CHECK(!t == (rc == -E2BIG));
	if (t) {
		check_rows(t);
		walk_over(t, source.eh_frame);
		FUZZ_CHECK(budget.used == t->stats.bytes);
	}
	unwind_table_free(t);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
