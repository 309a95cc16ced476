/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_VERSION_H
#define VARVE_CLI_VERSION_H

/* The output of git describe for the sources: tag or commit, with "-dirty" for local changes. */
extern const char version_build[];

#endif
