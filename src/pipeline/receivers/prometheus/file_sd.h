/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PROMETHEUS_FILE_SD_H
#define VARVE_PIPELINE_RECEIVERS_PROMETHEUS_FILE_SD_H

#include "pipeline/receivers/prometheus/scrape_config.h"

/* Reads the files of file_sd_configs: lists of {targets, labels} in JSON or YAML. */

/*
 * Parse the text of a file; `source` names it in errors. The groups belong to `config`, which is
 * initialized. Return 0, -ENOMEM, or -EINVAL with text in `e`.
 */
MUST_USE int file_sd_parse(struct target_groups *out, struct str text, const char *source,
			   struct config *config, struct err *e);

/*
 * Read all files of a pattern and call `each` with the groups of each file. Return 0, the result of
 * `each` if it is not 0, or a negative errno with text in `e`. A pattern without files is no error.
 */
MUST_USE int file_sd_load(struct str pattern,
			  int (*each)(void *arg, struct str path,
				      const struct target_groups *groups),
			  void *arg, struct err *e);

#endif
