/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SYMBOL_SYMBOL_H
#define VARVE_SYMBOL_SYMBOL_H

#include "base/budget.h"
#include "base/err.h"
#include "base/str.h"

/*
 * Resolves addresses to names and lines. This is the face of the part, implemented in file.c;
 * symbol/cache.h keeps files open, symbol/demangle/demangle.h demangles names.
 *
 * A **symbol file** is one ELF file with everything that belongs to it: .symtab, .dynsym, the
 * compressed .gnu_debugdata, and its separate debug file, found by build id or debug link below the
 * debug directories. Addresses are ELF virtual addresses, so that one file serves all processes
 * that map it. Lines and inlined calls come from DWARF through libdw, which is loaded on first use;
 * where it is not installed, there are names only.
 *
 * All input is untrusted: offsets, counts and depths are checked before use, memory is charged to
 * the budget, and a malformed file yields fewer names, never a crash. (DWARF is read by libdw,
 * which is designed to withstand malformed files but is not under our control: leave `lines` off
 * for files from untrusted sources.) Files are read, not mapped, and no descriptor stays open
 * between calls. One thread per file; a lookup needs up to 512 KiB of stack.
 */

struct symbol_options {
	struct budget *budget;	     /* may be NULL */
	const char *debug_directory; /* NULL: /usr/lib/debug */
	bool lines;		     /* DWARF lines and inlined calls too, not only names */
	bool own_lines;		     /* no lines from separate debug files, which are large */
	bool mangled;		     /* do not demangle names */
	/* bytes of names a symbol table keeps in memory, else read on demand; 0: 256 KiB */
	size_t names_kept;
};

struct symbol_file;

/*
 * Open the regular ELF file at `path`; symbolic links are followed. Return 0; -errno; or -EBADMSG
 * when it is not an ELF file for x86_64 or arm64, with reason and offset in `e`.
 */
MUST_USE int symbol_file_open(struct symbol_file **out, const char *path,
			      const struct symbol_options *o, struct err *e);

/*
 * The same for bytes in memory (vdso, tests), which are borrowed until symbol_file_close(). `path`
 * is used in errors only; no debug file is searched.
 */
MUST_USE int symbol_file_open_bytes(struct symbol_file **out, struct str bytes, const char *path,
				    const struct symbol_options *o, struct err *e);
void symbol_file_close(struct symbol_file *f);

/* Return the GNU build id as raw bytes; empty when there is none. */
struct str symbol_file_build_id(const struct symbol_file *f);

/*
 * Convert a file offset to a virtual address by the loadable segments. Return false when no segment
 * has the offset.
 */
bool symbol_file_offset_to_address(const struct symbol_file *f, uint64_t offset, uint64_t *address);

/*
 * Return a section's bytes by name (".eh_frame", ".text"), and its virtual address if `address` is
 * not NULL. Return an empty slice for a missing or compressed section and without memory. The
 * section is read at the first call and kept until the file is closed.
 */
struct str symbol_file_section(struct symbol_file *f, const char *name, uint64_t *address);

/* Return the bytes of memory that the file holds. They grow with the names that were looked up. */
size_t symbol_file_bytes(const struct symbol_file *f);

/* One call at an address. Strings are valid while the file is open. */
struct symbol_frame {
	struct str name;	/* demangled, unless options say otherwise */
	struct str system_name; /* as in the file */
	struct str filename;	/* empty: unknown */
	int64_t line;		/* 0: unknown */
	int64_t start_line;	/* of the function; 0: unknown */
	uint64_t start;		/* of the function; 0 for an inlined one */
};

enum { SYMBOL_INLINE_MAX = 32 };

/*
 * Look up the calls at `address`: the innermost inlined call is first, the physical function last.
 * Return the number of frames written, at most SYMBOL_INLINE_MAX; 0 when nothing is known: show
 * "module+0xoffset" then (symbol_unknown()).
 */
uint32_t symbol_lookup(struct symbol_file *f, uint64_t address,
		       struct symbol_frame frames[SYMBOL_INLINE_MAX]);

/*
 * Write "libfoo.so+0x1234" for an address without a name; the module is the last component of
 * `path`. Return the length, at most size - 1.
 */
size_t symbol_unknown(char *out, size_t size, struct str path, uint64_t address);

#endif
