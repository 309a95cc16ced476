/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_TEST_RULE_TEST_TEXT_H
#define VARVE_RULES_TEST_RULE_TEST_TEXT_H

#include "rules/test/rule_test_file.h"

/* Texts of failed tests, as promtool has them. */

/* An alert that was expected or found; labels sorted by name. */
struct rule_test_alert {
	const struct label *labels, *annotations;
	uint32_t label_count, annotation_count;
	struct str key, annotation_key; /* encoded, to compare */
};

/* Append {a="b", c="d"}. */
void rule_test_put_labels(struct buf *b, const struct label *labels, uint32_t n);

/* Append a list of alerts over several lines, indented by `indent`, except the first line. */
void rule_test_put_alerts(struct buf *b, const struct rule_test_alert *alerts, uint32_t n,
			  const char *indent);

/* Append the samples on one line; "nil" if there are none. */
void rule_test_put_samples(struct buf *b, const struct rule_test_sample *samples, uint32_t n);

#endif
