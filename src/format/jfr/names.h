/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_NAMES_H
#define VARVE_FORMAT_JFR_NAMES_H

#include "base/str.h"

/*
 * Stable names of generated classes and libraries. Classes and libraries that a JVM or its
 * libraries generate at run time carry a number or a hash, so the same lambda has a different name
 * in each process. Such a name is cut to `head` and gets the suffix `tail`:
 * "App$$Lambda$75.0x0000000800c22a28" becomes "App$$Lambda" and "_". The rules are exactly
 * Pyroscope's, so that profiles of both can be compared. For all other names `head` is the name.
 */
struct jfr_name {
	struct str head, tail;
};

struct jfr_name jfr_stable_name(struct str name);

#endif
