/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_PRELOAD_PRELOAD_H
#define VARVE_SDK_PRELOAD_PRELOAD_H

/*
 * Start the library if `varve run` requests it by the environment (VARVE_AUTOSTART). Implemented in
 * main.c.
 */
void preload_start(void);

#endif
