/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_PROFILE_ROW_PREDICTOR_H
#define VARVE_SIGNAL_PROFILE_ROW_PREDICTOR_H

#include "base/container/vec.h"

/*
 * Guesses which row of a table is wanted next, before anything is hashed. Profiles of one program name
 * their rows in nearly the same order, so it is the row that came behind the last one the time
 * before, or else its neighbour. A guess has to be checked, and costs memory only where rows
 * do not come in the order of the table. Private to src/signal. The zero value is ready.
 */
struct follow {
	uint32_t last;
	VEC(uint32_t)
	after; /* of the rows up to the last that was followed by another than its neighbour */
};

/* What is likely to come behind `row`. */
static inline uint32_t follow_after(const struct follow *f, uint32_t row)
{
	return row < f->after.n ? f->after.at[row] : row + 1;
}

static inline uint32_t follow_guess(const struct follow *f)
{
	return follow_after(f, f->last);
}

/* The guess was right. */
static inline void follow_step(struct follow *f, uint32_t row)
{
	f->last = row;
}

/* It was wrong: `row` came. Without memory for it there is one more wrong guess next time, no more. */
void follow_learn(struct follow *f, struct arena *arena, uint32_t row);

#endif
