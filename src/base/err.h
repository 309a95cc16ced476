/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_ERR_H
#define VARVE_BASE_ERR_H

#include "base/base.h"

enum { ERR_TEXT_MAX = 512 };

/*
 * What went wrong, in words a user can act on: one line, no newline, no capital, no full stop.
 * The first error set stays (the cause), later ones only wrap it with err_prefix().
 * Every function that takes one takes NULL as well.
 */
struct err {
	int code; /* 0 or a negative errno */
	char text[ERR_TEXT_MAX];
};

/* Set code and text unless an error is set already. Returns `code`, so that `return err_set(...)` reads well. */
int err_set(struct err *e, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The static analyzer does not look into variadic functions: tell it what comes back. */
#ifdef __clang_analyzer__
#define err_set(e, code, ...) ((void)(err_set)((e), (code), __VA_ARGS__), (code))
#endif

/* Put "prefix: " before the text, e.g. the name of the file. */
void err_prefix(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The usual text for a negative errno that has no better one. Returns `code`. */
int err_errno(struct err *e, int code, const char *doing);

#ifdef __clang_analyzer__
#define err_errno(e, code, doing) ((void)(err_errno)((e), (code), (doing)), (code))
#endif

#endif
