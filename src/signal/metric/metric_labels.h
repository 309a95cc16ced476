/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_METRIC_METRIC_LABELS_H
#define VARVE_SIGNAL_METRIC_METRIC_LABELS_H

#include "base/buf.h"
#include "signal/selector.h"

/*
 * The labels of a metric series as one string: of each label the length of its name, the name, the
 * length of its value, the value; lengths are LEB128. Labels are sorted by name in byte order, names
 * are distinct, no value is empty; the name of the metric is the label __name__. So equal label sets
 * are equal strings.
 */
enum {
	METRIC_LABELS_MAX = 128, /* labels of a series */
	METRIC_NAME_MAX = 1024,	 /* bytes of a name */
	METRIC_VALUE_MAX = 16384 /* bytes of a value */
};

#define METRIC_NAME_LABEL "__name__"

/* Append a label. The caller keeps the order. */
void metric_labels_put(struct buf *out, struct str name, struct str value);

/*
 * Sort the labels by name and append them; empty values are left out. Return NULL, or a text that
 * says what is wrong with the labels: a name is empty or there twice, or a limit above.
 */
const char *metric_labels_put_all(struct buf *out, struct label *labels, uint32_t n);

/*
 * Take the first label from *rest. Return false at the end; also where the bytes are damaged, then
 * rest->n is not 0.
 */
bool metric_labels_next(struct str *rest, struct label *out);

/* Return the value of a label, empty if there is none. */
struct str metric_labels_get(struct str labels, struct str name);

/*
 * Check that the string is as described above. Return NULL if it is, or a text that says what is
 * wrong.
 */
const char *metric_labels_check(struct str labels);

/*
 * Compare two label sets as Prometheus does: name by name and value by value, a set that is the
 * beginning of another one first.
 */
int metric_labels_cmp(struct str a, struct str b);

#endif
