/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts percentages to thresholds, hashes ids, and reads and writes the member "ot" of a
 * tracestate.
 */
#include "pipeline/processors/probabilistic_sampler/consistent_sampling.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

enum {
	HASH_BITS = 14,
	HASH_BUCKETS = 1 << HASH_BITS,
	STATE_MAX = 1024, /* bytes of a tracestate */
	OT_MAX = 256,	  /* bytes of its member "ot" */
	MEMBERS_MAX = 32,
};

/* ---- thresholds ---- */

/* Return how many leading digits of a number below 1 are zero in base 16. */
static int leading_zeros(double x)
{
	int exponent;

	frexp(x, &exponent);
	return exponent / -4;
}

uint64_t sampling_threshold(double probability, int precision)
{
	uint64_t threshold;
	int zeros, more;

	if (!(probability >= 1.0 / (double)SAMPLING_RANGE && probability <= 1))
		return SAMPLING_NEVER;
	if (probability == 1)
		return SAMPLING_ALWAYS;
	/* Near 0 and 1 all thresholds begin with f or 0: these digits do not count. */
	zeros = leading_zeros(probability);
	more = leading_zeros(1 - probability);
	precision += zeros > more ? zeros : more;
	threshold = SAMPLING_RANGE - (uint64_t)round(probability * (double)SAMPLING_RANGE);
	if (precision < SAMPLING_DIGITS) {
		int shift = 4 * (SAMPLING_DIGITS - precision);

		threshold += (uint64_t)1 << (shift - 1);
		threshold = threshold >> shift << shift;
	}
	return threshold;
}

double sampling_probability(uint64_t threshold)
{
	return (double)(SAMPLING_RANGE - threshold) / (double)SAMPLING_RANGE;
}

/* Parse hexadecimal digits without a prefix. */
static int parse_hex_digits(struct str text, uint64_t *out)
{
	uint64_t value = 0;

	if (!text.n || text.n > SAMPLING_DIGITS)
		return -EINVAL;
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c >= '0' && c <= '9')
			value = value << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (uint64_t)(c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			value = value << 4 | (uint64_t)(c - 'A' + 10);
		else
			return -EINVAL;
	}
	*out = value;
	return 0;
}

int sampling_parse_randomness(struct str text, uint64_t *out)
{
	return text.n == SAMPLING_DIGITS ? parse_hex_digits(text, out) : -EINVAL;
}

int sampling_parse_threshold(struct str text, uint64_t *out)
{
	int rc = parse_hex_digits(text, out);

	if (!rc)
		*out <<= 4 * (SAMPLING_DIGITS - text.n);
	return rc;
}

const char *sampling_randomness_text(uint64_t randomness, char out[SAMPLING_TEXT_SIZE])
{
	snprintf(out, SAMPLING_TEXT_SIZE, "%014llx", (unsigned long long)randomness);
	return out;
}

const char *sampling_threshold_text(uint64_t threshold, char out[SAMPLING_TEXT_SIZE])
{
	size_t n = SAMPLING_DIGITS;

	sampling_randomness_text(threshold, out);
	while (n > 1 && out[n - 1] == '0')
		n--;
	out[n] = 0;
	return out;
}

/* ---- randomness ---- */

uint64_t sampling_trace_randomness(const uint8_t id[16])
{
	uint64_t randomness = 0;

	for (unsigned i = 9; i < 16; i++)
		randomness = randomness << 8 | id[i];
	return randomness;
}

static uint32_t fnv_add(uint32_t hash, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ p[i]) * 16777619u;
	return hash;
}

/*
 * The hash keeps items whose low 14 bits are below a limit; as randomness they count from the other
 * end. The remaining bits are filled so that other samplers have something to compare.
 */
uint64_t sampling_hash_randomness(struct str bytes, uint32_t seed)
{
	const uint8_t le[4] = {(uint8_t)seed, (uint8_t)(seed >> 8), (uint8_t)(seed >> 16),
			       (uint8_t)(seed >> 24)};
	uint32_t hash =
		fnv_add(fnv_add(2166136261u, le, sizeof(le)), (const uint8_t *)bytes.p, bytes.n);
	uint64_t low = hash & (HASH_BUCKETS - 1), unused = hash >> (32 - HASH_BITS);

	return (HASH_BUCKETS - 1 - low) << 42 | (unused ^ unused << 10) << 14 | low;
}

uint64_t sampling_hash_threshold(float percentage)
{
	/* In single precision and rounded down, as it has always been done. */
	uint32_t kept = (uint32_t)(percentage * (float)(HASH_BUCKETS / 100.0));

	return kept ? (uint64_t)(HASH_BUCKETS - kept) << 42 : SAMPLING_NEVER;
}

/* ---- tracestate ---- */

static bool is_lower_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_value_char(char c)
{
	return is_lower_letter(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
	       c == '_' || c == '-';
}

/* Cut the next "key:value" of a member "ot". Return false if it is not well-formed. */
static bool next_ot_field(struct str *rest, struct str *key, struct str *value)
{
	struct str field = str_cut(rest, ';');
	size_t colon = str_find(field, ':');

	*key = str_head(field, colon);
	*value = str_from_at(field, colon + 1);
	if (colon == field.n || !key->n || !is_lower_letter(key->p[0]))
		return false;
	for (size_t i = 1; i < key->n; i++)
		if (!is_lower_letter(key->p[i]) && !(key->p[i] >= '0' && key->p[i] <= '9'))
			return false;
	for (size_t i = 0; i < value->n; i++)
		if (!is_value_char(value->p[i]))
			return false;
	return true;
}

static int read_ot(struct str ot, struct sampling_marks *out)
{
	int rc = !ot.n || ot.n > OT_MAX ? -EINVAL : 0;

	while (ot.n && !rc) {
		struct str key, value;

		if (!next_ot_field(&ot, &key, &value))
			return -EINVAL;
		if (str_eq(key, STR("rv"))) {
			rc = sampling_parse_randomness(value, &out->randomness);
			out->has_randomness = true;
		} else if (str_eq(key, STR("th"))) {
			rc = sampling_parse_threshold(value, &out->threshold);
			out->has_threshold = true;
		}
	}
	return rc;
}

/* Cut the next "key=value" of a tracestate. Return false if it is not well-formed. */
static bool next_state_member(struct str *rest, struct str *member, struct str *key,
			      struct str *value)
{
	size_t equals;

	*member = str_trim(str_cut(rest, ','));
	equals = str_find(*member, '=');
	*key = str_head(*member, equals);
	*value = str_from_at(*member, equals + 1);
	if (!member->n)
		return true; /* empty members are allowed */
	return equals < member->n && key->n &&
	       (is_lower_letter(key->p[0]) || (key->p[0] >= '0' && key->p[0] <= '9'));
}

int sampling_read_state(struct str tracestate, struct sampling_marks *out)
{
	struct str member, key, value;
	unsigned members = 0;
	int rc = tracestate.n > STATE_MAX ? -EINVAL : 0;

	*out = (struct sampling_marks){0};
	while (tracestate.n && !rc) {
		if (!next_state_member(&tracestate, &member, &key, &value) ||
		    ++members > MEMBERS_MAX)
			return -EINVAL;
		if (str_eq(key, STR("ot")))
			rc = read_ot(value, out);
	}
	return rc;
}

static char *put_state_text(char *at, struct str s)
{
	if (s.n)
		memcpy(at, s.p, s.n);
	return at + s.n;
}

/* Append the fields of a member "ot" but the marks, each after a semicolon unless it is first. */
static char *put_other_fields(char *at, const char *start, struct str ot)
{
	struct str key, value;

	while (ot.n && next_ot_field(&ot, &key, &value)) {
		if (str_eq(key, STR("rv")) || str_eq(key, STR("th")))
			continue;
		at = put_state_text(at, at == start ? STR("") : STR(";"));
		at = put_state_text(put_state_text(put_state_text(at, key), STR(":")), value);
	}
	return at;
}

static char *put_marks(char *at, const struct sampling_marks *marks)
{
	char text[SAMPLING_TEXT_SIZE];

	if (marks->has_randomness) {
		at = put_state_text(at, STR("rv:"));
		at = put_state_text(at,
				    str_from(sampling_randomness_text(marks->randomness, text)));
	}
	if (marks->has_threshold) {
		at = put_state_text(at, marks->has_randomness ? STR(";th:") : STR("th:"));
		at = put_state_text(at, str_from(sampling_threshold_text(marks->threshold, text)));
	}
	return at;
}

int sampling_write_state(struct str tracestate, const struct sampling_marks *marks,
			 struct arena *arena, struct str *out)
{
	size_t room = tracestate.n + sizeof("ot=rv:;th:,") + (size_t)2 * SAMPLING_DIGITS;
	char *start = arena_alloc(arena, room, 1), *fields, *at;
	struct str member, key, value, rest = tracestate;

	if (!start)
		return -ENOMEM;
	fields = put_state_text(start, STR("ot="));
	at = put_marks(fields, marks);
	while (rest.n && next_state_member(&rest, &member, &key, &value))
		if (str_eq(key, STR("ot")))
			at = put_other_fields(at, fields, value);
	if (at == fields)
		at = start;
	rest = tracestate;
	while (rest.n && next_state_member(&rest, &member, &key, &value)) {
		if (!member.n || str_eq(key, STR("ot")))
			continue;
		at = put_state_text(put_state_text(at, at == start ? STR("") : STR(",")), member);
	}
	*out = str_of(start, (size_t)(at - start));
	return 0;
}
