/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILE_STORAGE_H
#define VARVE_PIPELINE_FILE_STORAGE_H

#include "pipeline/component.h"

/*
 * A directory in which components keep what has to survive a restart: queues of exporters, offsets
 * of tailed files. Each component makes its own files below it, named after its id.
 */
extern const struct component file_storage_extension;

#endif
