/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_SUMMARY_H
#define VARVE_SDK_COLLECT_SUMMARY_H

/*
 * Files for the summary that `varve run` prints at the end. All functions do nothing unless
 * VARVE_SUMMARY names a directory.
 */

struct sdk;
struct varve_delivery;

/*
 * Return the directory, or NULL. The first call decides, because programs change their environment.
 */
const char *sdk_summary_directory(void);

/* Write one pprof file per kind, with all that was profiled since the start. */
void sdk_write_summary(struct sdk *s);

/* Write the numbers of confirmed, failed and pending exports. */
void sdk_write_delivery(const struct varve_delivery *d);

/* Write a note of the kind "start" (an error at start), "seccomp" or "cut". */
void sdk_write_note(const char *name, const char *text);

#endif
