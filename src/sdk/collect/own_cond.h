/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_OWN_COND_H
#define VARVE_SDK_COLLECT_OWN_COND_H

#include <pthread.h>

/*
 * For files of the library that wait for conditions themselves. glibc has two forms of these functions on x86-64, and a name without a version means the
 * old one, of another structure. In libvarve.so, which has functions of these names, our calls would be without a version: so they say which they mean. (LIBVARVE_SO: only there. Linked into a program they are
 * libc's or a sanitizer's.)
 */
#if defined(__x86_64__) && defined(LIBVARVE_SO)
__asm__(".symver pthread_cond_wait, pthread_cond_wait@GLIBC_2.3.2");
__asm__(".symver pthread_cond_timedwait, pthread_cond_timedwait@GLIBC_2.3.2");
#endif

#endif
