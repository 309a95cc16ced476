/* SPDX-License-Identifier: Apache-2.0 */
#include "format/otlp/otlp_names.h"

#include "format/otlp/utf8_repair.h"
#include "signal/span_batch.h"

int otlp_repair_name(struct arena *a, struct str s, struct str *out)
{
	int rc = otlp_repair_utf8(a, s, out);

	if (rc || out->n <= SPAN_NAME_MAX)
		return rc;
	out->n = SPAN_NAME_MAX;
	while (out->n && ((unsigned char)out->p[out->n] & 0xc0) == 0x80)
		out->n--;
	return 0;
}

int otlp_service_name(struct arena *a, struct str service, struct str program, struct str *out)
{
	struct str name = service.n ? service : STR("unknown_service");
	int rc = 0;

	if (!service.n && program.n)
		rc = arena_printf(a, &name, "unknown_service:%.*s", STR_ARG(program));
	return rc ? rc : otlp_repair_name(a, name, out);
}
