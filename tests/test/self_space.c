/* SPDX-License-Identifier: Apache-2.0 */
#include "test/self_space.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>

struct visit {
	struct self_space *space;
	struct budget *budget;
	struct err *e;
	int rc;
};

/* Return the segment of the module that contains the address. */
static const ElfW(Phdr) * segment_of(const struct dl_phdr_info *m, uint64_t address)
{
	for (size_t i = 0; i < m->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &m->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && address - p->p_vaddr < p->p_memsz)
			return p;
	}
	return NULL;
}

static void find_eh_frame(const struct dl_phdr_info *m, struct unwind_source *source)
{
	for (size_t i = 0; i < m->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &m->dlpi_phdr[i], *segment;
		uint64_t address;
		struct str hdr = str_of((const char *)m->dlpi_addr + p->p_vaddr, p->p_memsz);

		if (p->p_type != PT_GNU_EH_FRAME ||
		    !unwind_find_eh_frame(hdr, p->p_vaddr, &address))
			continue;
		segment = segment_of(m, address);
		if (!segment)
			continue;
		source->eh_frame_address = address;
		source->eh_frame = str_of((const char *)m->dlpi_addr + address,
					  segment->p_vaddr + segment->p_memsz - address);
	}
}

static struct unwind_source source_of(const struct dl_phdr_info *m, const ElfW(Phdr) * p)
{
	struct unwind_source source = {
		.text = str_of((const char *)m->dlpi_addr + p->p_vaddr, p->p_memsz),
		.text_address = p->p_vaddr,
		.text_limit = p->p_vaddr + p->p_memsz,
	};

	find_eh_frame(m, &source);
	return source;
}

static int add_module(struct visit *v, const struct dl_phdr_info *m, const ElfW(Phdr) * p)
{
	struct self_space *s = v->space;
	uint32_t n = s->space.count;
	struct unwind_source source = source_of(m, p);
	int rc;

	if (n == SELF_MODULES_MAX)
		return -E2BIG;
	rc = unwind_table_compile(&s->tables[n], &source, v->budget, v->e);
	if (rc)
		return rc;
	s->ranges[n] = (struct unwind_range){
		.start = m->dlpi_addr + p->p_vaddr,
		.limit = m->dlpi_addr + p->p_vaddr + p->p_memsz,
		.bias = m->dlpi_addr,
		.table = s->tables[n],
	};
	s->space.count++;
	return 0;
}

static int visit_module(struct dl_phdr_info *m, size_t size, void *arg)
{
	struct visit *v = arg;

	(void)size;
	for (size_t i = 0; i < m->dlpi_phnum && !v->rc; i++)
		if (m->dlpi_phdr[i].p_type == PT_LOAD && m->dlpi_phdr[i].p_flags & PF_X)
			v->rc = add_module(v, m, &m->dlpi_phdr[i]);
	return v->rc;
}

static int by_start(const void *a, const void *b)
{
	const struct unwind_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

int self_space_init(struct self_space *s, struct budget *budget, struct err *e)
{
	struct visit v = {.space = s, .budget = budget, .e = e};

	*s = (struct self_space){.space.ranges = s->ranges};
	dl_iterate_phdr(visit_module, &v);
	qsort(s->ranges, s->space.count, sizeof(s->ranges[0]), by_start);
	return v.rc;
}

void self_space_fini(struct self_space *s)
{
	for (uint32_t i = 0; i < SELF_MODULES_MAX; i++)
		unwind_table_free(s->tables[i]);
	*s = (struct self_space){0};
}

static int visit_first(struct dl_phdr_info *m, size_t size, void *arg)
{
	(void)size;
	for (size_t i = 0; i < m->dlpi_phnum; i++)
		if (m->dlpi_phdr[i].p_type == PT_LOAD && m->dlpi_phdr[i].p_flags & PF_X)
			*(struct unwind_source *)arg = source_of(m, &m->dlpi_phdr[i]);
	return 1; /* the first module is the program itself */
}

bool self_source(struct unwind_source *source)
{
	*source = (struct unwind_source){0};
	dl_iterate_phdr(visit_first, source);
	return source->eh_frame.n > 0;
}

struct unwind_memory self_stack(void)
{
	struct unwind_memory memory = {0};
	pthread_attr_t attributes;
	void *low;
	size_t size;

	if (pthread_getattr_np(pthread_self(), &attributes))
		return memory;
	if (!pthread_attr_getstack(&attributes, &low, &size)) {
		memory.low = (uint64_t)(uintptr_t)low;
		memory.high = memory.low + size;
	}
	pthread_attr_destroy(&attributes);
	return memory;
}
