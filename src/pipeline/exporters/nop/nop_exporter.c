/* SPDX-License-Identifier: Apache-2.0 */
/* The nop exporter: for measuring pipelines, and as a placeholder. */
#include "pipeline/exporters/nop/nop_exporter.h"

static const struct setting settings[] = {
	SET_END,
};

/* The exporter has no state; the service wants an instance that is not NULL. */
static char instance_of_all;

static int nop_create(void **instance, const struct component_env *env, const void *none,
		      struct err *e)
{
	(void)env;
	(void)none;
	(void)e;
	*instance = &instance_of_all;
	return 0;
}

static bool nop_consume(void *instance, struct delivery *d)
{
	(void)instance;
	d->copied = true;
	delivery_done(d, &(struct delivery_result){0});
	return true;
}

static void nop_destroy(void *instance)
{
	(void)instance;
}

const struct component nop_exporter = {
	.name = "nop",
	.kind = COMPONENT_EXPORTER,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
	.form = FORM_ANY,
	.help = "Discards everything.",
	.settings = settings,
	.create = nop_create,
	.consume = nop_consume,
	.destroy = nop_destroy,
};
