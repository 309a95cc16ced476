/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_UNWIND_CFI_H
#define VARVE_UNWIND_CFI_H

#include "unwind/cursor.h"
#include "unwind/row.h"

/*
 * Call frame information as `.eh_frame` has it: entries that say what functions have in common (CIE) and what each of
 * them does to its stack (FDE), in a little language that is run once from the function's first byte to its last.
 *
 * Only four things are followed: the CFA (where the stack pointer was before the call), the frame pointer, the return
 * address, and rbx, by which the loader finds its frame. Other registers are read over. (LSB core specification, "Exception Frames"; DWARF 5, 6.4.)
 */

/* Where a saved register is, and what we do not understand. */
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

/* What a CFA is. */
enum cfi_cfa {
	CFI_CFA_UNKNOWN,
	CFI_CFA_REGISTER,  /* register + offset */
	CFI_CFA_IN_MEMORY, /* *(register + offset) + add */
	CFI_CFA_PLT,	   /* of a lazy PLT entry that pushes at its byte `offset` */
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

/* The section under work. */
struct cfi_section {
	const uint8_t *bytes;
	uint32_t size;
	uint64_t address; /* of its first byte */
};

/* What functions have in common. */
struct cfi_cie {
	uint32_t at; /* its offset in the section */
	bool valid;
	bool signal;	   /* 'S': a frame that a signal made */
	bool augmentation; /* 'z': FDEs have augmentation data too */
	uint8_t pointer_encoding;
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t ra_register;
	struct cfi_state initial;
};

enum { CFI_CIE_CACHE = 32 };

/* Reads entries; keeps the CIEs that it met lately. */
struct cfi_reader {
	struct cfi_section section;
	struct cfi_cie cache[CFI_CIE_CACHE];
};

enum cfi_kind { CFI_END, CFI_CIE, CFI_FDE };

/* An entry of the section: its offset, the bytes behind its id field, and the offset of its CIE. */
struct cfi_entry {
	enum cfi_kind kind;
	uint32_t at;
	uint32_t next; /* where the one behind it begins */
	uint32_t cie;
	struct cfi_cursor body;
};

/* One function. */
struct cfi_function {
	const struct cfi_cie *cie;
	uint64_t start, size;
	struct cfi_cursor program;
};

void cfi_reader_init(struct cfi_reader *r, struct cfi_section section);

/* The entry at offset `at`. 0, or -EBADMSG when it does not fit the section. CFI_END at the section's end or its terminator. */
MUST_USE int cfi_entry_at(const struct cfi_reader *r, uint32_t at, struct cfi_entry *entry);

/* The function that an FDE is about: false when it or its CIE is not understood. */
bool cfi_function_of(struct cfi_reader *r, const struct cfi_entry *entry, struct cfi_function *f);

/* The same, piece by piece: a CIE of its bytes behind the id (*cie is zero before), and the function of an FDE's, which lie in the section. */
bool cfi_read_cie(struct cfi_cie *cie, struct cfi_cursor body);
bool cfi_read_function(const struct cfi_section *s, const struct cfi_cie *cie,
		       struct cfi_cursor body, struct cfi_function *f);

/*
 * Run a function's program: `row` is called with growing addresses, each time the rules from there on. False when the program is malformed;
 * the last row then says that nothing is known.
 */
typedef void cfi_row_function(void *arg, uint64_t address, const struct cfi_state *state);
bool cfi_run(const struct cfi_function *f, cfi_row_function *row, void *arg);

/* What a DWARF expression says, where it is one of the few forms that compilers write for a CFA or for an address of a register. */
struct cfi_value cfi_expression(struct cfi_cursor c);

#endif
