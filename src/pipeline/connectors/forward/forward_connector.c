/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forward connector: data of one pipeline goes on in others of the same signal, as it is. It
 * joins pipelines into one, or shares the first processors of several.
 */
#include "pipeline/connectors/forward/forward_connector.h"

#include <errno.h>
#include <stdlib.h>

struct forward_instance {
	struct consumer *next[SIGNALS];
};

static const struct setting settings[] = {
	SET_END,
};

static int forward_create(void **instance, const struct component_env *env, const void *none,
			  struct err *e)
{
	struct forward_instance *f = malloc(sizeof(*f));

	(void)none;
	if (!f)
		return err_errno(e, -ENOMEM, "forward");
	memcpy(f->next, env->next, sizeof(f->next));
	*instance = f;
	return 0;
}

static bool forward_consume(void *instance, struct delivery *d)
{
	struct forward_instance *f = instance;

	return consumer_consume(f->next[signal_index(d->signal)], d);
}

const struct component forward_connector = {
	.name = "forward",
	.kind = COMPONENT_CONNECTOR,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
	.form = FORM_ANY,
	.help = "Passes data on to other pipelines of the same signal.",
	.settings = settings,
	.create = forward_create,
	.consume = forward_consume,
	.destroy = free,
};
