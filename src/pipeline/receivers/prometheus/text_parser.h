/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PROMETHEUS_TEXT_PARSER_H
#define VARVE_PIPELINE_RECEIVERS_PROMETHEUS_TEXT_PARSER_H

#include "base/err.h"
#include "pipeline/convert/prometheus/prom_labels.h"

/*
 * Reads what a target exposes: Prometheus' text format 0.0.4 or OpenMetrics 1.0, with quoted UTF-8
 * names in both. The input is untrusted; any mistake is an error with the number of the line, and
 * the whole exposition is refused then, as by Prometheus.
 *
 * A sample's name and labels stay text (`series`), because a scraper has seen almost all of them in
 * the scrape before: scraped_labels() reads them when they are new.
 *
 *	while ((rc = text_parser_next(&p, &entry, e)) == 1)
 *		...
 */
enum text_format { TEXT_PROMETHEUS, TEXT_OPENMETRICS };

enum scraped_type {
	SCRAPED_UNKNOWN,
	SCRAPED_COUNTER,
	SCRAPED_GAUGE,
	SCRAPED_HISTOGRAM,
	SCRAPED_GAUGEHISTOGRAM,
	SCRAPED_SUMMARY,
	SCRAPED_INFO,
	SCRAPED_STATESET,
};

enum text_kind { TEXT_SAMPLE, TEXT_TYPE, TEXT_HELP, TEXT_UNIT };

struct text_entry {
	enum text_kind kind;
	struct str name;	/* TYPE, HELP, UNIT: of the family, maybe with escapes */
	struct str text;	/* HELP with escapes; UNIT */
	enum scraped_type type; /* TYPE */
	/* Samples: */
	struct str series; /* name and labels, as sent */
	double value;
	bool has_time;
	int64_t time_ms;
	struct str
		exemplar; /* OpenMetrics: `{labels} value [time]`, checked by scraped_exemplar() */
};

struct text_parser {
	enum text_format format;
	struct str rest;
	uint32_t line;
	bool ended; /* # EOF was read */
};

enum {
	SCRAPED_LABELS_MAX = 1024,  /* of one series */
	SCRAPED_EXEMPLAR_MAX = 128, /* characters of the labels of an exemplar */
};

void text_parser_init(struct text_parser *p, enum text_format format, struct str body);

/* Get the next entry. Return 1, 0 at the end, or -EBADMSG with the line in `e`. */
MUST_USE int text_parser_next(struct text_parser *p, struct text_entry *out, struct err *e);

/*
 * Read the labels of a series with `__name__` in front, unescaped, without empty ones. The texts
 * are parts of `series` or in the arena. Return 0, -ENOMEM or -EBADMSG.
 */
MUST_USE int scraped_labels(struct prom_labels *out, struct str series, struct arena *arena,
			    struct err *e);

struct scraped_exemplar {
	struct prom_labels labels;
	double value;
	bool has_time;
	int64_t time_ms;
};

/* Read an exemplar. Return 0, -ENOMEM or -EBADMSG. */
MUST_USE int scraped_exemplar(struct scraped_exemplar *out, struct str text, struct arena *arena,
			      struct err *e);

/* Return the text of a HELP line, or a quoted name, without escapes; empty without memory. */
struct str scraped_text(struct str text, struct arena *arena);

/* Parse a value: decimal, NaN, +Inf, -Inf. Return 0 or -EINVAL. */
MUST_USE int scraped_value(struct str text, double *out);

#endif
