/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_OWN_COND_H
#define VARVE_SDK_COLLECT_OWN_COND_H

#include <pthread.h>

/*
 * To be included by files of the library that wait for condition variables. glibc has two versions
 * of these functions on x86-64, and an unversioned reference means the old one, with another struct
 * layout. libvarve.so defines functions of these names, so its own references would be unversioned;
 * the directives bind them to the new version. LIBVARVE_SO is defined only there: linked into a
 * program they are libc's or a sanitizer's.
 */
#if defined(__x86_64__) && defined(LIBVARVE_SO)
__asm__(".symver pthread_cond_wait, pthread_cond_wait@GLIBC_2.3.2");
__asm__(".symver pthread_cond_timedwait, pthread_cond_timedwait@GLIBC_2.3.2");
#endif

#endif
