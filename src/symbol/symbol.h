/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_SYMBOL_H
#define VARVE_SYMBOL_SYMBOL_H

#include "base/budget.h"
#include "base/err.h"
#include "base/str.h"

/*
 * Names and lines for addresses.
 *
 * A **symbol file** is one ELF file and what belongs to it: .symtab, .dynsym, the compressed .gnu_debugdata, and its
 * separate debug file, found by build id or debug link below the debug directories. Addresses are ELF virtual addresses,
 * so that a file serves all processes that map it. Lines and inlined calls come from DWARF by libdw, which is loaded when first
 * needed and done without where it is not installed.
 *
 * What is read is untrusted: offsets, counts and depths are checked before they are used, memory is taken from the
 * budget, and a file that lies gets fewer names, never a crash. (DWARF is read by libdw, which is meant to stand hostile files,
 * but is not ours: who reads files of strangers leaves `lines` off.) Files are read, not mapped, and no descriptor stays open
 * between calls. One thread a file; a lookup needs up to 512 KiB of stack.
 */

struct symbol_options {
	struct budget *budget;	     /* may be NULL */
	const char *debug_directory; /* NULL: /usr/lib/debug */
	bool lines;		     /* DWARF lines and inlined calls too, not only names */
	bool own_lines; /* only where the file itself has them: separate debug files are large */
	bool mangled;	/* leave names as they are in the file */
	size_t names_kept; /* bytes of names a symbol table keeps in memory; more stay in the file. 0: 256 KiB */
};

struct symbol_file;

/*
 * Open what is at `path` (a regular ELF file; O_NOFOLLOW is not asked for). 0; -errno; -EBADMSG when it is not ELF of
 * x86_64 or arm64, with the reason and offset in `e`.
 */
MUST_USE int symbol_file_open(struct symbol_file **out, const char *path,
			      const struct symbol_options *o, struct err *e);

/* The same for bytes in memory (vdso, tests), which are borrowed until symbol_file_close(). `path` names it in errors; no debug files. */
MUST_USE int symbol_file_open_bytes(struct symbol_file **out, struct str bytes, const char *path,
				    const struct symbol_options *o, struct err *e);
void symbol_file_close(struct symbol_file *f);

/* The GNU build id as raw bytes; empty: none. */
struct str symbol_file_build_id(const struct symbol_file *f);

/* The loadable segments: to turn file offsets into virtual addresses. False when no segment holds the offset. */
bool symbol_file_offset_to_address(const struct symbol_file *f, uint64_t offset, uint64_t *address);

/*
 * A section's bytes by name (".eh_frame", ".text") with its virtual address (may be NULL), or an empty str: no such section, a
 * compressed one, memory is out. Read at the first call, kept until the file is closed.
 */
struct str symbol_file_section(struct symbol_file *f, const char *name, uint64_t *address);

/* Bytes of memory the file holds now; they grow with the names that are asked for. */
size_t symbol_file_bytes(const struct symbol_file *f);

/* One call at an address. Strings live as long as the file is open. */
struct symbol_frame {
	struct str name;	/* demangled, unless options say otherwise */
	struct str system_name; /* as in the file */
	struct str filename;	/* empty: unknown */
	int64_t line;		/* 0: unknown */
	int64_t start_line;	/* of the function; 0: unknown */
	uint64_t start;		/* where the function begins; 0 for an inlined one */
};

enum { SYMBOL_INLINE_MAX = 32 };

/*
 * The calls at `address`, the innermost inlined one first, the real function last. Returns how many were written to `frames`,
 * at most SYMBOL_INLINE_MAX; 0 when nothing is known: then the frame is "module+0xoffset" (symbol_unknown()).
 */
uint32_t symbol_lookup(struct symbol_file *f, uint64_t address,
		       struct symbol_frame frames[SYMBOL_INLINE_MAX]);

/* Write "libfoo.so+0x1234" for a frame without a name; the module is the last part of its path. Returns the length, at most size - 1. */
size_t symbol_unknown(char *out, size_t size, struct str path, uint64_t address);

/* C++ and Rust (legacy and v0) names as people write them; others come back as they are. Allocated in `a`, or borrowed from `name`. */
struct arena;
struct str symbol_demangle(struct arena *a, struct str name);

/*
 * Files that were opened lately, by path and identity (device, inode, size, mtime), within a byte budget: the least
 * recently used is closed. A borrowed file is valid until the next symbol_cache_get().
 */
struct symbol_cache;
MUST_USE int symbol_cache_new(struct symbol_cache **out, size_t max_bytes,
			      const struct symbol_options *o);
void symbol_cache_free(struct symbol_cache *c);

/* NULL when it cannot be opened; that is remembered too, for a minute. */
struct symbol_file *symbol_cache_get(struct symbol_cache *c, const char *path);

#endif
