/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of an audit log, and bodies of control requests: refused with a reason, or accepted. */
#include <stdint.h>
#include <stdlib.h>

#include "api/access/audit.h"
#include "api/control/control_request.h"
#include "base/arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str in = str_of((const char *)data, size);
	struct control_capture_request capture;
	struct control_request control;
	struct audit_chain chain = {0};
	struct arena arena;
	struct err e = {0};

	arena_init(&arena, NULL);
	if (control_request_read(&control, in, &arena, &e) && !e.text[0])
		abort();
	e = (struct err){0};
	if (control_capture_request_read(&capture, in, &arena, &e) && !e.text[0])
		abort();
	e = (struct err){0};
	if (audit_check_line(&chain, in, &e) ? !e.text[0] : !chain.lines)
		abort();
	arena_fini(&arena);
	return 0;
}
