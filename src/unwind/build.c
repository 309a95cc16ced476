/* SPDX-License-Identifier: Apache-2.0 */
/* The builder of tables, its budgeted arrays, and the end of a table. */
#include "unwind/build.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_ELEMENTS = 64 };

int unwind_array_grow(struct unwind_array *a, size_t size, struct budget *budget)
{
	uint32_t cap = a->cap ? a->cap + a->cap / 2 : FIRST_ELEMENTS;
	size_t more = (size_t)(cap - a->cap) * size;
	void *at;

	if (cap < a->cap)
		return -E2BIG;
	if (!budget_take(budget, more))
		return -ENOMEM;
	at = realloc(a->at, cap * size);
	if (!at) {
		budget_give(budget, more);
		return -ENOMEM;
	}
	a->at = at;
	a->cap = cap;
	return 0;
}

void unwind_array_fini(struct unwind_array *a, size_t size, struct budget *budget)
{
	free(a->at);
	budget_give(budget, a->cap * size);
	*a = (struct unwind_array){0};
}

/* Free the spare capacity. If realloc() fails, the array stays as it is. */
static void array_shrink(struct unwind_array *a, size_t size, struct budget *budget)
{
	void *at = a->n ? realloc(a->at, a->n * size) : NULL;

	if (!at)
		return;
	budget_give(budget, (a->cap - a->n) * size);
	a->at = at;
	a->cap = a->n;
}

/* Allocate `count` zeroed words, charged to the budget. Return NULL on failure. */
static uint32_t *words_new(size_t count, struct budget *budget)
{
	uint32_t *words;

	if (!budget_take(budget, count * sizeof(*words)))
		return NULL;
	words = calloc(count, sizeof(*words));
	if (!words)
		budget_give(budget, count * sizeof(*words));
	return words;
}

static void words_free(const uint32_t *words, size_t count, struct budget *budget)
{
	if (words)
		budget_give(budget, count * sizeof(*words));
	free((void *)words);
}

int unwind_builder_init(struct unwind_builder *b, uint64_t start, uint64_t limit,
			struct budget *budget)
{
	uint64_t page_size = 1u << UNWIND_PAGE_BITS;

	*b = (struct unwind_builder){
		.budget = budget,
		.base = start & ~(page_size - 1),
		.running = UNWIND_RULE_GUESS,
	};
	limit = limit > start ? limit : start;
	if (limit - b->base > UNWIND_SPAN_MAX)
		return -E2BIG;
	b->page_count = (uint32_t)((limit - b->base + page_size - 1) >> UNWIND_PAGE_BITS);
	b->pages = words_new((size_t)b->page_count + 1, budget);
	return b->pages ? 0 : -ENOMEM;
}

void unwind_builder_fini(struct unwind_builder *b)
{
	unwind_array_fini(&b->rows, sizeof(uint32_t), b->budget);
	unwind_array_fini(&b->rules, sizeof(struct unwind_rule), b->budget);
	words_free(b->pages, (size_t)b->page_count + 1, b->budget);
	words_free(b->rule_slots, (size_t)b->rule_mask + 1, b->budget);
	b->pages = b->rule_slots = NULL;
}

static void append_row(struct unwind_builder *b, uint32_t row)
{
	if (unlikely(b->rows.n == b->rows.cap)) {
		b->error = unwind_array_grow(&b->rows, sizeof(uint32_t), b->budget);
		if (b->error)
			return;
	}
	uint32_t *rows = b->rows.at;

	if (rows) /* always true here; the check is for static analysis */
		rows[b->rows.n++] = row;
}

/*
 * Advance to `page`. The rule that holds at the end of a page is repeated at the start of the next.
 */
static void go_to_page(struct unwind_builder *b, uint32_t page)
{
	while (b->page < page && !b->error) {
		b->pages[++b->page] = b->rows.n;
		if (b->running != UNWIND_RULE_GUESS)
			append_row(b, b->running);
	}
}

void unwind_builder_add(struct unwind_builder *b, uint64_t address, uint32_t rule)
{
	uint64_t page = (address - b->base) >> UNWIND_PAGE_BITS;
	uint32_t low = (uint32_t)address << UNWIND_RULE_BITS;

	if (address < b->base || page >= b->page_count || b->error)
		return;
	if (page > b->page)
		go_to_page(b, (uint32_t)page);
	if (b->error)
		return;

	bool first = b->rows.n == b->pages[b->page];
	uint32_t *last = first ? NULL : (uint32_t *)b->rows.at + b->rows.n - 1;

	if (last && (*last & ~UNWIND_RULE_MASK) >= low)
		*last = (*last & ~UNWIND_RULE_MASK) | rule;
	else if (rule != b->running)
		append_row(b, low | rule);
	b->running = rule;
}

/* Move the array into the table. */
static void take_array(const void **to, struct unwind_array *from, size_t size,
		       struct budget *budget)
{
	array_shrink(from, size, budget);
	*to = from->at;
}

int unwind_builder_finish(struct unwind_builder *b, struct unwind_table **out)
{
	struct unwind_table *t;
	const void *rows, *rules;

	if (b->error)
		return b->error;
	if (b->page_count && b->page < b->page_count - 1) {
		go_to_page(b, b->page_count - 1);
		if (b->error)
			return b->error;
	}
	b->pages[b->page_count] = b->rows.n;
	if (!budget_take(b->budget, sizeof(*t)))
		return -ENOMEM;
	t = calloc(1, sizeof(*t));
	if (!t) {
		budget_give(b->budget, sizeof(*t));
		return -ENOMEM;
	}
	take_array(&rows, &b->rows, sizeof(uint32_t), b->budget);
	take_array(&rules, &b->rules, sizeof(struct unwind_rule), b->budget);
	*t = (struct unwind_table){
		.base = b->base,
		.page_count = b->page_count,
		.pages = b->pages,
		.rows = rows,
		.rules = rules,
		.budget = b->budget,
		.stats = {.rows = b->rows.n, .rules = b->rules.n, .pages = b->page_count},
	};
	t->own_bytes = sizeof(*t) + ((size_t)b->page_count + 1) * sizeof(uint32_t) +
		       b->rows.cap * sizeof(uint32_t) + b->rules.cap * sizeof(struct unwind_rule);
	t->stats.bytes = t->own_bytes;
	b->rows = b->rules = (struct unwind_array){0};
	b->pages = NULL;
	*out = t;
	return 0;
}

void unwind_table_free(struct unwind_table *t)
{
	if (!t)
		return;

	struct budget *budget = t->budget;

	unwind_table_free(t->rbx);
	budget_give(budget, t->own_bytes);
	free((void *)t->rows);
	free((void *)t->rules);
	free((void *)t->pages);
	free(t);
}

struct unwind_table_stats unwind_table_stats(const struct unwind_table *t)
{
	return t->stats;
}
