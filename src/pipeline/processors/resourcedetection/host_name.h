/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_RESOURCEDETECTION_HOST_NAME_H
#define VARVE_PIPELINE_PROCESSORS_RESOURCEDETECTION_HOST_NAME_H

#include "base/arena.h"
#include "base/err.h"

/* Return the name that the kernel has. 0, -ENOMEM or -errno. */
MUST_USE int host_name_of_system(struct arena *arena, struct str *out);

/*
 * Return the fully qualified name that the resolver (/etc/hosts, DNS) has for that name. 0,
 * -ENOMEM, -ENOENT if there is none, or -ETIMEDOUT.
 */
MUST_USE int host_name_of_resolver(struct arena *arena, uint64_t timeout_ns, struct str *out);

#endif
