/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes columns of texts. */
#include "store/sqlite/logs/log_strings.h"

#include "base/container/hash.h"
#include "base/container/idset.h"
#include "store/sqlite/logs/log_numbers.h"
#include "store/sqlite/logs/log_text.h"

/* A template of fewer texts than this is not worth its columns. */
enum { TEMPLATE_TEXTS_MIN = 2 };

struct new_template {
	struct str text;
	uint32_t count;
	uint32_t number; /* in the column; UINT32_MAX: none */
	uint32_t first;	 /* of its texts in `order` */
};

/* A text as found by the scan. */
struct scanned {
	uint32_t template;  /* index of `templates`; UINT32_MAX: none */
	uint32_t variables; /* index of its first one */
};

struct strings_encoder {
	struct log_strings_packer *p;
	struct arena *a;
	const struct str *texts;
	uint32_t n;
	struct scanned *rows;
	VEC(struct new_template) templates;
	VEC(struct log_variable) variables;
	struct idset index;
	uint32_t kept;	 /* templates that are used */
	uint32_t *order; /* texts by template */
	uint64_t *numbers;
	const struct log_tokens *tokens;
};

static int find_template(struct strings_encoder *x, uint32_t *out)
{
	struct str text = str_of(x->p->scan.template, x->p->scan.template_n);
	uint32_t hash = hash32(text), id;
	struct idset_cursor c = idset_seek(&x->index, hash);
	struct new_template t = {.count = 1};
	int rc;

	while (idset_next(&x->index, &c, &id))
		if (str_eq(x->templates.at[id].text, text)) {
			x->templates.at[id].count++;
			*out = id;
			return 0;
		}
	*out = UINT32_MAX;
	if (x->templates.n == LOG_TEMPLATES_MAX)
		return 0;
	rc = arena_copy_str(x->a, text, &t.text);
	if (!rc)
		rc = idset_add(&x->index, hash, x->templates.n);
	*out = x->templates.n;
	return rc ? rc : vec_push(x->a, &x->templates, t);
}

static int scan_texts(struct strings_encoder *x)
{
	struct log_scan *s = &x->p->scan;
	int rc = 0;

	s->template = x->p->template;
	for (uint32_t i = 0; !rc && i < x->n; i++) {
		struct scanned *row = &x->rows[i];

		/* equal neighbours, such as names of severities, are common */
		if (i && x->texts[i].p == x->texts[i - 1].p && x->texts[i].n == x->texts[i - 1].n &&
		    row[-1].template != UINT32_MAX) {
			*row = row[-1];
			x->templates.at[row->template].count++;
			continue;
		}
		*row = (struct scanned){UINT32_MAX, x->variables.n};
		if (!log_scan_text(s, x->texts[i]))
			continue;
		rc = find_template(x, &row->template);
		if (!rc && row->template != UINT32_MAX)
			rc = vec_reserve(x->a, &x->variables, s->variable_n);
		if (rc || row->template == UINT32_MAX || !s->variable_n)
			continue;
		memcpy(x->variables.at + x->variables.n, s->variables,
		       s->variable_n * sizeof(s->variables[0]));
		x->variables.n += s->variable_n;
	}
	return rc;
}

/* Number the templates that are used, and sort the texts by them. */
static int order_texts(struct strings_encoder *x)
{
	uint32_t at = 0;

	x->order = arena_alloc(x->a, x->n + (size_t)1, sizeof(*x->order));
	x->numbers = arena_alloc(x->a, x->n + (size_t)1, sizeof(*x->numbers));
	if (!x->order || !x->numbers)
		return -ENOMEM;
	for (uint32_t t = 0; t < x->templates.n; t++) {
		struct new_template *new = &x->templates.at[t];

		new->number =
			new->count >= TEMPLATE_TEXTS_MIN || x->n == 1 ? x->kept++ : UINT32_MAX;
		new->first = at;
		at += new->count;
		new->count = 0;
	}
	for (uint32_t i = 0; i < x->n; i++) {
		struct new_template *new;

		if (x->rows[i].template == UINT32_MAX)
			continue;
		new = &x->templates.at[x->rows[i].template];
		x->order[new->first + new->count++] = i;
	}
	return 0;
}

static bool is_plain(const struct strings_encoder *x, uint32_t i)
{
	uint32_t t = x->rows[i].template;

	return t == UINT32_MAX || x->templates.at[t].number == UINT32_MAX;
}

static int add_tokens(const struct strings_encoder *x, struct str text)
{
	return x->tokens ? x->tokens->add(x->tokens->context, text) : 0;
}

/* Add the tokens of the constant parts of a template. Those at a mark are parts of variables. */
static int put_head(struct strings_encoder *x, struct buf *head)
{
	column_put_varint(head, x->kept);
	for (uint32_t t = 0; t < x->templates.n; t++)
		if (x->templates.at[t].number != UINT32_MAX)
			column_put_str(head, x->templates.at[t].text);
	for (uint32_t i = 0; i < x->n; i++)
		x->numbers[i] =
			is_plain(x, i) ? x->kept : x->templates.at[x->rows[i].template].number;
	log_numbers_put(head, x->numbers, x->n);
	return 0;
}

static int put_plain(struct strings_encoder *x, struct buf *rest)
{
	uint32_t n = 0;
	int rc = 0;

	for (uint32_t i = 0; i < x->n; i++)
		if (is_plain(x, i))
			x->numbers[n++] = x->texts[i].n;
	column_put_varint(rest, n);
	log_numbers_put(rest, x->numbers, n);
	for (uint32_t i = 0; !rc && i < x->n; i++)
		if (is_plain(x, i)) {
			buf_put_str(rest, x->texts[i]);
			rc = add_tokens(x, x->texts[i]);
		}
	return rc;
}

/* Append the values of variable v of a template's texts. */
static void put_values(struct strings_encoder *x, struct buf *rest, const struct new_template *t,
		       uint32_t v, enum log_mark mark)
{
	const uint32_t *order = x->order + t->first;

	if (mark == LOG_NUMBER || mark == LOG_DIGITS) {
		for (uint32_t i = 0; i < t->count; i++)
			x->numbers[i] = x->variables.at[x->rows[order[i]].variables + v].number;
		log_numbers_put(rest, x->numbers, t->count);
		return;
	}
	if (mark == LOG_WORD) {
		for (uint32_t i = 0; i < t->count; i++)
			x->numbers[i] = x->variables.at[x->rows[order[i]].variables + v].text.n;
		log_numbers_put(rest, x->numbers, t->count);
	}
	for (uint32_t i = 0; i < t->count; i++) {
		struct str text = x->variables.at[x->rows[order[i]].variables + v].text;

		if (mark == LOG_WORD)
			buf_put_str(rest, text);
		else
			log_hex_pack(rest, text);
	}
}

static void put_variables(struct strings_encoder *x, struct buf *rest, const struct new_template *t)
{
	uint32_t v = 0;

	for (size_t i = 0; i < t->text.n; i++) {
		char c = t->text.p[i];

		if ((uint8_t)c >= LOG_MARK_END)
			continue;
		put_values(x, rest, t, v++, (enum log_mark)c);
		i += log_mark_size(c) - 1;
	}
}

/* Add the tokens of all texts of a template: constant ones once, others of each text. */
static int add_template_tokens(const struct strings_encoder *x, const struct new_template *t)
{
	struct str first = x->texts[x->order[t->first]];
	uint32_t variables = 0;
	int rc = add_tokens(x, first);

	for (size_t i = 0; i < t->text.n; i++)
		if ((uint8_t)t->text.p[i] < LOG_MARK_END) {
			variables++;
			i += log_mark_size(t->text.p[i]) - 1;
		}
	for (uint32_t i = 1; !rc && variables && i < t->count; i++) {
		uint32_t row = x->order[t->first + i];
		const struct log_variable *at = x->variables.at + x->rows[row].variables;
		struct str text = x->texts[row];

		for (uint32_t v = 0; !rc && v < variables; v++) {
			const char *from = at[v].text.p, *end = from + at[v].text.n;

			/* a number may be a part of a token: 37ms */
			while (from > text.p && log_is_token_byte(from[-1]))
				from--;
			while (end < text.p + text.n && log_is_token_byte(*end))
				end++;
			rc = add_tokens(x, str_of(from, (size_t)(end - from)));
		}
	}
	return rc;
}

int log_strings_put(struct log_strings_packer *p, struct buf *head, struct buf *rest,
		    const struct str *texts, uint32_t n, const struct log_tokens *tokens)
{
	struct strings_encoder x = {
		.p = p, .a = p->arena, .texts = texts, .n = n, .tokens = tokens};
	int rc = idset_init(&x.index, x.a, 16);

	x.rows = arena_alloc(x.a, n + (size_t)1, sizeof(*x.rows));
	if (!x.rows)
		return -ENOMEM;
	if (!rc)
		rc = scan_texts(&x);
	if (!rc)
		rc = order_texts(&x);
	if (!rc)
		rc = put_head(&x, head);
	if (!rc)
		rc = put_plain(&x, rest);
	for (uint32_t t = 0; !rc && t < x.templates.n; t++) {
		const struct new_template *new = &x.templates.at[t];

		if (new->number == UINT32_MAX)
			continue;
		put_variables(&x, rest, new);
		if (tokens)
			rc = add_template_tokens(&x, new);
	}
	return rc ? rc : buf_error(head) || buf_error(rest) ? -ENOMEM : 0;
}
