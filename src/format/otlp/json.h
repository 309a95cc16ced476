/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_JSON_H
#define VARVE_FORMAT_OTLP_JSON_H

#include "base/buf.h"
#include "base/err.h"
#include "format/otlp/schema.h"
#include "wire/json.h"

/* Append the protobuf of the message that the parsed document is. 0, -EBADMSG or -ENOMEM. */
MUST_USE int otlp_transcode_to_proto(struct buf *out, const struct otlp_message *m,
				     const struct json *doc, struct err *e);

/* Append the JSON of the message, on one line. 0, -EBADMSG or -ENOMEM. */
MUST_USE int otlp_transcode_to_json(struct buf *out, const struct otlp_message *m,
				    struct str message, struct err *e);

#endif
