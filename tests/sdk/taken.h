/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_SDK_TAKEN_H
#define VARVE_TESTS_SDK_TAKEN_H

#include <string.h>

#include "format/format.h"
#include "signal/profile/profile_ops.h"
#include "test/test.h"
#include "varve/varve.h"

/* Skip the calling test under a sanitizer, where libc's functions are not interposed. */
#define needs_interposed()                                                                         \
	do {                                                                                       \
		if (!INTERPOSED) {                                                                 \
			print_message("skipped: nothing is interposed under a sanitizer\n");       \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

/* A profile made by the library, decoded. */
struct taken {
	struct profile_batch batch;
	void *bytes;
	size_t size;
};

/* Decode pprof bytes; the caller keeps ownership of them. */
static inline void taken_read(struct taken *t, const void *bytes, size_t size)
{
	struct decode_options options = {0};
	struct err e = {0};

	*t = (struct taken){0};
	assert_ok(profile_batch_init(&t->batch, NULL));
	assert_ok_err(format_decode(&t->batch, str_of(bytes, size), NULL, STR("x.pb.gz"), &options,
				    NULL, &e),
		      &e);
}

static inline void taken_take(struct taken *t, enum varve_profile kind, unsigned seconds)
{
	void *bytes = NULL;
	size_t size = 0;
	int rc = varve_take_profile(kind, seconds, &bytes, &size);

	if (rc)
		fail_msg("varve_take_profile(%d, %u): %d: %s", kind, seconds, rc,
			 varve_last_error());
	taken_read(t, bytes, size);
	t->bytes = bytes;
	t->size = size;
}

static inline void taken_fini(struct taken *t)
{
	profile_batch_fini(&t->batch);
	varve_free(t->bytes);
}

static inline bool taken_stack_has(const struct profile_batch *b, uint32_t stack,
				   const char *function)
{
	uint32_t n;
	const uint32_t *locations = stack_of(b, stack, &n);

	for (uint32_t i = 0; i < n; i++) {
		const struct location *l = &b->locations.at[locations[i]];

		for (uint32_t k = 0; k < l->lines.n; k++) {
			uint32_t name = b->functions.at[b->lines.at[l->lines.at + k].function].name;

			if (str_eq(string_of(b, name), str_from(function)))
				return true;
		}
	}
	return false;
}

static inline bool taken_sample_is(const struct profile_batch *b, uint32_t sample, const char *key,
				   const char *value)
{
	for (uint32_t i = b->sample_attributes_at[sample]; i < b->sample_attributes_at[sample + 1];
	     i++) {
		const struct attribute *a = &b->attributes.at[b->sample_attributes.at[i]];

		if (str_eq(string_of(b, a->key), str_from(key)) && a->value.kind == VALUE_STRING &&
		    str_eq(a->value.s, str_from(value)))
			return true;
	}
	return false;
}

/*
 * Return the sum of a sample type (such as "cpu") over the samples that have the function in their
 * stack and the attribute. NULL matches any.
 */
static inline int64_t taken_sum(const struct taken *t, const char *type, const char *function,
				const char *key, const char *value)
{
	const struct profile_batch *b = &t->batch;
	int64_t sum = 0;

	for (uint32_t p = 0; p < b->profiles.n; p++) {
		const struct profile *profile = &b->profiles.at[p];

		if (!str_eq(string_of(b, profile->sample_type.type), str_from(type)))
			continue;
		for (uint32_t i = profile->sample_first;
		     i < profile->sample_first + profile->sample_count; i++)
			if ((!function || taken_stack_has(b, b->sample_stack[i], function)) &&
			    (!key || taken_sample_is(b, i, key, value)))
				sum += sample_total(b, i);
	}
	return sum;
}

/* Return the share of the function in percent. */
static inline double taken_percent(const struct taken *t, const char *type, const char *function)
{
	double all = (double)taken_sum(t, type, NULL, NULL, NULL);

	return all > 0 ? 100 * (double)taken_sum(t, type, function, NULL, NULL) / all : 0;
}

#endif
