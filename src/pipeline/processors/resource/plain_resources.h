/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_RESOURCE_PLAIN_RESOURCES_H
#define VARVE_PIPELINE_PROCESSORS_RESOURCE_PLAIN_RESOURCES_H

#include "signal/otlp/tree.h"

/*
 * The resources of profiles may refer to the strings of the message's dictionary for keys and
 * values of their attributes. Write such attributes with their texts, so that the attributes can
 * be read and replaced like those of other signals. Other signals are left as they are. Return 0,
 * -ENOMEM or -EBADMSG.
 */
MUST_USE int plain_resources(struct otlp_tree *tree, struct arena *arena);

#endif
