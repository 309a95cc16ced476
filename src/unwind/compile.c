/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From .eh_frame to a table, in two walks over the section: the first one notes where functions begin (8 bytes each), which are
 * then sorted; the second runs their programs in order of address and writes the rows where they stay.
 *
 * Functions that overlap are cut where the next one begins; of those that begin at one address the last entry counts, as
 * linkers that merge functions leave several. Gaps of more than 15 bytes between functions get rows that say so; less
 * is padding.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/container/sort.h"
#include "unwind/build.h"

enum { PADDING_MAX = 15 };

struct compiler {
	const struct unwind_source *source;
	struct cfi_reader reader;
	struct unwind_builder builder;
	bool rbx; /* the table of rbx is under work, not the table */
	struct unwind_array
		places; /* sort_pair: where a function begins, from `origin` on, and where its entry is */
	struct budget *budget;
	uint64_t origin; /* the lowest address that 32 bits reach */
	uint64_t first, limit;
	uint32_t functions, invalid;
	/* the function under work */
	uint64_t end;
	bool signal, understood;
};

/* The bytes of code from an address on. */
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
		return 0; /* left over of a function that the linker dropped */
	if (c->places.n == c->places.cap) {
		int rc = unwind_array_grow(&c->places, sizeof(struct sort_pair), c->budget);

		if (rc)
			return rc;
	}
	((struct sort_pair *)c->places.at)[c->places.n++] = (struct sort_pair){
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

/* The first walk. -EBADMSG when an entry does not fit; what was before it is noted. */
static int collect(struct compiler *c, struct err *e)
{
	struct cfi_entry entry;
	uint32_t at = 0;
	int rc;

	for (;;) {
		rc = cfi_entry_at(&c->reader, at, &entry);
		if (rc)
			return err_set(e, rc,
				       "at byte %u: expected an entry of .eh_frame, found one that "
				       "does not fit",
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

/* Sort by address; those at one address stay in the order of their entries. */
static int sort(struct compiler *c)
{
	struct unwind_array *a = &c->places;
	size_t bytes = a->n * sizeof(struct sort_pair);
	struct sort_pair *places = a->at, *spare;

	if (a->n < 2)
		return 0;
	if (!budget_take(c->budget, bytes))
		return -ENOMEM;
	spare = malloc(bytes);
	if (!spare) {
		budget_give(c->budget, bytes);
		return -ENOMEM;
	}
	if (sort_pairs(places, spare, a->n) == spare)
		memcpy(places, spare, bytes);
	free(spare);
	budget_give(c->budget, bytes);
	return 0;
}

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
		/* a handler returns to the first byte, which is looked up one byte earlier */
		unwind_builder_add(&c->builder, address - (address > c->builder.base),
				   UNWIND_RULE_SIGNAL);
		return;
	}
	rule = unwind_builder_rule(&c->builder, state, &understood);
	c->understood = c->understood && understood;
	unwind_builder_add(&c->builder, address, rule);
}

/* Run one function, which ends where the next begins at the latest. Returns where it ended. */
static uint64_t add_function(struct compiler *c, const struct sort_pair *p, uint64_t next)
{
	struct cfi_entry entry;
	struct cfi_function f;

	/* both were good when they were collected */
	if (cfi_entry_at(&c->reader, p->value, &entry) || !cfi_function_of(&c->reader, &entry, &f))
		return c->origin + p->key;
	if (f.size > next - f.start)
		f.size = next - f.start;
	c->end = f.start + f.size;
	c->signal = f.cie->signal;
	c->understood = true;
	if (!cfi_run(&f, add_row, c))
		c->understood = false;
	c->functions++;
	c->invalid += !c->understood;
	return c->end;
}

static void add_gap(struct compiler *c, uint64_t start, uint64_t limit)
{
	struct str code = c->rbx ? (struct str){0} : code_at(c->source, start);

	unwind_builder_gap(&c->builder, start, limit, code);
}

/* The second walk. */
static void add_functions(struct compiler *c)
{
	const struct sort_pair *places = c->places.at;
	uint64_t end = c->first;

	for (uint32_t i = 0; i < c->places.n && !c->builder.error; i++) {
		uint64_t start = c->origin + places[i].key;
		uint64_t next = i + 1 < c->places.n ? c->origin + places[i + 1].key : c->limit;

		if (next == start)
			continue; /* there is a later entry for it */
		if (start - end > PADDING_MAX)
			add_gap(c, end, start);
		end = add_function(c, &places[i], next);
	}
	if (end <= c->limit)
		add_gap(c, end, c->limit);
}

/* The range that the table is about: the text if it is given, else what has functions. */
static void set_range(struct compiler *c)
{
	const struct unwind_source *s = c->source;

	if (!c->places.n)
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

/* The table, and that of rbx where frames are found by it. */
static int make_table(struct compiler *c, struct unwind_table **out)
{
	struct unwind_table *t = NULL;
	int rc = run_builder(c, &t);

	if (rc)
		return rc;
	t->stats.functions = c->functions;
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
		return err_set(e, -E2BIG, "an .eh_frame of %zu bytes", source->eh_frame.n);
	cfi_reader_init(&c.reader, section);
	c.origin =
		section.address > UNWIND_SPAN_MAX / 2 ? section.address - UNWIND_SPAN_MAX / 2 : 0;
	bad = collect(&c, e);
	rc = bad == -EBADMSG ? 0 : bad;
	if (!rc)
		rc = sort(&c);
	if (rc)
		goto out;
	set_range(&c);
	rc = make_table(&c, out);
	if (!rc)
		rc = bad;
out:
	unwind_array_fini(&c.places, sizeof(struct sort_pair), budget);
	unwind_builder_fini(&c.builder);
	return rc == -ENOMEM || rc == -E2BIG ? err_errno(e, rc, "compiling unwind rules") : rc;
}
