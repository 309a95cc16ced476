/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks loaded modules, and publishes spaces whose predecessors are freed after the last walk. */
#include "sdk/collect/modules.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/container/vec.h"
#include "sdk/hook/guest.h"
#include "unwind/direct.h"

enum {
	GONE_MAX = 1024, /* unloaded modules that are remembered */
	MODULES_MAX = 8192,
	CACHE_WORDS = 4096,   /* of the rule cache: 32 KB */
	BYTES_A_LOOKUP = 200, /* of .eh_frame, compiled in the time of one lookup */
};

/* A published space; immutable. owners[i] is the module of ranges[i]. */
struct space {
	struct unwind_space unwind;
	struct unwind_range *ranges;
	struct module **owners;
	_Atomic uint64_t *cache;
	struct space *next_retired;
	struct dead { /* used by this and older spaces only */
		struct unwind_table *table;
		struct unwind_direct *direct;
	} * dead;
	uint32_t dead_count;
};

struct modules {
	struct budget *budget;
	struct module **all; /* the program first */
	uint32_t count, capacity;
	unsigned long long adds, subs; /* of dl_iterate_phdr(), at the last check */
	bool can_copy;		       /* guest_copy() works in this process */
	_Atomic(struct space *) current;
	uint64_t spaces; /* number of spaces made */
	struct space *retired;
};

static void direct_free(struct unwind_direct *d)
{
	if (d)
		unwind_direct_fini(d);
	free(d);
}

static void space_free(struct space *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->dead_count; i++) {
		unwind_table_free(s->dead[i].table);
		direct_free(s->dead[i].direct);
	}
	free(s->dead);
	free(s->ranges);
	free(s->owners);
	free(s->cache);
	free(s);
}

static void module_free(struct module *m)
{
	if (!m)
		return;
	unwind_table_free(m->table);
	direct_free(m->direct);
	free(m->path);
	free(m);
}

/* The program headers of one object. */
struct object {
	const struct dl_phdr_info *info;
	const ElfW(Phdr) * text, *frames, *notes[8];
	uint32_t note_count;
};

static struct object read_program_headers(const struct dl_phdr_info *info)
{
	struct object o = {.info = info};

	for (uint32_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type == PT_LOAD && (header->p_flags & PF_X) && !o.text)
			o.text = header;
		else if (header->p_type == PT_GNU_EH_FRAME)
			o.frames = header;
		else if (header->p_type == PT_NOTE && o.note_count < countof(o.notes))
			o.notes[o.note_count++] = header;
	}
	return o;
}

static const char *mapped(const struct object *o, uint64_t address)
{
	return (const char *)(uintptr_t)(o->info->dlpi_addr + address);
}

static void read_build_id(struct module *m, const struct object *o)
{
	for (uint32_t i = 0; i < o->note_count; i++) {
		const char *at = mapped(o, o->notes[i]->p_vaddr), *end = at + o->notes[i]->p_memsz;

		while (end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
			ElfW(Nhdr) note;
			size_t name_size, size;

			memcpy(&note, at, sizeof(note));
			name_size = (note.n_namesz + 3u) & ~3u;
			size = sizeof(note) + name_size + ((note.n_descsz + 3u) & ~3u);
			if (size > (size_t)(end - at))
				break;
			if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			    !memcmp(at + sizeof(note), "GNU", 4)) {
				m->build_id_size =
					(uint32_t)min_size(note.n_descsz, sizeof(m->build_id));
				memcpy(m->build_id, at + sizeof(note) + name_size,
				       m->build_id_size);
				return;
			}
			at += size;
		}
	}
}

/* Return the end of the segment that has the address, up to which may be read; 0: none. */
static uint64_t segment_end(const struct object *o, uint64_t address)
{
	for (uint32_t i = 0; i < o->info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &o->info->dlpi_phdr[i];

		if (header->p_type == PT_LOAD && address >= header->p_vaddr &&
		    address < header->p_vaddr + header->p_filesz)
			return header->p_vaddr + header->p_filesz;
	}
	return 0;
}

/*
 * Compile the rules of an object from its mapped .eh_frame, found by .eh_frame_hdr. Having no table
 * is no error.
 */
static void compile_table(struct modules *all, struct module *m, const struct object *o)
{
	struct unwind_source source = {0};
	uint64_t end;

	if (!o->frames ||
	    !unwind_find_eh_frame(str_of(mapped(o, o->frames->p_vaddr), o->frames->p_memsz),
				  o->frames->p_vaddr, &source.eh_frame_address))
		return;
	end = segment_end(o, source.eh_frame_address);
	if (!end)
		return;
	source.eh_frame =
		str_of(mapped(o, source.eh_frame_address), (size_t)(end - source.eh_frame_address));
	source.text_address = o->text->p_vaddr;
	source.text_limit = o->text->p_vaddr + o->text->p_memsz;
	source.text = str_of(mapped(o, o->text->p_vaddr), o->text->p_filesz);
	if (unwind_table_compile(&m->table, &source, all->budget, NULL) == -ENOMEM)
		m->table = NULL;
}

/* Prepare direct lookups. Not for the vdso, which is small and not mapped by the loader. */
static bool prepare_direct(const struct modules *all, struct module *m, const struct object *o)
{
	struct str hdr;
	uint64_t eh_frame;

	if (!all->can_copy || !o->frames || m->path[0] == '[')
		return false;
	hdr = str_of(mapped(o, o->frames->p_vaddr), o->frames->p_memsz);
	if (!unwind_find_eh_frame(hdr, o->frames->p_vaddr, &eh_frame))
		return false;
	m->direct = calloc(1, sizeof(*m->direct));
	if (m->direct &&
	    unwind_direct_init(m->direct, hdr, o->frames->p_vaddr, segment_end(o, eh_frame),
			       o->text->p_vaddr + o->text->p_memsz)) {
		free(m->direct);
		m->direct = NULL;
	}
	return m->direct != NULL;
}

/* Return whether a table is cheaper, given the number of lookups in the module so far. */
static bool needs_table(const struct module *m)
{
	return !m->gone && m->direct && !m->table &&
	       atomic_load_explicit(&m->direct->lookups, memory_order_relaxed) >
		       (m->direct->eh_frame_limit - m->direct->eh_frame_address) / BYTES_A_LOOKUP;
}

/* Compile the table. On failure the module needs as many lookups again before the next attempt. */
static void compile_needed_table(struct modules *all, struct module *m, const struct object *o)
{
	compile_table(all, m, o);
	atomic_store(&m->direct->lookups, 0);
}

static char *object_path(const struct dl_phdr_info *info, bool first)
{
	char path[4096];
	ssize_t n;

	if (!strcmp(info->dlpi_name, "linux-vdso.so.1"))
		return strdup("[vdso]");
	if (*info->dlpi_name || !first)
		return strdup(info->dlpi_name);
	n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (n < 0)
		return strdup("");
	path[n] = 0;
	return strdup(path);
}

static struct module *find_loaded(const struct modules *all, uint64_t start, const char *name,
				  bool first)
{
	for (uint32_t i = 0; i < all->count; i++) {
		struct module *m = all->all[i];

		if (!m->gone && m->start == start &&
		    (first || !*name || !strcmp(m->path, name) || m->path[0] == '['))
			return m;
	}
	return NULL;
}

static bool append_module(struct modules *all, struct module *m)
{
	if (all->count == all->capacity) {
		uint32_t capacity = all->capacity ? all->capacity * 2 : 64;
		struct module **grown;

		if (capacity > MODULES_MAX)
			return false;
		grown = realloc(all->all, capacity * sizeof(struct module *));
		if (!grown)
			return false;
		all->all = grown;
		all->capacity = capacity;
	}
	all->all[all->count++] = m;
	return true;
}

struct visit {
	struct modules *all;
	bool first, unchanged;
	bool wanted; /* some module needs a table */
};

/* Visit one object of the process. The loader's lock is held, so the object stays mapped. */
static int visit_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct visit *visit = arg;
	struct modules *all = visit->all;
	bool first = visit->first;
	struct object o;
	struct module *m;

	if (first && size >= offsetof(struct dl_phdr_info, dlpi_tls_modid)) {
		if (all->count && !visit->wanted && info->dlpi_adds == all->adds &&
		    info->dlpi_subs == all->subs) {
			visit->unchanged = true;
			return 1;
		}
		all->adds = info->dlpi_adds;
		all->subs = info->dlpi_subs;
	}
	visit->first = false;
	o = read_program_headers(info);
	if (!o.text)
		return 0;
	m = find_loaded(all, info->dlpi_addr + o.text->p_vaddr, info->dlpi_name, first);
	if (!m) {
		m = calloc(1, sizeof(*m));
		if (!m)
			return 0;
		m->start = info->dlpi_addr + o.text->p_vaddr;
		m->limit = m->start + o.text->p_memsz;
		m->bias = info->dlpi_addr;
		m->file_offset = o.text->p_offset;
		m->path = object_path(info, first);
		if (!m->path || !append_module(all, m)) {
			module_free(m);
			return 0;
		}
		read_build_id(m, &o);
		if (!prepare_direct(all, m, &o))
			compile_table(all, m, &o);
	} else if (needs_table(m)) {
		compile_needed_table(all, m, &o);
	}
	m->seen = true;
	return 0;
}

static int compare_start(const void *a, const void *b)
{
	const struct module *x = *(struct module *const *)a, *y = *(struct module *const *)b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Make a space of the loaded modules. Return NULL without memory; the old space stays then. */
static struct space *make_space(const struct modules *all)
{
	struct space *s = calloc(1, sizeof(*s));
	uint32_t n = 0;

	if (!s)
		return NULL;
	s->owners = calloc(all->count + 1, sizeof(struct module *));
	s->ranges = calloc(all->count + 1, sizeof(*s->ranges));
	s->dead = calloc(all->count + 1, sizeof(*s->dead));
	s->cache = calloc(CACHE_WORDS, sizeof(*s->cache));
	if (!s->owners || !s->ranges || !s->dead || !s->cache) {
		space_free(s);
		return NULL;
	}
	for (uint32_t i = 0; i < all->count; i++)
		if (!all->all[i]->gone)
			s->owners[n++] = all->all[i];
	qsort(s->owners, n, sizeof(struct module *), compare_start);
	for (uint32_t i = 0; i < n; i++) {
		const struct module *m = s->owners[i];

		s->ranges[i] =
			(struct unwind_range){m->start, m->limit, m->bias, m->table, m->direct};
	}
	s->unwind = (struct unwind_space){s->ranges, n, s->cache, CACHE_WORDS};
	return s;
}

static void free_retired(struct modules *m)
{
	if (!m->retired || guest_hook_is_active())
		return;
	while (m->retired) {
		struct space *next = m->retired->next_retired;

		space_free(m->retired);
		m->retired = next;
	}
}

/* Mark modules that were not visited as unloaded; their tables are freed with the old space. */
static void mark_gone(struct modules *m, struct space *old)
{
	for (uint32_t i = 0; i < m->count; i++) {
		struct module *each = m->all[i];

		if (each->seen || each->gone)
			continue;
		each->gone = true;
		old->dead[old->dead_count++] =
			(struct dead){take_ptr(&each->table), take_ptr(&each->direct)};
	}
}

/* Free the oldest unloaded modules, so that memory is bounded however often modules are loaded. */
static void free_oldest_gone(struct modules *m)
{
	uint32_t gone = 0, n = 0;

	for (uint32_t i = 0; i < m->count; i++)
		gone += m->all[i]->gone;
	for (uint32_t i = 0; i < m->count; i++) {
		if (m->all[i]->gone && gone > GONE_MAX) {
			gone--;
			module_free(m->all[i]);
		} else {
			m->all[n++] = m->all[i];
		}
	}
	m->count = n;
}

bool modules_update(struct modules *m)
{
	struct visit visit = {.all = m, .first = true};
	struct space *old = atomic_load(&m->current), *space;

	free_retired(m);
	for (uint32_t i = 0; i < m->count; i++) {
		m->all[i]->seen = false;
		visit.wanted |= needs_table(m->all[i]);
	}
	dl_iterate_phdr(visit_object, &visit);
	if (visit.unchanged)
		return false;
	if (old)
		mark_gone(m, old);
	space = make_space(m);
	if (!space) {
		m->adds = 0; /* retry */
		return false;
	}
	space->unwind.number = ++m->spaces;
	atomic_store(&m->current, space);
	if (old) {
		old->next_retired = m->retired;
		m->retired = old;
	}
	free_oldest_gone(m);
	return true;
}

int modules_new(struct modules **out, struct budget *budget, struct err *e)
{
	struct modules *m = calloc(1, sizeof(*m));
	struct budget *copied = NULL;

	if (!m)
		return err_errno(e, -ENOMEM, "listing the loaded modules");
	m->budget = budget;
	m->can_copy = guest_copy(NULL, (uint64_t)(uintptr_t)&budget, &copied, sizeof(copied)) &&
		      copied == budget;
	modules_update(m);
	if (!atomic_load(&m->current)) {
		modules_free(m);
		return err_errno(e, -ENOMEM, "listing the loaded modules");
	}
	*out = m;
	return 0;
}

void modules_free(struct modules *m)
{
	if (!m)
		return;
	while (m->retired) {
		struct space *next = m->retired->next_retired;

		space_free(m->retired);
		m->retired = next;
	}
	space_free(atomic_load(&m->current));
	for (uint32_t i = 0; i < m->count; i++)
		module_free(m->all[i]);
	free(m->all);
	free(m);
}

uint32_t modules_count(const struct modules *m)
{
	return m->count;
}

const struct module *modules_at(const struct modules *m, uint32_t index)
{
	return m->all[index];
}

const struct unwind_space *modules_space(const struct modules *m)
{
	return &atomic_load_explicit(&m->current, memory_order_acquire)->unwind;
}

const struct module *modules_find(const struct modules *m, uint64_t address)
{
	const struct space *s = atomic_load(&m->current);
	const struct unwind_range *range = unwind_find_range(&s->unwind, address);

	if (range)
		return s->owners[range - s->ranges];
	for (uint32_t i = m->count; i-- > 0;)
		if (address >= m->all[i]->start && address < m->all[i]->limit)
			return m->all[i];
	return NULL;
}
