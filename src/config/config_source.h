/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CONFIG_CONFIG_SOURCE_H
#define VARVE_CONFIG_CONFIG_SOURCE_H

#include "config/yaml.h"

/* Private to src/config: read the sources of a configuration. */

/*
 * Read a source as config_merge() describes it. *in is what yaml_parse() needs; its text belongs to
 * `text`, or to `uri`. Return 0 or a negative errno with text in `e`.
 */
MUST_USE int config_source_read(struct config *c, struct buf *text, struct config_text *in,
				const char *uri, struct err *e);

/*
 * Append the text of a file, and note the file in c->files. `path` is NUL-terminated. `regular`:
 * refuse other files, such as pipes. Text has to be UTF-8, and at most CONFIG_TEXT_MAX.
 */
MUST_USE int config_source_file(struct config *c, struct buf *text, struct str path, bool regular,
				struct err *e);

#endif
