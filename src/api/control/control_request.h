/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_CONTROL_CONTROL_REQUEST_H
#define VARVE_API_CONTROL_CONTROL_REQUEST_H

#include "api/control/control.h"

/*
 * Read the JSON bodies of POST /api/v1/control and /api/v1/capture (docs/openapi.json). Strings
 * borrow from the body or the arena. An unknown field is an error. Return 0, or -EINVAL with the
 * field.
 */
MUST_USE int control_request_read(struct control_request *out, struct str body, struct arena *arena,
				  struct err *e);
MUST_USE int control_capture_request_read(struct control_capture_request *out, struct str body,
					  struct arena *arena, struct err *e);

#endif
