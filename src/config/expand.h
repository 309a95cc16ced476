/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CONFIG_EXPAND_H
#define VARVE_CONFIG_EXPAND_H

#include "config/config.h"

/*
 * Private to src/config: expand the references in the values of a configuration.
 *
 *	${env:NAME}, ${NAME}	an environment variable; ${env:NAME:-text}: with a default
 *	${file:PATH}		the text of a file, without its last newline
 *	${yaml:TEXT}		the text itself
 *	$$			a dollar sign; a $ before anything else but { is left as it is
 *
 * References may contain references: ${env:A:-${env:B}}. The text that replaces one is expanded
 * again. If a value consists of one reference only, the text is YAML, as if it stood in the place
 * of the value: a number, null, a map. Within a longer value it is text. Keys are not expanded.
 *
 * A variable that is not set and has no default is an error, or, with allow_unset, null or empty,
 * with a warning.
 *
 * Differences from the OpenTelemetry Collector: ${NAME:-text} is accepted; a file loses its last
 * newline, and an error of a reference names its place; a reference after an escaped $${ is
 * expanded, too.
 */
MUST_USE int expand_references(struct config *c, config_env *env, void *env_arg, struct err *e);

#endif
