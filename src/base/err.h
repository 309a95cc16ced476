/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_ERR_H
#define VARVE_BASE_ERR_H

#include "base/base.h"

enum { ERR_TEXT_MAX = 512 };

/*
 * An error that a user can act on: one line without newline, initial capital or full stop. The
 * first error that is set (the cause) stays; callers only add context with err_prefix(). Every
 * function that takes a struct err accepts NULL.
 */
struct err {
	int code; /* 0 or a negative errno */
	char text[ERR_TEXT_MAX];
};

/* Set code and text unless an error is set already. Return `code`. */
int err_set(struct err *e, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The static analyzer does not follow variadic functions: show it the return value. */
#ifdef __clang_analyzer__
#define err_set(e, code, ...) ((void)(err_set)((e), (code), __VA_ARGS__), (code))
#endif

/* Prepend "prefix: " to the text, such as the name of the file. */
void err_prefix(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Set "doing: " and the system's text for a negative errno. Return `code`. */
int err_errno(struct err *e, int code, const char *doing);

#ifdef __clang_analyzer__
#define err_errno(e, code, doing) ((void)(err_errno)((e), (code), (doing)), (code))
#endif

#endif
