/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_UNWIND_PROGRAM_H
#define VARVE_UNWIND_PROGRAM_H

#include "unwind/cfi.h"

/*
 * Runs the byte code programs of call frame information.
 *
 * Run a function's program: call `row` with increasing addresses and the rules that hold from each
 * of them on. Return false when the program is malformed; the last row is then the zeroed state, in
 * which nothing is known.
 */
typedef void cfi_row_function(void *arg, uint64_t address, const struct cfi_state *state);
bool cfi_run(const struct cfi_function *f, cfi_row_function *row, void *arg);

/* Run the program of a CIE into cie->initial. Return false when it is malformed. */
bool cfi_run_initial(struct cfi_cie *cie, struct cfi_cursor program);

#endif
