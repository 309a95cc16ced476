/* SPDX-License-Identifier: Apache-2.0 */
/* Finds separate debug files, whose identity is always verified by build id or CRC. */
#include "symbol/debug_file.h"

#include <elf.h>
#include <errno.h>
#include <libdeflate.h>
#include <limits.h>
#include <stdio.h>

enum { LINK_NAME_MAX = 255 };
#define CRC_CHUNK (64 * KIB)

static const char default_directory[] = "/usr/lib/debug";

static const char *debug_directory(const struct symbol_file *f)
{
	return f->options.debug_directory ? f->options.debug_directory : default_directory;
}

/* The identity a debug file must have: the program's build id, or, if found by link, this CRC. */
struct wanted {
	struct str build_id;
	bool by_crc;
	uint32_t crc;
};

/* Compute the CRC of a whole file, as used by the debug link. */
static int file_crc(const struct source *s, struct arena *a, uint32_t *crc)
{
	unsigned char *chunk = arena_alloc(a, CRC_CHUNK, 1);
	int rc = chunk ? 0 : -ENOMEM;

	*crc = 0;
	for (uint64_t at = 0; !rc && at < s->size;) {
		size_t n = min_size(s->size - at, CRC_CHUNK);

		rc = source_read(s, at, chunk, n);
		if (!rc)
			*crc = libdeflate_crc32(*crc, chunk, n);
		at += n;
	}
	return rc;
}

static bool is_debug_file_for(const struct source *s, const struct elf *elf, const struct wanted *w)
{
	struct arena scratch;
	uint32_t crc;
	bool same;

	if (w->build_id.n && elf->build_id.n)
		return str_eq(w->build_id, elf->build_id);
	if (!w->by_crc)
		return false;
	arena_init(&scratch, NULL);
	same = file_crc(s, &scratch, &crc) == 0 && crc == w->crc;
	arena_fini(&scratch);
	return same;
}

/* Open `path` as the debug file of `f` if its identity is right. */
static bool try_path(struct symbol_file *f, const char *path, const struct wanted *w)
{
	struct source *s = &f->debug_source;

	if (source_open(s, path, &f->arena, NULL) == 0) {
		bool itself = s->device == f->source.device && s->inode == f->source.inode;

		if (!itself && elf_read(&f->debug_elf, s, &f->arena, NULL) == 0 &&
		    f->debug_elf.machine == f->elf.machine &&
		    is_debug_file_for(s, &f->debug_elf, w))
			return true;
	}
	source_pause(s);
	*s = (struct source){.fd = -1};
	return false;
}

/* Make <directory>/.build-id/ab/cdef.debug. Return false when it does not fit. */
static bool build_id_path(const struct symbol_file *f, struct str id, char path[PATH_MAX])
{
	size_t n;
	int head;

	if (id.n < 2)
		return false;
	head = snprintf(path, PATH_MAX, "%s/.build-id/%02x/", debug_directory(f),
			(unsigned char)id.p[0]);
	if (head < 0 || (size_t)head + 2 * id.n + sizeof(".debug") > PATH_MAX)
		return false;
	n = (size_t)head;
	for (size_t i = 1; i < id.n; i++, n += 2)
		snprintf(path + n, PATH_MAX - n, "%02x", (unsigned char)id.p[i]);
	memcpy(path + n, ".debug", sizeof(".debug"));
	return true;
}

static bool try_build_id(struct symbol_file *f)
{
	struct wanted w = {.build_id = f->elf.build_id};
	char path[PATH_MAX];

	return build_id_path(f, w.build_id, path) && try_path(f, path, &w);
}

static bool open_shared(const char *path, struct str id, struct source *source, struct elf *elf,
			struct arena *a)
{
	source_pause(source);
	return source_open(source, path, a, NULL) == 0 && elf_read(elf, source, a, NULL) == 0 &&
	       str_eq(elf->build_id, id);
}

bool symbol_open_shared(const struct symbol_file *f, struct str id, const char *name,
			struct source *source, struct elf *elf, struct arena *a)
{
	struct str of = str_from(f->debug_source.path ? f->debug_source.path : f->source.path);
	struct str beside = str_head(of, str_find_last(of, '/') + 1);
	char path[PATH_MAX];
	int n;

	if (build_id_path(f, id, path) && open_shared(path, id, source, elf, a))
		return true;
	if (name[0] == '/' || str_find_last(of, '/') == of.n)
		beside = (struct str){0};
	n = snprintf(path, sizeof(path), "%.*s%s", STR_ARG(beside), name);
	return n > 0 && (size_t)n < sizeof(path) && open_shared(path, id, source, elf, a);
}

/* Read the link: a file name, NUL, padding to four bytes, the CRC. False: no valid link. */
static bool read_debug_link(const struct symbol_file *f, char name[LINK_NAME_MAX + 1],
			    uint32_t *crc)
{
	const struct elf_section *s = elf_find_section(&f->elf, ".gnu_debuglink");
	char bytes[LINK_NAME_MAX + 1 + 2 * sizeof(*crc)];
	size_t n, at;

	if (!s || s->size > sizeof(bytes) || source_read(&f->source, s->offset, bytes, s->size))
		return false;
	n = strnlen(bytes, s->size);
	at = (n + 1 + 3) / 4 * 4;
	if (!n || n > LINK_NAME_MAX || at + sizeof(*crc) > s->size || memchr(bytes, '/', n))
		return false;
	memcpy(name, bytes, n + 1);
	memcpy(crc, bytes + at, sizeof(*crc));
	return true;
}

static bool try_link(struct symbol_file *f)
{
	struct wanted w = {.build_id = f->elf.build_id, .by_crc = true};
	char name[LINK_NAME_MAX + 1], path[PATH_MAX];
	struct str of = str_from(f->source.path);
	struct str beside = str_head(of, str_find_last(of, '/') + 1);
	const char *formats[][2] = {{"", ""}, {"", ".debug/"}, {debug_directory(f), ""}};

	if (!read_debug_link(f, name, &w.crc))
		return false;
	if (str_find_last(of, '/') == of.n)
		beside = STR("./");
	for (size_t i = 0; i < countof(formats); i++) {
		int n;

		if (formats[i][0][0] && beside.p[0] != '/')
			continue; /* the debug directory mirrors absolute paths only */
		n = snprintf(path, sizeof(path), "%s%.*s%s%s", formats[i][0], STR_ARG(beside),
			     formats[i][1], name);
		if (n > 0 && (size_t)n < sizeof(path) && try_path(f, path, &w))
			return true;
	}
	return false;
}

void symbol_find_debug_file(struct symbol_file *f)
{
	struct elf_symbols symbols;
	bool names = elf_find_symbols(&f->elf, SHT_SYMTAB, &symbols);
	bool lines = !f->options.lines || elf_find_section(&f->elf, ".debug_info") ||
		     elf_find_section(&f->elf, ".zdebug_info");

	if ((names && lines) || f->source.bytes.p)
		return;
	if (!try_build_id(f))
		(void)try_link(f);
}
