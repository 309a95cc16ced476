/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_VARVE_LISTS_H
#define VARVE_API_VARVE_LISTS_H

#include "api/request.h"
#include "query/label_list.h"
#include "wire/json_write.h"

/*
 * Find out whether profiles of a service other than this server are stored, of any time. Return 0
 * or
 * -errno.
 */
MUST_USE int has_other_services(struct request *r, bool *out, struct err *e);

/* Append "types", an object for each; values that are not profile types are skipped. */
void put_types(struct json_writer *w, const struct label_list *types);

#endif
