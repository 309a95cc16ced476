/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_UNWIND_RULES_H
#define VARVE_UNWIND_RULES_H

#include "unwind/build.h"

/*
 * Converts the state that call frame information describes into rules of a table (unwind/row.h).
 *
 * Return the rule for a state; a rule that does not fit a row is added to the builder's dictionary.
 * *understood is false when the rule is UNWIND_RULE_GUESS.
 */
uint32_t unwind_builder_rule(struct unwind_builder *b, const struct cfi_state *state,
			     bool *understood);

/*
 * Return the rule for a state without a dictionary: for a rule of kind DICTIONARY, *entry is set
 * and the index is 0. Async-signal-safe.
 */
uint32_t unwind_rule_of(const struct cfi_state *state, struct unwind_rule *entry);

/*
 * Return whether a state of a function whose CIE has 'S' describes the frame that the kernel builds
 * for a signal, whose registers are described by expressions. Other states are ordinary frames.
 */
bool unwind_is_kernel_frame(const struct cfi_state *state);

/* Return the rule of the rbx table (struct unwind_table) for a state. */
uint32_t unwind_rbx_rule(const struct cfi_state *state);

#endif
