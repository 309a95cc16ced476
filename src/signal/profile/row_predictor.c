/* SPDX-License-Identifier: Apache-2.0 */
#include "signal/profile/row_predictor.h"

void follow_learn(struct follow *f, struct arena *arena, uint32_t row)
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
