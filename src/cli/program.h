/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_PROGRAM_H
#define VARVE_CLI_PROGRAM_H

#include "base/err.h"

enum { PROGRAM_PATH_MAX = 4096 };

/* Programs and libraries in the file system, for varve run and varve demo. */

/* Find the file that execvp() would execute for `name`. Return 0 or -errno, usually -ENOENT. */
MUST_USE int program_find(const char *name, char path[PROGRAM_PATH_MAX], struct err *e);

/*
 * Check that LD_PRELOAD has an effect on a program. Return 0, or -ENOTSUP with an alternative in
 * `e`: static programs have no loader, and setuid and setgid programs ignore LD_PRELOAD. Scripts
 * and files of unknown formats pass.
 */
MUST_USE int program_check_preload(const char *path, struct err *e);

/*
 * Find libvarve.so: $VARVE_LIBRARY if it is set, else in the directory of this program or in the
 * lib directory of its prefix. Return 0 or -errno.
 */
MUST_USE int program_find_library(char path[PROGRAM_PATH_MAX], struct err *e);

#endif
