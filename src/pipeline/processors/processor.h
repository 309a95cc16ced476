/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_PROCESSOR_H
#define VARVE_PIPELINE_PROCESSORS_PROCESSOR_H

#include "pipeline/component.h"

/* What processors share. */

/* Return the next consumer of a processor, whose pipeline has one signal. */
static inline struct consumer *processor_next(const struct component_env *env)
{
	for (unsigned i = 0; i < SIGNALS; i++)
		if (env->next[i])
			return env->next[i];
	return NULL;
}

#endif
