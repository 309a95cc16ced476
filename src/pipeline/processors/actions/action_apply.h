/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_ACTIONS_ACTION_APPLY_H
#define VARVE_PIPELINE_PROCESSORS_ACTIONS_ACTION_APPLY_H

#include "pipeline/delivery.h"
#include "pipeline/processors/actions/attribute_actions.h"
#include "signal/otlp/attributes.h"

/* Applies actions to attributes. What changes is allocated in the arena of the scratch. */
struct action_context {
	const struct attribute_actions *actions;
	const struct delivery *delivery; /* its headers are the source of from_context */
	struct scratch *scratch;
	uint32_t field; /* of the attributes in the message; for action_apply_message() */
};

/* Apply the actions to a list. *changed is set if there was any change. Return 0 or -ENOMEM. */
MUST_USE int action_apply(const struct action_context *c, struct attributes *list, bool *changed);

/*
 * Apply the actions to the attributes of a message. *out is the new message, or `message` itself
 * if nothing has changed. Return 0, -ENOMEM or -EBADMSG.
 */
MUST_USE int action_apply_message(const struct action_context *c, struct str message,
				  struct str *out);

#endif
