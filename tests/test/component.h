/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_COMPONENT_H
#define VARVE_TEST_COMPONENT_H

/* One component, configured by YAML, for tests that drive it without a service. */

#include "pipeline/component.h"
#include "test/test.h"

struct test_component {
	const struct component *type;
	struct config config;
	struct arena arena;
	void *settings, *instance; /* instance: NULL unless created */
	struct err e;
};

/* Read and check the settings, and create the instance. Return 0 or -errno; see x->e. */
static inline int test_component_new(struct test_component *x, const struct component *type,
				     const struct component_env *env, const char *yaml)
{
	int rc;

	*x = (struct test_component){.type = type};
	arena_init(&x->arena, NULL);
	assert_ok(config_init(&x->config, NULL));
	assert_ok_err(config_parse(&x->config, str_from(yaml), "test", NULL, NULL, &x->e), &x->e);
	x->settings = arena_zalloc(&x->arena, 1, type->settings_size + 1);
	rc = type->settings ? settings_read(type->settings, x->config.root, type->name, x->settings,
					    &x->arena, &x->e)
			    : 0;
	if (!rc && type->check)
		rc = type->check(x->settings, &x->e);
	if (!rc)
		rc = type->create(&x->instance, env, x->settings, &x->e);
	return rc;
}

static inline void test_component_free(struct test_component *x)
{
	if (x->instance)
		x->type->destroy(x->instance);
	arena_fini(&x->arena);
	config_fini(&x->config);
}

/* Assert that the configuration is refused with a text that contains `part`. */
static inline void test_component_refused(const struct component *type,
					  const struct component_env *env, const char *yaml,
					  const char *part)
{
	struct test_component x;

	assert_int_not_equal(test_component_new(&x, type, env, yaml), 0);
	assert_err_says(&x.e, part);
	test_component_free(&x);
}

#endif
