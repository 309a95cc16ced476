/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_PRELOAD_PRELOAD_H
#define VARVE_SDK_PRELOAD_PRELOAD_H

/* Start the library as `varve run` asks for by the environment; nothing if it does not. */
void preload_start(void);

#endif
