/* SPDX-License-Identifier: Apache-2.0 */
/* Label sets as strings. */
#include "signal/metric/metric_labels.h"

#include <stdlib.h>

enum { VARINT_MAX = 5 };

static char *put_length(char *at, size_t n)
{
	for (; n >= 0x80; n >>= 7)
		*at++ = (char)(n | 0x80);
	*at++ = (char)n;
	return at;
}

void metric_labels_put(struct buf *out, struct str name, struct str value)
{
	char *start = buf_reserve(out, name.n + value.n + 2 * VARINT_MAX), *at = start;

	if (!at)
		return;
	at = put_length(at, name.n);
	if (name.n)
		memcpy(at, name.p, name.n);
	at = put_length(at + name.n, value.n);
	if (value.n)
		memcpy(at, value.p, value.n);
	out->n += (size_t)(at + value.n - start);
}

static int compare_names(const void *a, const void *b)
{
	return str_cmp(((const struct label *)a)->name, ((const struct label *)b)->name);
}

static const char *check_label(const struct label *l)
{
	if (!l->name.n)
		return "a label has no name";
	if (l->name.n > METRIC_NAME_MAX)
		return "the name of a label is longer than 1,024 bytes";
	if (l->value.n > METRIC_VALUE_MAX)
		return "the value of a label is longer than 16,384 bytes";
	return NULL;
}

static bool is_sorted(const struct label *labels, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (compare_names(&labels[i - 1], &labels[i]) >= 0)
			return false;
	return true;
}

/* Return whether all bytes are ASCII, which is valid UTF-8 and the usual case. */
static bool is_ascii(struct str s)
{
	uint64_t high = 0, word;
	size_t i = 0;

	for (; i + sizeof(word) <= s.n; i += sizeof(word)) {
		memcpy(&word, s.p + i, sizeof(word));
		high |= word;
	}
	for (; i < s.n; i++)
		high |= (uint64_t)(uint8_t)s.p[i];
	return !(high & 0x8080808080808080);
}

const char *metric_labels_put_all(struct buf *out, struct label *labels, uint32_t n)
{
	size_t start = out->n;
	const char *wrong = n > METRIC_LABELS_MAX ? "a series has more than 128 labels" : NULL;

	if (!wrong && !is_sorted(labels, n))
		qsort(labels, n, sizeof(*labels), compare_names);
	for (uint32_t i = 0; i < n && !wrong; i++) {
		wrong = check_label(&labels[i]);
		if (!wrong && i && str_eq(labels[i - 1].name, labels[i].name))
			wrong = "a label is there twice";
		if (!wrong && labels[i].value.n)
			metric_labels_put(out, labels[i].name, labels[i].value);
	}
	if (!wrong && !out->failed) {
		struct str all = str_from_at(buf_str(out), start);

		if (!all.n)
			wrong = "a series has no labels";
		else if (!is_ascii(all))
			for (uint32_t i = 0; i < n && !wrong; i++)
				if (str_utf8_valid(labels[i].name) < labels[i].name.n ||
				    str_utf8_valid(labels[i].value) < labels[i].value.n)
					wrong = "a label is not valid UTF-8";
	}
	return wrong;
}

static bool take_text(struct str *rest, struct str *out)
{
	size_t n = 0, at = 0;
	unsigned shift = 0;

	for (;; shift += 7) {
		uint8_t byte;

		if (at == rest->n || shift >= 7 * VARINT_MAX)
			return false;
		byte = (uint8_t)rest->p[at++];
		n |= (size_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			break;
	}
	if (n > rest->n - at)
		return false;
	*out = str_of(rest->p + at, n);
	*rest = str_of(rest->p + at + n, rest->n - at - n);
	return true;
}

bool metric_labels_next(struct str *rest, struct label *out)
{
	struct str left = *rest;

	if (!left.n || !take_text(&left, &out->name) || !take_text(&left, &out->value))
		return false;
	*rest = left;
	return true;
}

struct str metric_labels_get(struct str labels, struct str name)
{
	struct label l;

	while (metric_labels_next(&labels, &l))
		if (str_eq(l.name, name))
			return l.value;
	return (struct str){0};
}

const char *metric_labels_check(struct str labels)
{
	struct label l, last = {0};
	struct str rest = labels;
	uint32_t n = 0;
	const char *wrong;

	for (; metric_labels_next(&rest, &l); last = l) {
		wrong = check_label(&l);
		if (!wrong && !l.value.n)
			wrong = "a label is empty";
		if (!wrong && n && str_cmp(last.name, l.name) >= 0)
			wrong = "labels are not sorted";
		if (!wrong && n++ == METRIC_LABELS_MAX)
			wrong = "a series has more than 128 labels";
		if (wrong)
			return wrong;
	}
	return rest.n ? "labels are damaged" : NULL;
}

int metric_labels_cmp(struct str a, struct str b)
{
	struct label x, y;
	int order = 0;

	while (!order) {
		bool left = metric_labels_next(&a, &x), right = metric_labels_next(&b, &y);

		if (!left || !right)
			return (int)left - (int)right;
		order = str_cmp(x.name, y.name);
		if (!order)
			order = str_cmp(x.value, y.value);
	}
	return order;
}
