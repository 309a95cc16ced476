/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_OPTIONS_FILE_H
#define VARVE_SDK_OPTIONS_FILE_H

#include "sdk/options.h"

/*
 * Set the options that the text of a file gives and that are not set yet by code or environment.
 * `path` names the file in errors. 0, -EINVAL with "path:line: ...", or -ENOMEM.
 */
MUST_USE int sdk_options_from_file(struct sdk_options *out, struct str file, const char *path,
				   struct err *e);

#endif
