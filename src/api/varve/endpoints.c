/* SPDX-License-Identifier: Apache-2.0 */
#include "api/endpoint.h"

const struct endpoint varve_endpoints[1];
const size_t varve_endpoint_count = 0;
