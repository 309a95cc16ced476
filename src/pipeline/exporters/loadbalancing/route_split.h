/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_LOADBALANCING_ROUTE_SPLIT_H
#define VARVE_PIPELINE_EXPORTERS_LOADBALANCING_ROUTE_SPLIT_H

#include "pipeline/exporters/loadbalancing/hash_ring.h"
#include "pipeline/exporters/loadbalancing/route_keys.h"

/* Splits a payload into one for each backend that the keys of its items belong to. */
struct route_part {
	uint32_t endpoint;
	struct payload *payload; /* NULL: the whole payload */
};

struct route_parts {
	struct route_part *at; /* in the arena */
	uint32_t count;
};

struct route_rule {
	enum route_by by; /* of route_by_of() */
	struct setting_list attributes;
	const struct hash_ring *ring;
	uint32_t endpoints;
};

/*
 * Return 0, -ENOMEM, or -EBADMSG with text in `e`. The caller owns the references of the parts.
 * Without items there are no parts.
 */
MUST_USE int route_split(struct route_parts *out, const struct payload *p,
			 const struct route_rule *rule, struct arena *arena, struct budget *budget,
			 struct err *e);

#endif
