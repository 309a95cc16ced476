/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_VERSION_H
#define VARVE_CLI_VERSION_H

/* What git says of the sources that were built: a tag or commit, and whether they were changed. */
extern const char version_build[];

#endif
