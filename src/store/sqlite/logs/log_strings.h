/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_LOG_STRINGS_H
#define VARVE_STORE_SQLITE_LOG_STRINGS_H

#include "store/sqlite/block/columns.h"
#include "store/sqlite/logs/log_template.h"

/*
 * A column of texts: the templates, the template of each text, and a column for each variable of
 * each template. A text whose template is rare, or that has none, is stored as it is. Two parts:
 *
 *	head	number of templates; each template with its length; the number of the template of
 *		each text (numbers; the number of templates: none)
 *	rest	lengths and bytes of texts without a template; of each template, of each mark:
 *		numbers; packed hex digits; or lengths and bytes
 */
enum { LOG_STRINGS_MAX = 1 << 16, LOG_TEMPLATES_MAX = 2048 };

/* Memory for encoding, reused for many columns. The zero value with an arena. */
struct log_strings_packer {
	struct arena *arena; /* reset by the caller between pages */
	struct log_scan scan;
	char template[LOG_TEMPLATE_TEXT_MAX];
};

/* Called for each distinct constant text and each variable, which may have tokens. */
struct log_tokens {
	int (*add)(void *context, struct str text);
	void *context;
};

/* Append a column of n texts. `tokens` may be NULL. Return 0, -ENOMEM or the error of add(). */
MUST_USE int log_strings_put(struct log_strings_packer *p, struct buf *head, struct buf *rest,
			     const struct str *texts, uint32_t n, const struct log_tokens *tokens);

/* The values of one mark of a template. */
struct log_values {
	enum log_mark mark;
	uint8_t width;
	struct str before;	 /* the constant text between the mark and the one before */
	const uint64_t *numbers; /* or the lengths of LOG_WORD */
	const uint8_t *bytes;
	uint32_t *at; /* of LOG_WORD: where each word begins */
};

struct log_template {
	struct str text;
	struct str after; /* the constant text after the last mark */
	uint32_t count;	  /* texts */
	struct log_values *values;
	uint32_t value_n;
};

struct log_strings {
	uint32_t n, template_n;
	struct log_template *templates;
	uint32_t *numbers; /* template of each text */
	uint32_t *places;  /* index of each text among those of its template */
	/* Set by log_strings_get_rest(). */
	bool has_rest;
	const uint32_t *plain_at; /* where each text without template begins; and the end */
	const char *plain;
	uint32_t plain_n;
};

/*
 * Read the head of a column of n texts; then the rest, which text needs. Text and bytes borrow.
 * Return 0, -ENOMEM or -EUCLEAN (c->bad).
 */
MUST_USE int log_strings_get(struct log_strings *s, struct column_cursor *c, uint32_t n,
			     struct arena *a);
MUST_USE int log_strings_get_rest(struct log_strings *s, struct column_cursor *c, struct arena *a);

/* Return a text, in `scratch` or borrowed. Empty without memory, which `scratch` keeps. */
struct str log_strings_text(const struct log_strings *s, uint32_t i, struct buf *scratch);

#endif
