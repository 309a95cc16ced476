/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SANITIZE_REPORT_H
#define VARVE_CLI_SANITIZE_REPORT_H

#include "base/buf.h"
#include "base/container/vec.h"
#include "signal/sanitize/sanitize.h"

/*
 * What `varve sanitize --dry-run` shows: findings by rule, place and key, each with a hint of the
 * first text: two characters of a long one and its length, never more.
 */
enum { SANITIZE_ROWS_MAX = 1000, SANITIZE_HINT = 48, SANITIZE_KEY_SHOWN = 64 };

struct sanitize_report_row {
	const char *rule;
	enum sanitize_place place;
	char key[SANITIZE_KEY_SHOWN], hint[SANITIZE_HINT];
	uint64_t count;
};

struct sanitize_report {
	struct arena arena;
	VEC(struct sanitize_report_row) rows; /* findings beyond the maximum are only counted */
	uint64_t total;
};

void sanitize_report_init(struct sanitize_report *r);
void sanitize_report_fini(struct sanitize_report *r);

/* The callback of struct sanitize_run; `arg` is the report. */
void sanitize_report_add(void *arg, const char *rule, enum sanitize_place place, struct str key,
			 struct str found);

/* Append the table of findings. */
void sanitize_report_write(const struct sanitize_report *r, const char *path, struct buf *out);

#endif
