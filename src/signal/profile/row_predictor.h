/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_PROFILE_ROW_PREDICTOR_H
#define VARVE_SIGNAL_PROFILE_ROW_PREDICTOR_H

#include "base/container/vec.h"

/*
 * Predicts which row of a table is looked up next, to avoid hashing. Profiles of one program refer
 * to their rows in nearly the same order, so the prediction is the row that followed the last one
 * the previous time, or else its neighbour. The caller must check a prediction. Memory is needed
 * only where rows do not come in table order. Private to src/signal. The zero value is ready to
 * use.
 */
struct row_predictor {
	uint32_t last;
	/* By row: its successor, up to the last row whose successor was not its neighbour. */
	VEC(uint32_t) after;
};

/* Return the predicted successor of `row`. */
static inline uint32_t row_predictor_after(const struct row_predictor *f, uint32_t row)
{
	return row < f->after.n ? f->after.at[row] : row + 1;
}

static inline uint32_t row_predictor_guess(const struct row_predictor *f)
{
	return row_predictor_after(f, f->last);
}

/* Record that the prediction was right. */
static inline void row_predictor_step(struct row_predictor *f, uint32_t row)
{
	f->last = row;
}

/*
 * Record that the actual row was `row`. If memory is short, the next prediction from the same row
 * is wrong again, nothing else.
 */
void row_predictor_learn(struct row_predictor *f, struct arena *arena, uint32_t row);

#endif
