/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_UNWIND_CFI_H
#define VARVE_UNWIND_CFI_H

#include "unwind/cursor.h"
#include "unwind/row.h"

/*
 * Reads call frame information (CFI) from `.eh_frame`. The section holds entries of two kinds: a
 * CIE has what several functions have in common; an FDE describes one function. Both contain a byte
 * code program, which is run from the function's first address to its last.
 *
 * Only four things are tracked: the CFA (the value of the stack pointer before the call), the frame
 * pointer, the return address, and rbx, from which the dynamic loader computes the CFA of one of
 * its frames. Other registers are skipped. (LSB core specification, "Exception Frames"; DWARF 5,
 * 6.4.)
 */

/* Where a saved register is. CFI_PLACE_UNKNOWN: in a place that we cannot express. */
enum cfi_place {
	CFI_PLACE_SAME,
	CFI_PLACE_UNDEFINED,
	CFI_PLACE_AT_CFA,
	CFI_PLACE_AT_REGISTER,
	CFI_PLACE_IN_REGISTER,
	CFI_PLACE_UNKNOWN,
};

struct cfi_saved {
	uint8_t place; /* enum cfi_place */
	uint8_t reg;
	int32_t offset;
};

/* How a CFA is computed. */
enum cfi_cfa {
	CFI_CFA_UNKNOWN,
	CFI_CFA_REGISTER,  /* register + offset */
	CFI_CFA_IN_MEMORY, /* *(register + offset) + add */
	CFI_CFA_PLT,	   /* a lazy PLT entry, which pushes at its byte `offset` */
};

struct cfi_value {
	uint8_t what; /* enum cfi_cfa */
	uint8_t reg;
	int32_t offset, add;
};

/* The rules at one address. */
struct cfi_state {
	struct cfi_value cfa;
	struct cfi_saved fp, ra, rbx;
};

/* The section that is read; the bytes are borrowed. */
struct cfi_section {
	const uint8_t *bytes;
	uint32_t size;
	uint64_t address; /* of its first byte */
};

/* A CIE: what several functions have in common. */
struct cfi_cie {
	uint32_t at; /* its offset in the section */
	bool valid;
	bool signal;	   /* 'S': the frame of a signal */
	bool augmentation; /* 'z': FDEs have augmentation data too */
	uint8_t pointer_encoding;
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t ra_register;
	struct cfi_state initial;
};

enum { CFI_CIE_CACHE = 32 };

/* Reads entries, with a cache of recently used CIEs. */
struct cfi_reader {
	struct cfi_section section;
	struct cfi_cie cache[CFI_CIE_CACHE];
};

enum cfi_kind { CFI_END, CFI_CIE, CFI_FDE };

/* An entry of the section: its offset, the offset of its CIE, and the bytes after its id field. */
struct cfi_entry {
	enum cfi_kind kind;
	uint32_t at;
	uint32_t next; /* the offset of the next entry */
	uint32_t cie;
	struct cfi_cursor body;
};

/* A function, as its FDE describes it. */
struct cfi_function {
	const struct cfi_cie *cie;
	uint64_t start, size;
	struct cfi_cursor program;
};

/* Begin reading a section of untrusted bytes. */
void cfi_reader_init(struct cfi_reader *r, struct cfi_section section);

/*
 * Read the entry at offset `at`. Return 0 or -EBADMSG for an entry that exceeds the section. The
 * kind is CFI_END at the end of the section or at its terminator.
 */
MUST_USE int cfi_entry_at(const struct cfi_reader *r, uint32_t at, struct cfi_entry *entry);

/* Read the function of an FDE. Return false for an invalid or unsupported FDE or CIE. */
bool cfi_function_of(struct cfi_reader *r, const struct cfi_entry *entry, struct cfi_function *f);

/*
 * The same without a reader: decode a CIE from the bytes after its id field (*cie must be zeroed),
 * and a function from the bytes after its FDE's, which must lie within the section.
 */
bool cfi_read_cie(struct cfi_cie *cie, struct cfi_cursor body);
bool cfi_read_function(const struct cfi_section *s, const struct cfi_cie *cie,
		       struct cfi_cursor body, struct cfi_function *f);

/*
 * Return the CFA or register address that a DWARF expression computes; CFI_CFA_UNKNOWN for forms
 * that compilers do not write. (expression.c)
 */
struct cfi_value cfi_expression(struct cfi_cursor c);

#endif
