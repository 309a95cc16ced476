/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_MESSAGE_EDIT_H
#define VARVE_PIPELINE_PROCESSORS_MESSAGE_EDIT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/*
 * Return in *out another message for `in`, or `in` itself: then nothing changes. Return 0, -ENOMEM
 * or -EBADMSG.
 */
typedef int message_editor(void *arg, struct arena *arena, struct str in, struct str *out);

/*
 * Call `edit` for each field number `field` of a message, which are messages themselves. *out is
 * the message with the edited fields, allocated in `arena`; it is `message` itself if none has
 * changed. Other fields keep their bytes and order. Return 0, or the first error.
 */
MUST_USE int message_edit(struct str message, uint32_t field, message_editor *edit, void *arg,
			  struct arena *arena, struct str *out);

#endif
