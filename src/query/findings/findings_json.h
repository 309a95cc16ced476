/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_FINDINGS_FINDINGS_JSON_H
#define VARVE_QUERY_FINDINGS_FINDINGS_JSON_H

#include "query/findings/findings.h"
#include "wire/json_write.h"

/*
 * Append rules, samples and findings to an open JSON object, as docs/openapi.json describes them. 0 or
 * -ENOMEM.
 */
MUST_USE int findings_put_json(struct json_writer *w, const struct findings *f, struct tree *t);

#endif
