/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_HOSTMETRICS_RECEIVER_H
#define VARVE_PIPELINE_RECEIVERS_HOSTMETRICS_RECEIVER_H

#include "pipeline/component.h"

/* hostmetrics: CPU, load, memory, disks, file systems, network, paging and processes of the host. */
extern const struct component hostmetrics_receiver;

#endif
