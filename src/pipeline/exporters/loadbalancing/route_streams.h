/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_LOADBALANCING_ROUTE_STREAMS_H
#define VARVE_PIPELINE_EXPORTERS_LOADBALANCING_ROUTE_STREAMS_H

#include "pipeline/exporters/loadbalancing/hash_ring.h"
#include "signal/otlp/tree.h"

/*
 * Replace metrics whose data points belong to several endpoints by one metric for each endpoint, so
 * that all points of a metric of the tree belong together. Return 0, -ENOMEM or -EBADMSG.
 */
MUST_USE int route_split_streams(struct otlp_tree *tree, const struct hash_ring *ring,
				 struct arena *arena);

#endif
