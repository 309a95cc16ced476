/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_PROBABILISTIC_SAMPLER_CONSISTENT_SAMPLING_H
#define VARVE_PIPELINE_PROCESSORS_PROBABILISTIC_SAMPLER_CONSISTENT_SAMPLING_H

#include "base/arena.h"
#include "base/err.h"

/*
 * Consistent probability sampling of OpenTelemetry: an item has 56 bits of randomness and is kept
 * if they are at least the threshold, which is the share of items that are dropped. Both are
 * written in hexadecimal: the randomness ("rv") with 14 digits, the threshold ("th") without
 * trailing zeros. Spans have them in the member "ot" of the tracestate.
 */
#define SAMPLING_RANGE ((uint64_t)1 << 56)
#define SAMPLING_NEVER SAMPLING_RANGE /* a threshold that no randomness reaches */
#define SAMPLING_ALWAYS ((uint64_t)0)

enum { SAMPLING_DIGITS = 14, SAMPLING_TEXT_SIZE = SAMPLING_DIGITS + 1 };

/*
 * Return the threshold of a probability, rounded to `precision` significant digits; NEVER for one
 * that is not from 2^-56 to 1.
 */
uint64_t sampling_threshold(double probability, int precision);
double sampling_probability(uint64_t threshold);

/* Parse texts. Return 0 or -EINVAL. */
MUST_USE int sampling_parse_randomness(struct str text, uint64_t *out);
MUST_USE int sampling_parse_threshold(struct str text, uint64_t *out);

/* Format as text with a NUL. Return `out`. */
const char *sampling_randomness_text(uint64_t randomness, char out[SAMPLING_TEXT_SIZE]);
const char *sampling_threshold_text(uint64_t threshold, char out[SAMPLING_TEXT_SIZE]);

/* Return the randomness of a trace id of 16 bytes: its last 7. */
uint64_t sampling_trace_randomness(const uint8_t id[16]);

/*
 * The mode hash_seed: 14 bits of an FNV-1a hash decide. The result is a randomness for which a
 * threshold gives the same decision as the hash.
 */
uint64_t sampling_hash_randomness(struct str bytes, uint32_t seed);
uint64_t sampling_hash_threshold(float percentage);

/* What an item says about its sampling. */
struct sampling_marks {
	bool has_randomness, has_threshold;
	uint64_t randomness, threshold;
};

/* Read the marks of a tracestate. Return 0, or -EINVAL if it is not well-formed. */
MUST_USE int sampling_read_state(struct str tracestate, struct sampling_marks *out);

/* Return in *out the tracestate with other marks. Return 0 or -ENOMEM. */
MUST_USE int sampling_write_state(struct str tracestate, const struct sampling_marks *marks,
				  struct arena *arena, struct str *out);

#endif
