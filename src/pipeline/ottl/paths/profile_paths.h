/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROFILE_PATHS_H
#define VARVE_PIPELINE_PROFILE_PATHS_H

#include "pipeline/ottl/paths/ottl_paths.h"

/*
 * The paths of profiles, whose texts and attributes are in the dictionary of the message. The
 * dictionary is not changed, so attributes of profiles can be read only.
 */
extern const struct ottl_path_def ottl_profile_paths[];

#endif
