/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_PROGRAM_H
#define VARVE_CLI_PROGRAM_H

#include "base/err.h"

enum { PROGRAM_PATH_MAX = 4096 };

/* The file that execvp() would take for that name. 0, or -ENOENT with a line in `e`. */
MUST_USE int program_find(const char *name, char path[PROGRAM_PATH_MAX], struct err *e);

/*
 * Can a library be preloaded into it? 0, or -ENOTSUP with the reason and what to do instead: static programs have no
 * loader, setuid and setgid ones ignore what their caller asks for. Scripts and what is not ELF are taken as they come.
 */
MUST_USE int program_takes_preload(const char *path, struct err *e);

/* libvarve.so: as VARVE_LIBRARY says, beside this program, or in the lib directory of its prefix. 0 or -ENOENT. */
MUST_USE int program_find_library(char path[PROGRAM_PATH_MAX], struct err *e);

#endif
