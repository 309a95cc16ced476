/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_LABELS_H
#define VARVE_SDK_LABELS_H

#include "base/str.h"

/*
 * Labels of threads (varve_label()). A set of labels is made once and has a number, which is all that a sample carries; sets never
 * change and live until labels_stop().
 */
enum {
	LABELS_MAX = 8,	       /* of a thread */
	LABEL_SETS_MAX = 4096, /* different ones of a process */
	LABEL_TEXT_MAX = 256,  /* of a key, of a value; longer is -EINVAL */
	LABEL_KEYS_MAX = 255,  /* that host profilers are told of */
	LABEL_KEYS_BYTES = 16 << 10,
};

/* Key number `index` of a set, with its value; NULL: no more. Any thread of ours. */
const char *labels_text(uint32_t set, uint32_t index, const char **value);

/*
 * The keys of all labels there were, in the order in which they came: what numbers of keys in threads' records mean (OTEP 4947). They are never
 * taken back while the library runs; those over the limits have no number, and host profilers do not see their labels. Any thread of ours.
 */
uint32_t labels_key_count(void);
struct str labels_key(uint32_t number);

void labels_stop(void);
void labels_forked(void);

#endif
