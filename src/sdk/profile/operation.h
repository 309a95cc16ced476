/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_PROFILE_OPERATION_H
#define VARVE_SDK_PROFILE_OPERATION_H

/*
 * Profiles of single operations: varve_profile_start() and varve_profile_stop(). Each is a window
 * of the collector. A handle is the number of a slot and its generation, so a handle that was
 * stopped, or belongs to a library that was stopped, is recognized.
 */
struct collector;

enum { OPERATIONS_MAX = 16 };

/* End all without a result: the library stops. */
void operations_stop(struct collector *c);

/* In a forked child, whose collector runs: end all without a result. */
void operations_forked(struct collector *c);

#endif
