/* SPDX-License-Identifier: Apache-2.0 */
/* Protobuf is written backwards: the last field first, the header of a message after its fields. */
#include "sdk/export/otlp_parts.h"

void otlp_put_resource(struct proto_writer *w, const struct keyvalue *resource, uint32_t count)
{
	size_t end = proto_mark(w);

	for (uint32_t i = count; i-- > 0;)
		otlp_put_keyvalue(w, 1, &resource[i]);
	proto_put_header(w, 1, end);
}

void otlp_put_scope(struct proto_writer *w)
{
	size_t end = proto_mark(w);

	proto_put_bytes(w, 2, STR(VARVE_VERSION));
	proto_put_bytes(w, 1, STR("varve"));
	proto_put_header(w, 1, end);
}
