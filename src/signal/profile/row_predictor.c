/* SPDX-License-Identifier: Apache-2.0 */
/* The successor table is only extended to rows whose successor is not their neighbour. */
#include "signal/profile/row_predictor.h"

void row_predictor_learn(struct row_predictor *f, struct arena *arena, uint32_t row)
{
	uint32_t last = f->last, missing = last < f->after.n ? 0 : last + 1 - f->after.n;

	f->last = row;
	if (missing && (row == last + 1 || vec_reserve(arena, &f->after, missing)))
		return;
	for (; missing; missing--) {
		f->after.at[f->after.n] = f->after.n + 1;
		f->after.n++;
	}
	f->after.at[last] = row;
}
