/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_RANDOM_BATCH_H
#define VARVE_TEST_RANDOM_BATCH_H

#include "signal/profile/profile_builder.h"
#include "signal/profile/profile_rows.h"
#include "test/test.h"

/* Return a pseudo-random number below `below`; a seed gives the same sequence on every run. */
static inline uint32_t test_random(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*seed >> 33) % below);
}

static inline struct str test_text(char *text, size_t size, const char *word, uint32_t n)
{
	return str_of(text, (size_t)snprintf(text, size, "%s%u", word, n));
}

/* Add a stack of frames chosen from a few dozen. */
static inline int random_stack(struct profile_builder *b, uint64_t *seed, uint32_t *stack)
{
	uint32_t locations[12], n = test_random(seed, 12);
	char name[32], file[32];
	int rc = 0;

	for (uint32_t i = 0; !rc && i < n; i++)
		rc = profile_add_frame(
			b, test_text(name, sizeof(name), "function_", test_random(seed, 30)),
			test_text(file, sizeof(file), "file_", test_random(seed, 5)),
			test_random(seed, 3), &locations[i]);
	return rc ? rc : profile_add_stack(b, locations, n, stack);
}

/* Add a sample of shape 0: one value; 1: values with times; 2: times only. */
static inline int random_sample(struct profile_builder *b, uint64_t *seed, unsigned shape)
{
	struct profile_batch *batch = b->batch;
	struct link link = {.trace_id = {(uint8_t)test_random(seed, 3)}, .span_id = {1}};
	uint32_t stack, link_id = 0, thread, n = test_random(seed, 3) + 1;
	int rc = random_stack(b, seed, &stack);

	if (!rc && link.trace_id[0])
		rc = profile_add_link(b, &link, &link_id);
	if (!rc)
		rc = profile_add_attribute(b, STR("thread.id"), VALUE_OF_INT(test_random(seed, 3)),
					   STR(""), &thread);
	if (rc || !shape)
		return rc ? rc
			  : profile_add_sample(b, stack, link_id, &thread, 1,
					       (int64_t)test_random(seed, 100) - 10);
	rc = vec_push(&batch->arena, &batch->sample_attributes, thread);
	for (uint32_t i = 0; !rc && i < n; i++) {
		rc = vec_push(&batch->arena, &batch->times, 1000 + test_random(seed, 1000));
		if (!rc && shape == 1)
			rc = vec_push(&batch->arena, &batch->values, 1 + test_random(seed, 9));
	}
	return rc ? rc : profile_sample_end(batch, stack, link_id);
}

/* Build several resources, scopes and profiles of all shapes. */
static inline int random_batch(struct profile_builder *b, uint64_t seed, uint32_t profiles,
			       uint32_t samples)
{
	char text[32];
	int rc = 0;

	for (uint32_t p = 0; !rc && p < profiles; p++) {
		struct keyvalue kv = {STR("service.name"),
				      VALUE_OF_STR(test_text(text, sizeof(text), "service_",
							     test_random(&seed, 3)))};
		struct profile row = {.time_unix_nano = 1000, .duration_nano = 1001, .id = {7, 8}};

		row.id[15] = (uint8_t)p;
		rc = profile_add_resource(b, &kv, 1);
		if (!rc)
			rc = profile_add_scope(b, STR("scope"), STR(""), NULL, 0);
		if (!rc)
			rc = profile_add_string(b, p % 2 ? STR("cpu") : STR("wall"),
						&row.sample_type.type);
		if (!rc)
			rc = profile_add_profile(b, &row, NULL, 0);
		for (uint32_t i = 0; !rc && i < samples; i++)
			rc = random_sample(b, &seed, p % 3);
	}
	return rc;
}

#endif
