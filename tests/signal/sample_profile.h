/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_SAMPLE_PROFILE_H
#define VARVE_TEST_SAMPLE_PROFILE_H

#include "signal/profile/profile_builder.h"
#include "signal/profile/profile_rows.h"
#include "test/test.h"

/* Build a profile that uses every feature; each call builds the same rows. */
static inline int build_sample_profile(struct profile_builder *b)
{
	struct mapping mapping = {.start = 0x1000, .limit = 0x2000};
	struct keyvalue service = {STR("service.name"), VALUE_OF_STR(STR("shop"))};
	struct link link = {.trace_id = {1}, .span_id = {2}};
	struct line lines[2] = {{.line = 7}, {.line = 8}};
	uint32_t attribute, kernel, stack, locations[2], link_id, f;
	int rc = profile_add_resource(b, &service, 1);

	if (!rc)
		rc = profile_add_scope(b, STR("scope"), STR("1"), NULL, 0);
	if (!rc)
		rc = profile_add_profile(b, &(struct profile){.period = 1}, NULL, 0);
	if (!rc)
		rc = profile_add_attribute(b, STR("thread"), VALUE_OF_INT(4), STR("count"),
					   &attribute);
	if (!rc)
		rc = profile_add_attribute(b, STR("type"), VALUE_OF_STR(STR("kernel")), STR(""),
					   &kernel);
	if (!rc)
		rc = profile_add_string(b, STR("libc.so"), &mapping.filename);
	if (!rc)
		rc = profile_add_mapping(b, &mapping, &kernel, 1, &f);
	if (!rc)
		rc = profile_add_function(b, &(struct function){.name = mapping.filename},
					  &lines[0].function);
	if (!rc)
		rc = profile_add_location(b,
					  &(struct location_parts){.address = 0x1234,
								   .mapping = f,
								   .lines = lines,
								   .line_count = 2,
								   .attributes = &kernel,
								   .attribute_count = 1},
					  &locations[0]);
	if (!rc)
		rc = profile_add_frame(b, STR("main"), STR("main.c"), 3, &locations[1]);
	if (!rc)
		rc = profile_add_stack(b, locations, 2, &stack);
	if (!rc)
		rc = profile_add_link(b, &link, &link_id);
	if (!rc)
		rc = profile_add_sample(b, stack, link_id, &attribute, 1, -5);
	return rc;
}

static inline void assert_valid(const struct profile_batch *b)
{
	struct err e = {0};

	assert_ok_err(profile_batch_check(b, &e), &e);
}

#endif
