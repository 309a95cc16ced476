/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_LABELS_H
#define VARVE_SDK_LABELS_H

#include "base/str.h"

/*
 * Labels of threads: varve_label(). A set of labels is made once and has a number, which is all
 * that a sample carries. Sets never change and are freed by labels_stop().
 */
enum {
	LABELS_MAX = 8,	       /* of a thread */
	LABEL_SETS_MAX = 4096, /* of a process */
	LABEL_TEXT_MAX = 256,  /* bytes of a key or value; longer is -EINVAL */
	LABEL_KEYS_MAX = 255,  /* keys published to host profilers */
	LABEL_KEYS_BYTES = 16 << 10,
};

/* Return key number `index` of a set, and its value; NULL: no more. Any thread of the library. */
const char *labels_text(uint32_t set, uint32_t index, const char **value);

/*
 * The keys of all labels so far, in order of first use: the key numbers of OTEP 4947. A key keeps
 * its number while the library runs. Keys over the limits have no number, and host profilers do not
 * see their labels. Any thread of the library.
 */
uint32_t labels_key_count(void);
struct str labels_key(uint32_t number);

/* Free all sets and keys. */
void labels_stop(void);

/* In a forked child: release the lock that another thread of the parent may have held. */
void labels_forked(void);

#endif
