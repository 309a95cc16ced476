/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_PROFILE_PROFILE_SPLIT_H
#define VARVE_SIGNAL_PROFILE_PROFILE_SPLIT_H

#include "signal/profile/profile.h"

struct profile_split_limits {
	size_t bytes;	  /* of the OTLP protobuf encoding of a part */
	uint32_t samples; /* in a part; at least 1 */
};

/*
 * Split a batch into parts within the limits, each filled before the next one. Samples of one
 * profile are spread over several parts if needed, and so are the observations of one sample that
 * does not fit into a part alone. Each part has its own dictionary. emit() gets each part
 * normalized and must not retain it; a non-zero return value ends the split. Profiles without
 * samples are left out. Return -E2BIG when a single observation does not fit with its stack.
 */
MUST_USE int profile_split(const struct profile_batch *src,
			   const struct profile_split_limits *limits,
			   int (*emit)(const struct profile_batch *part, void *arg), void *arg,
			   struct err *e);

#endif
