/* SPDX-License-Identifier: Apache-2.0 */
/* Random sampling distances and probabilities. */
#include "sdk/hook/sampling.h"

#include <math.h>

#include "test/test.h"

static void sampling_distances_are_exponentially_distributed(void **state)
{
	(void)state;
	for (double u = 0x1p-54; u <= 1; u *= 1.0009) {
		double expected = -log(u);

		assert_true(fabs(sampling_distance(u) - expected) <= 1e-9 + 1e-9 * expected);
	}
	assert_true(sampling_distance(1) == 0);
	assert_true(sampling_distance(1 - 0x1p-53) > 0);
}

static void sampling_probabilities_match_the_exponential(void **state)
{
	(void)state;
	for (double x = 1e-12; x < 1e6; x *= 1.0007) {
		double expected = -expm1(-x);

		assert_true(fabs(sampling_chance(x) / expected - 1) < 1e-8);
	}
	assert_true(sampling_chance(0) == 0);
	assert_true(sampling_chance(1e300) == 1);
}

TEST_MAIN(test(sampling_distances_are_exponentially_distributed),
	  test(sampling_probabilities_match_the_exponential))
