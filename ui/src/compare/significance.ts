// SPDX-License-Identifier: Apache-2.0
// Which changes are larger than the sampling error. A sampled value is a number of samples times
// the period; a number c of independent samples has the variance c. The logarithm of the ratio of
// two such numbers has the variance 1/c0 + 1/c1, also after both sides were scaled. Of many rows
// compared at once, the Benjamini-Hochberg procedure limits the share of false ones among those
// that are reported.
import { DiffAnswer } from "../api/types";
import { State } from "../url";

// The value of one sample on each side, after scaling.
export interface Grain {
  before: number;
  after: number;
}

const mostSamples = 1e8; // a smaller period is no period of a profiler
const falseShare = 0.05;

function commonDivisor(a: number, b: number): number {
  while (b) [a, b] = [b, a % b];
  return a;
}

// Return the value of one sample: the greatest common divisor of all values. Undefined if the values
// are not multiples of a period: measured amounts have no sampling error of this kind.
export function grainOf(answer: DiffAnswer): number | undefined {
  let grain = 0;
  for (const row of answer.rows)
    for (const value of [row.self.before_unscaled ?? row.self.before, row.self.after]) {
      if (!Number.isSafeInteger(value) || value < 0) return undefined;
      grain = commonDivisor(value, grain);
    }
  const most = Math.max(answer.before.total, answer.after.total);
  return grain > 0 && most / grain <= mostSamples && !answer.gauge ? grain : undefined;
}

const half = 0.5; // keeps the logarithm of a count of zero finite

// Return the change of a value in standard errors; 0: both sides have no samples. `totals`: to
// compare shares, the sums of both sides.
export function errorsOf(
  before: number,
  after: number,
  grain: Grain,
  totals?: { before: number; after: number },
): number {
  const [c0, c1] = [Math.abs(before) / grain.before, Math.abs(after) / grain.after];
  if (c0 + c1 === 0) return 0;
  // The ratio of the values, or that of their shares.
  const value = grain.after / grain.before;
  const whole = totals ? totals.before / totals.after : 1;
  const ratio = Math.log(((c1 + half) / (c0 + half)) * value * whole);
  // The variance of a share is smaller: p is known to be at most 1.
  const [p0, p1] = totals ? [before / totals.before, after / totals.after] : [0, 0];
  const variance = (1 - Math.min(1, p0)) / (c0 + half) + (1 - Math.min(1, p1)) / (c1 + half);
  return variance > 0 ? ratio / Math.sqrt(variance) : 0;
}

// Return the probability of a standard normal value at least as far from zero (Abramowitz and
// Stegun 7.1.26, error below 2e-7).
export function twoSided(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const poly =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return poly * Math.exp(-x * x);
}

// Return the least number of standard errors that is significant among all of these.
export function thresholdOf(errors: readonly number[]): number {
  const sizes = errors.map(Math.abs).sort((a, b) => b - a);
  for (let i = sizes.length - 1; i >= 0; i--)
    if (twoSided(sizes[i]) <= (falseShare * (i + 1)) / sizes.length) return sizes[i];
  return Infinity;
}

export interface Significance {
  grain: Grain;
  errors: readonly number[]; // by row
  threshold: number;
  isNoise: (row: number) => boolean;
}

// Judge all rows of an answer; undefined if the sampling error is not known. `factors`: those with
// which both sides were scaled.
export function significanceOf(
  answer: DiffAnswer,
  of: State["of"],
  grain: number | undefined,
  factors: Grain,
): Significance | undefined {
  if (!grain) return undefined;
  const grains = { before: grain * factors.before, after: grain * factors.after };
  const totals = answer.normalised
    ? { before: answer.before.kept, after: answer.after.kept }
    : undefined;
  const errors = answer.rows.map((row) =>
    errorsOf(row[of].before_unscaled ?? row[of].before, row[of].after, grains, totals),
  );
  const threshold = thresholdOf(errors.filter((z, i) => z !== 0 || answer.rows[i][of].delta !== 0));
  return { grain: grains, errors, threshold, isNoise: (row) => Math.abs(errors[row]) < threshold };
}
