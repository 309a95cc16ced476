/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes columns of texts. */
#include "store/sqlite/logs/log_strings.h"

#include "store/sqlite/logs/log_numbers.h"

/* Count the marks of a template. Return false if it is damaged. */
static bool count_marks(struct str text, uint32_t *n)
{
	*n = 0;
	for (size_t i = 0; i < text.n; i++) {
		uint8_t c = (uint8_t)text.p[i];

		if (c >= LOG_MARK_END)
			continue;
		if (!c || ++*n > LOG_VARIABLES_MAX)
			return false;
		if (log_mark_size((char)c) == 2 &&
		    (++i == text.n || !text.p[i] || (uint8_t)text.p[i] > LOG_HEX_MAX ||
		     (c == LOG_DIGITS && (uint8_t)text.p[i] > 18)))
			return false;
	}
	return true;
}

static int get_templates(struct log_strings *s, struct column_cursor *c, struct arena *a)
{
	s->template_n = column_count(c);
	if (c->bad || s->template_n > LOG_TEMPLATES_MAX) {
		c->bad = true;
		return -EUCLEAN;
	}
	s->templates = arena_zalloc(a, s->template_n + (size_t)1, sizeof(*s->templates));
	if (!s->templates)
		return -ENOMEM;
	for (uint32_t t = 0; t < s->template_n; t++) {
		struct log_template *x = &s->templates[t];

		x->text = column_str(c);
		if (c->bad || !count_marks(x->text, &x->value_n)) {
			c->bad = true;
			return -EUCLEAN;
		}
	}
	return 0;
}

int log_strings_get(struct log_strings *s, struct column_cursor *c, uint32_t n, struct arena *a)
{
	int rc;

	*s = (struct log_strings){.n = n};
	if (n > LOG_STRINGS_MAX)
		return -EUCLEAN;
	rc = get_templates(s, c, a);
	if (rc)
		return rc;
	s->numbers = log_numbers_get_u32(c, a, n, &rc);
	if (!s->numbers)
		return rc ? rc : -EUCLEAN;
	s->places = arena_alloc(a, n + (size_t)1, sizeof(*s->places));
	if (!s->places)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t t = s->numbers[i];

		if (t > s->template_n) {
			c->bad = true;
			return -EUCLEAN;
		}
		s->places[i] = s->templates[t].count++; /* the last one counts those without */
	}
	s->plain_n = s->templates[s->template_n].count;
	return 0;
}

/* Read lengths, and return where each text begins, and the end. NULL: bad, or *rc. */
static uint32_t *get_places(struct column_cursor *c, struct arena *a, uint32_t n,
			    const uint8_t **bytes, int *rc)
{
	uint64_t *lengths = log_numbers_get(c, a, n, rc);
	uint32_t *at = lengths ? arena_alloc(a, n + (size_t)1, sizeof(*at)) : NULL;
	uint64_t sum = 0;

	if (lengths && !at)
		*rc = -ENOMEM;
	if (!at)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		at[i] = (uint32_t)sum;
		sum += lengths[i] > UINT32_MAX ? UINT32_MAX : lengths[i];
		if (sum > column_left(c)) {
			c->bad = true;
			return NULL;
		}
	}
	at[n] = (uint32_t)sum;
	*bytes = column_bytes(c, sum);
	return c->bad ? NULL : at;
}

static int get_values(struct log_values *v, struct column_cursor *c, uint32_t n, struct arena *a)
{
	int rc = 0;

	switch (v->mark) {
	case LOG_NUMBER:
	case LOG_DIGITS:
		v->numbers = log_numbers_get(c, a, n, &rc);
		return v->numbers ? 0 : rc ? rc : -EUCLEAN;
	case LOG_HEX:
		v->bytes = column_bytes(c, n * log_hex_size(v->width));
		break;
	case LOG_UUID:
		v->bytes = column_bytes(c, n * (size_t)16);
		break;
	default:
		v->at = get_places(c, a, n, &v->bytes, &rc);
		return v->at ? 0 : rc ? rc : -EUCLEAN;
	}
	return c->bad ? -EUCLEAN : 0;
}

static int get_template_values(struct log_template *t, struct column_cursor *c, struct arena *a)
{
	uint32_t v = 0;
	size_t end = 0; /* of the last mark */
	int rc = 0;

	t->values = arena_zalloc(a, t->value_n + (size_t)1, sizeof(*t->values));
	if (!t->values)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < t->text.n; i++) {
		char mark = t->text.p[i];

		if ((uint8_t)mark >= LOG_MARK_END)
			continue;
		t->values[v].mark = (enum log_mark)mark;
		t->values[v].before = str_of(t->text.p + end, i - end);
		i += log_mark_size(mark) - 1;
		t->values[v].width = (uint8_t)t->text.p[i];
		rc = get_values(&t->values[v++], c, t->count, a);
		end = i + 1;
	}
	t->after = str_of(t->text.p + end, t->text.n - end);
	return rc;
}

int log_strings_get_rest(struct log_strings *s, struct column_cursor *c, struct arena *a)
{
	const uint8_t *plain = NULL;
	int rc = 0;

	if (s->has_rest)
		return 0;
	if (column_varint(c) != s->plain_n)
		c->bad = true;
	s->plain_at = c->bad ? NULL : get_places(c, a, s->plain_n, &plain, &rc);
	s->plain = (const char *)plain;
	if (!s->plain_at)
		return rc ? rc : -EUCLEAN;
	for (uint32_t t = 0; !rc && t < s->template_n; t++)
		rc = get_template_values(&s->templates[t], c, a);
	s->has_rest = !rc;
	return rc;
}

/* ---- texts ---- */

static size_t write_value(char *out, const struct log_values *v, uint32_t place)
{
	size_t n;

	switch (v->mark) {
	case LOG_NUMBER:
		return log_number_write(out, v->numbers[place], 1);
	case LOG_DIGITS:
		return log_number_write(out, v->numbers[place], v->width);
	case LOG_HEX:
		log_hex_unpack(out, v->bytes + place * log_hex_size(v->width), v->width);
		return v->width;
	case LOG_UUID:
		log_uuid_unpack(out, v->bytes + place * (size_t)16);
		return 36;
	default:
		n = v->at[place + 1] - v->at[place];
		memcpy(out, v->bytes + v->at[place], n);
		return n;
	}
}

/* Return the most bytes that the text takes. */
static size_t most_bytes(const struct log_template *t, uint32_t place)
{
	size_t n = t->text.n;

	for (uint32_t v = 0; v < t->value_n; v++)
		n += t->values[v].mark == LOG_WORD
			     ? t->values[v].at[place + 1] - t->values[v].at[place]
			     : LOG_HEX_MAX;
	return n;
}

struct str log_strings_text(const struct log_strings *s, uint32_t i, struct buf *scratch)
{
	const struct log_template *t = &s->templates[s->numbers[i]];
	uint32_t place = s->places[i];
	char *out, *p;

	if (s->numbers[i] == s->template_n)
		return str_of(s->plain ? s->plain + s->plain_at[place] : "",
			      s->plain_at[place + 1] - s->plain_at[place]);
	if (!t->value_n)
		return t->text;
	buf_clear(scratch);
	out = p = buf_reserve(scratch, most_bytes(t, place));
	if (!out)
		return (struct str){0};
	for (uint32_t v = 0; v < t->value_n; v++) {
		p = mempcpy(p, t->values[v].before.p, t->values[v].before.n);
		p += write_value(p, &t->values[v], place);
	}
	p = mempcpy(p, t->after.p, t->after.n);
	scratch->n = (size_t)(p - out);
	return buf_str(scratch);
}
