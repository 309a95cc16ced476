/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_PROMETHEUS_PROMETHEUS_RESULT_H
#define VARVE_API_PROMETHEUS_PROMETHEUS_RESULT_H

#include "query/promql/promql.h"
#include "wire/json_write.h"

/*
 * The members "resultType" and "result" of a result of PromQL. At most `limit` series are written
 * (0: all). Return whether there are more.
 */
bool prometheus_put_result(struct json_writer *w, const struct promql_result *r, uint64_t limit);

/* Append a time as seconds, with three decimals unless it is whole; a number as a string. */
void prometheus_put_time(struct json_writer *w, int64_t ms);
void prometheus_put_number(struct json_writer *w, double value);

/* Warnings and infos of an answer: at most this many of each, and how many more there are. */
enum { PROMETHEUS_NOTES_MAX = 10 };

/* Append the strings of one kind to the open array, for the text of the query. */
void prometheus_put_notes(struct json_writer *w, const struct promql_annotations *notes,
			  enum promql_note kind, struct str query);

/* Return the number of notes of a kind. */
uint32_t prometheus_count_notes(const struct promql_annotations *notes, enum promql_note kind);

#endif
