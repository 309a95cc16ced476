/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_UNWIND_PROGRAM_H
#define VARVE_UNWIND_PROGRAM_H

#include "unwind/cfi.h"

/* Run the program of a CIE into cie->initial. False when it is malformed. */
bool cfi_run_initial(struct cfi_cie *cie, struct cfi_cursor program);

#endif
