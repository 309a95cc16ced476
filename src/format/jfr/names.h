/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_NAMES_H
#define VARVE_FORMAT_JFR_NAMES_H

#include "base/str.h"

/*
 * Classes and libraries that a JVM or its libraries make up as they run carry a number or a hash,
 * so that one lambda has another name in each process. Such a name is cut to `head`, and `tail`
 * is put behind it: "App$$Lambda$75.0x0000000800c22a28" becomes "App$$Lambda" and "_". These are
 * the rules of Pyroscope, to the letter, so that profiles of both compare. All other names are
 * their own head.
 */
struct jfr_name {
	struct str head, tail;
};

struct jfr_name jfr_stable_name(struct str name);

#endif
