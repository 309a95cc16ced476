/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_METRIC_KAHAN_H
#define VARVE_SIGNAL_METRIC_KAHAN_H

#include <math.h>

/*
 * Compensated summation (Kahan, with Neumaier's exchange of the operands), in the order of
 * operations of Prometheus, so that sums agree with it to the last bit. The library is compiled
 * with -ffp-contract=off: a fused multiply-add would change the results.
 */
static inline void kahan_add(double value, double *sum, double *c)
{
	double t = *sum + value;

	if (isinf(t))
		*c = 0;
	else if (fabs(*sum) >= fabs(value))
		*c += (*sum - t) + value;
	else
		*c += (value - t) + *sum;
	*sum = t;
}

#endif
