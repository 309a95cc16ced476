/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiles .eh_frame into a table in two passes over the section. The first pass notes where
 * functions begin (8 bytes each), which are then sorted; the second pass runs their programs in
 * order of address and appends the rows to the table.
 *
 * A function that overlaps the next one is cut where that begins. Of several functions at one
 * address the last entry counts, as linkers that merge functions leave several. Gaps of more than
 * 15 bytes between functions get rows without a rule; shorter gaps are padding.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/container/sort.h"
#include "unwind/build.h"
#include "unwind/program.h"
#include "unwind/rules.h"

enum { PADDING_MAX = 15 };

struct compiler {
	const struct unwind_source *source;
	struct cfi_reader reader;
	struct unwind_builder builder;
	bool rbx; /* builds the rbx table instead of the main table */
	/* sort_pair: the start of a function, relative to `origin`, and the offset of its entry */
	struct unwind_array functions;
	struct budget *budget;
	uint64_t origin; /* the lowest address that 32-bit pointers reach */
	uint64_t first, limit;
	uint32_t compiled, invalid;
	/* the current function */
	uint64_t end;
	bool signal, understood;
};

/* Return the code from an address on; empty where it is not available. */
static struct str code_at(const struct unwind_source *s, uint64_t address)
{
	return address >= s->text_address ? str_from_at(s->text, address - s->text_address)
					  : (struct str){0};
}

static int note_function(struct compiler *c, const struct cfi_entry *entry)
{
	const struct unwind_source *s = c->source;
	struct cfi_function f;
	uint64_t end;

	if (!cfi_function_of(&c->reader, entry, &f) || f.start < c->origin ||
	    f.start - c->origin >= UNWIND_SPAN_MAX) {
		c->invalid++;
		return 0;
	}
	if (f.start < s->text_address || (s->text_limit && f.start >= s->text_limit))
		return 0; /* an entry of a function that the linker dropped */
	if (c->functions.n == c->functions.cap) {
		int rc = unwind_array_grow(&c->functions, sizeof(struct sort_pair), c->budget);

		if (rc)
			return rc;
	}
	((struct sort_pair *)c->functions.at)[c->functions.n++] = (struct sort_pair){
		.key = (uint32_t)(f.start - c->origin),
		.value = entry->at,
	};
	end = f.start + f.size;
	if (end - c->origin > UNWIND_SPAN_MAX)
		end = c->origin + UNWIND_SPAN_MAX;
	c->first = f.start < c->first ? f.start : c->first;
	c->limit = end > c->limit ? end : c->limit;
	return 0;
}

/* The first pass. Return -EBADMSG at an entry that exceeds the section; earlier ones are noted. */
static int note_functions(struct compiler *c, struct err *e)
{
	struct cfi_entry entry;
	uint32_t at = 0;
	int rc;

	for (;;) {
		rc = cfi_entry_at(&c->reader, at, &entry);
		if (rc)
			return err_set(e, rc, ".eh_frame: the entry at byte %u exceeds the section",
				       at);
		if (entry.kind == CFI_END)
			return 0;
		if (entry.kind == CFI_FDE) {
			rc = note_function(c, &entry);
			if (rc)
				return rc;
		}
		at = entry.next;
	}
}

/* Sort by address; functions at one address stay in the order of their entries. */
static int sort_functions(struct compiler *c)
{
	struct unwind_array *a = &c->functions;
	size_t bytes = a->n * sizeof(struct sort_pair);
	struct sort_pair *functions = a->at, *spare;

	if (a->n < 2)
		return 0;
	if (!budget_take(c->budget, bytes))
		return -ENOMEM;
	spare = malloc(bytes);
	if (!spare) {
		budget_give(c->budget, bytes);
		return -ENOMEM;
	}
	if (sort_pairs(functions, spare, a->n) == spare)
		memcpy(functions, spare, bytes);
	free(spare);
	budget_give(c->budget, bytes);
	return 0;
}

/* Add the row for one state of the current function; called by cfi_run(). */
static void add_row(void *arg, uint64_t address, const struct cfi_state *state)
{
	struct compiler *c = arg;
	bool understood;
	uint32_t rule;

	if (address >= c->end)
		return;
	if (c->rbx) {
		unwind_builder_add(&c->builder, address, unwind_rbx_rule(state));
		return;
	}
	if (c->signal && unwind_is_kernel_frame(state)) {
		/* a handler returns to the first byte, whose rule is looked up at pc - 1 */
		unwind_builder_add(&c->builder, address - (address > c->builder.base),
				   UNWIND_RULE_SIGNAL);
		return;
	}
	rule = unwind_builder_rule(&c->builder, state, &understood);
	c->understood = c->understood && understood;
	unwind_builder_add(&c->builder, address, rule);
}

/* Run the program of one function, which is cut at `next`. Return where the function ends. */
static uint64_t add_function(struct compiler *c, const struct sort_pair *p, uint64_t next)
{
	struct cfi_entry entry;
	struct cfi_function f;

	/* both succeeded in note_functions() */
	if (cfi_entry_at(&c->reader, p->value, &entry) || !cfi_function_of(&c->reader, &entry, &f))
		return c->origin + p->key;
	if (f.size > next - f.start)
		f.size = next - f.start;
	c->end = f.start + f.size;
	c->signal = f.cie->signal;
	c->understood = true;
	if (!cfi_run(&f, add_row, c))
		c->understood = false;
	c->compiled++;
	c->invalid += !c->understood;
	return c->end;
}

static void add_gap(struct compiler *c, uint64_t start, uint64_t limit)
{
	struct str code = c->rbx ? (struct str){0} : code_at(c->source, start);

	unwind_builder_add_gap(&c->builder, start, limit, code);
}

/* The second pass. */
static void add_functions(struct compiler *c)
{
	const struct sort_pair *functions = c->functions.at;
	uint32_t count = c->functions.n;
	uint64_t end = c->first;

	for (uint32_t i = 0; i < count && !c->builder.error; i++) {
		uint64_t start = c->origin + functions[i].key;
		uint64_t next = i + 1 < count ? c->origin + functions[i + 1].key : c->limit;

		if (next == start)
			continue; /* a later entry describes the same address */
		if (start - end > PADDING_MAX)
			add_gap(c, end, start);
		end = add_function(c, &functions[i], next);
	}
	if (end <= c->limit)
		add_gap(c, end, c->limit);
}

/* Set the range of the table: the text if it is given, else the range of the functions. */
static void set_range(struct compiler *c)
{
	const struct unwind_source *s = c->source;

	if (!c->functions.n)
		c->first = c->limit = s->text_address;
	if (s->text.n && s->text_address < c->first)
		c->first = s->text_address;
	if (s->text_limit && (s->text_limit < c->limit || s->text.n))
		c->limit = s->text_limit;
	if (c->limit < c->first)
		c->limit = c->first;
}

static int run_builder(struct compiler *c, struct unwind_table **out)
{
	int rc = unwind_builder_init(&c->builder, c->first, c->limit, c->budget);

	if (!rc) {
		add_functions(c);
		rc = unwind_builder_finish(&c->builder, out);
	}
	return rc;
}

/* Make the table, and the rbx table if the CFA of some frame is computed from rbx. */
static int make_table(struct compiler *c, struct unwind_table **out)
{
	struct unwind_table *t = NULL;
	int rc = run_builder(c, &t);

	if (rc)
		return rc;
	t->stats.functions = c->compiled;
	t->stats.invalid = c->invalid;
	c->rbx = c->builder.by_rbx;
	unwind_builder_fini(&c->builder);
	if (c->rbx) {
		rc = run_builder(c, &t->rbx);
		if (rc) {
			unwind_table_free(t);
			return rc;
		}
		t->stats.bytes += t->rbx->stats.bytes;
	}
	*out = t;
	return 0;
}

int unwind_table_compile(struct unwind_table **out, const struct unwind_source *source,
			 struct budget *budget, struct err *e)
{
	struct compiler c = {.source = source, .budget = budget, .first = UINT64_MAX};
	struct cfi_section section = {
		.bytes = (const uint8_t *)source->eh_frame.p,
		.size = (uint32_t)source->eh_frame.n,
		.address = source->eh_frame_address,
	};
	int rc, bad;

	*out = NULL;
	if (source->eh_frame.n > UINT32_MAX)
		return err_set(e, -E2BIG, ".eh_frame: %zu bytes, more than 4 GiB",
			       source->eh_frame.n);
	cfi_reader_init(&c.reader, section);
	c.origin =
		section.address > UNWIND_SPAN_MAX / 2 ? section.address - UNWIND_SPAN_MAX / 2 : 0;
	bad = note_functions(&c, e);
	rc = bad == -EBADMSG ? 0 : bad;
	if (!rc)
		rc = sort_functions(&c);
	if (rc)
		goto out;
	set_range(&c);
	rc = make_table(&c, out);
	if (!rc)
		rc = bad;
out:
	unwind_array_fini(&c.functions, sizeof(struct sort_pair), budget);
	unwind_builder_fini(&c.builder);
	return rc == -ENOMEM || rc == -E2BIG ? err_errno(e, rc, "compiling unwind rules") : rc;
}
