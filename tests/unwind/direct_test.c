/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules that are looked up individually, compared with compiled tables: for each loaded module,
 * both must be equal at the first and the last byte of each row.
 */
#include "unwind/direct.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>

#include "test/self_space.h"
#include "test/test.h"
#include "unwind/table.h"

static uint64_t scratch[UNWIND_SCRATCH / 8];

static bool copy_own(void *arg, uint64_t address, void *to, size_t n)
{
	(void)arg;
	memcpy(to, (const void *)(uintptr_t)address, n);
	return true;
}

static bool copy_nothing(void *arg, uint64_t address, void *to, size_t n)
{
	(void)arg, (void)address, (void)to, (void)n;
	return false;
}

struct count {
	uint32_t rows, same, gaps, bad;
};

static bool same_entry(const struct unwind_table *t, uint32_t rule, const struct unwind_found *f)
{
	return f->rule >> UNWIND_KIND_SHIFT == UNWIND_KIND_DICTIONARY &&
	       !memcmp(&t->rules[rule & UNWIND_INDEX_MAX], &f->entry, sizeof(f->entry));
}

/*
 * Compare at one address. Only a table recognizes code without rules by its bytes (a PLT, the byte
 * before a return from a signal); a lookup guesses there.
 */
static void compare_at(const struct unwind_range *range, uint64_t address, struct count *count)
{
	struct unwind_memory memory = {.copy = copy_own, .scratch = scratch};
	uint32_t rule = unwind_table_find(range->table, address);
	struct unwind_found found;

	unwind_direct_find(range, address + range->bias, &memory, &found);
	count->rows++;
	if (rule >> UNWIND_KIND_SHIFT == UNWIND_KIND_DICTIONARY
		    ? same_entry(range->table, rule, &found)
		    : rule == found.rule)
		count->same++;
	else if (found.rule == UNWIND_RULE_GUESS)
		count->gaps++;
	else
		count->bad++;
	if (range->table->rbx && found.rule != UNWIND_RULE_GUESS)
		assert_int_equal(found.rbx, unwind_table_find(range->table->rbx, address));
}

static void compare_all(const struct unwind_range *range, struct count *count)
{
	const struct unwind_table *t = range->table;

	for (uint32_t page = 0; page < t->page_count; page++) {
		uint64_t base = t->base + ((uint64_t)page << UNWIND_PAGE_BITS);

		for (uint32_t i = t->pages[page]; i < t->pages[page + 1]; i++) {
			uint64_t address = base + (t->rows[i] >> UNWIND_RULE_BITS);

			if (address + range->bias >= range->limit)
				continue;
			compare_at(range, address, count);
			if (address + range->bias > range->start)
				compare_at(range, address - 1, count);
		}
	}
}

struct visit {
	struct self_space *self;
	unsigned modules;
};

static bool prepare(struct unwind_direct *d, const struct dl_phdr_info *m, uint64_t text_limit)
{
	for (size_t i = 0; i < m->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &m->dlpi_phdr[i];
		struct str hdr = str_of((const char *)m->dlpi_addr + p->p_vaddr, p->p_memsz);
		uint64_t limit = 0;

		if (p->p_type != PT_GNU_EH_FRAME)
			continue;
		for (size_t k = 0; k < m->dlpi_phnum; k++) {
			const ElfW(Phdr) *s = &m->dlpi_phdr[k];

			if (s->p_type == PT_LOAD && p->p_vaddr - s->p_vaddr < s->p_memsz)
				limit = s->p_vaddr + s->p_filesz;
		}
		return !unwind_direct_init(d, hdr, p->p_vaddr, limit, text_limit);
	}
	return false;
}

static int visit_module(struct dl_phdr_info *m, size_t size, void *arg)
{
	struct visit *v = arg;

	(void)size;
	for (uint32_t i = 0; i < v->self->space.count; i++) {
		struct unwind_range range = v->self->ranges[i];
		struct unwind_direct d = {0};
		struct count count = {0};

		if (range.bias != m->dlpi_addr || !range.table ||
		    !prepare(&d, m, range.limit - range.bias))
			continue;
		range.direct = &d;
		compare_all(&range, &count);
		if (count.bad || count.gaps * 50 > count.rows + 1000)
			fail_msg("%s: of %u places %u are the same, %u are gaps, %u differ",
				 m->dlpi_name, count.rows, count.same, count.gaps, count.bad);
		assert_true(atomic_load(&d.lookups) >= count.rows);
		v->modules++;
		unwind_direct_fini(&d);
	}
	return 0;
}

static void a_looked_up_rule_equals_the_rule_of_the_table(void **state)
{
	struct self_space self;
	struct visit v = {.self = &self};

	(void)state;
	assert_ok(self_space_init(&self, NULL, NULL));
	dl_iterate_phdr(visit_module, &v);
	assert_true(v.modules >= 2); /* at least the program and libc */
	self_space_fini(&self);
}

/* A writable copy of a module, to corrupt it. */
struct image {
	uint8_t *bytes;
	size_t size;
	uint64_t hdr, hdr_size;
};

static int copy_program(struct dl_phdr_info *m, size_t size, void *arg)
{
	struct image *image = arg;

	(void)size;
	for (size_t i = 0; i < m->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &m->dlpi_phdr[i];

		if (p->p_type != PT_GNU_EH_FRAME)
			continue;
		for (size_t k = 0; k < m->dlpi_phnum; k++) {
			const ElfW(Phdr) *s = &m->dlpi_phdr[k];

			if (s->p_type != PT_LOAD || p->p_vaddr - s->p_vaddr >= s->p_memsz)
				continue;
			image->size = s->p_filesz;
			image->bytes = calloc(1, image->size);
			image->hdr = p->p_vaddr - s->p_vaddr;
			/* only from there on; variables with red zones precede it */
			memcpy(image->bytes + image->hdr, (const void *)(m->dlpi_addr + p->p_vaddr),
			       image->size - image->hdr);
			image->hdr_size = p->p_memsz;
		}
	}
	return 1;
}

static struct image *spoiled;

/* Addresses are offsets in the image; a copy must lie completely inside. */
static bool copy_image(void *arg, uint64_t address, void *to, size_t n)
{
	(void)arg;
	if (address > spoiled->size || n > spoiled->size - address)
		return false;
	memcpy(to, spoiled->bytes + address, n);
	return true;
}

static void corrupted_bytes_are_safe(void **state)
{
	struct image image = {0};
	struct unwind_memory memory = {.copy = copy_image, .scratch = scratch};
	unsigned good = 0;

	(void)state;
	dl_iterate_phdr(copy_program, &image);
	assert_non_null(image.bytes);
	spoiled = &image;
	srand(1);
	for (unsigned round = 0; round < 20000; round++) {
		struct unwind_direct d;
		struct unwind_found found;
		uint8_t *at = image.bytes + image.hdr + (size_t)rand() % (image.size - image.hdr);
		uint8_t before = *at;
		struct str hdr = str_of((const char *)image.bytes + image.hdr, image.hdr_size);

		*at = (uint8_t)rand();
		if (!unwind_direct_init(&d, hdr, image.hdr, image.size, UINT64_MAX / 2)) {
			struct unwind_range range = {.limit = UINT64_MAX, .direct = &d};
			uint32_t n = (uint32_t)rand() % d.count / UNWIND_STRIDE;
			uint64_t address = image.hdr + (uint64_t)(int64_t)d.index[n];

			unwind_direct_find(&range, address + (uint64_t)(rand() % 256), &memory,
					   &found);
			good += found.rule != UNWIND_RULE_GUESS;
			unwind_direct_fini(&d);
		}
		if (rand() % 64)
			*at = before; /* some bytes stay corrupted */
	}
	assert_true(good > 1000);
	free(image.bytes);
}

static void an_unloaded_module_has_no_rules(void **state)
{
	int32_t index[1] = {-4096};
	struct unwind_direct d = {.hdr_address = 8192,
				  .table_address = 8204,
				  .eh_frame_address = 9000,
				  .eh_frame_limit = 10000,
				  .text_limit = 8192,
				  .count = 10,
				  .index = index};
	struct unwind_range range = {.start = 4096, .limit = 8192, .direct = &d};
	struct unwind_memory memory = {.copy = copy_nothing, .scratch = scratch};
	struct unwind_found found;

	(void)state;
	unwind_direct_find(&range, 5000, &memory, &found);
	assert_int_equal(found.rule, UNWIND_RULE_GUESS);
	assert_true(atomic_load(&d.lookups) >= UNWIND_LOOKUPS_MANY); /* a table is requested */
	memory.scratch = NULL;
	unwind_direct_find(&range, 5000, &memory, &found);
	assert_int_equal(found.rule, UNWIND_RULE_GUESS);
}

static void an_unsupported_header_is_rejected(void **state)
{
	static const uint8_t other[] = {1, 0x1b, 3, 0x0b, 0, 0, 0, 0, 1, 0,
					0, 0,	 0, 0,	  0, 0, 0, 0, 0, 0};
	static const uint8_t lies[] = {1, 0x1b, 3, 0x3b, 0, 0, 0, 0, 9, 0,
				       0, 0,	0, 0,	 0, 0, 0, 0, 0, 0};
	struct unwind_direct d;

	(void)state;
	assert_int_equal(
		unwind_direct_init(&d, str_of((const char *)other, sizeof(other)), 64, 4096, 4096),
		-ENOTSUP);
	assert_int_equal(
		unwind_direct_init(&d, str_of((const char *)lies, sizeof(lies)), 64, 4096, 4096),
		-ENOTSUP);
	for (size_t n = 0; n < sizeof(lies); n++)
		assert_int_equal(
			unwind_direct_init(&d, str_of((const char *)lies, n), 64, 4096, 4096),
			-ENOTSUP);
}

TEST_MAIN(test(a_looked_up_rule_equals_the_rule_of_the_table), test(corrupted_bytes_are_safe),
	  test(an_unloaded_module_has_no_rules), test(an_unsupported_header_is_rejected))
