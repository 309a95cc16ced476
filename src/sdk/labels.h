/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_LABELS_H
#define VARVE_SDK_LABELS_H

#include "base/base.h"

/*
 * Labels of threads (varve_label()). A set of labels is made once and has a number, which is all that a sample carries; sets never
 * change and live until labels_stop().
 */
enum {
	LABELS_MAX = 8,	       /* of a thread */
	LABEL_SETS_MAX = 4096, /* different ones of a process */
	LABEL_TEXT_MAX = 256,  /* of a key, of a value; longer is -EINVAL */
};

/* Key number `index` of a set, with its value; NULL: no more. Any thread of ours. */
const char *labels_text(uint32_t set, uint32_t index, const char **value);

void labels_stop(void);
void labels_forked(void);

#endif
