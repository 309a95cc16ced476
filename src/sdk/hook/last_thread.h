/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_LAST_THREAD_H
#define VARVE_SDK_HOOK_LAST_THREAD_H

#include <stdint.h>

/*
 * End the process when no thread of the host is left. A program that leaves main() by
 * pthread_exit() ends with its last thread: libc then calls exit(0). The library's threads would
 * keep it alive for ever, so the library does what libc would have done. Called by the collector in
 * each tick.
 */
void last_thread_tick(uint64_t now_ns);

#endif
