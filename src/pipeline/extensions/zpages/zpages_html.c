/* SPDX-License-Identifier: Apache-2.0 */
/* The elements that the pages consist of. */
#include "pipeline/extensions/zpages/zpages_html.h"

#include <ctype.h>

void html_put_text(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		switch (text.p[i]) {
		case '&':
			buf_put_str(out, STR("&amp;"));
			break;
		case '<':
			buf_put_str(out, STR("&lt;"));
			break;
		case '>':
			buf_put_str(out, STR("&gt;"));
			break;
		case '"':
			buf_put_str(out, STR("&quot;"));
			break;
		case '\'':
			buf_put_str(out, STR("&#39;"));
			break;
		default:
			buf_put_char(out, text.p[i]);
		}
}

void html_begin(struct buf *out, const char *title)
{
	buf_printf(
		out,
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title>"
		"<style>body{font:14px sans-serif;margin:1.5em}table{border-collapse:collapse}"
		"th,td{border:1px solid #999;padding:.2em .6em;text-align:left;"
		"vertical-align:top}td.n{text-align:right}</style></head>\n<body><h1>%s</h1>\n",
		title, title);
}

void html_end(struct buf *out)
{
	buf_put_str(out, STR("</body></html>\n"));
}

void html_put_heading(struct buf *out, const char *text)
{
	buf_printf(out, "<h2>%s</h2>\n", text);
}

void html_put_paragraph(struct buf *out, const char *text)
{
	buf_put_str(out, STR("<p>"));
	html_put_text(out, str_from(text));
	buf_put_str(out, STR("</p>\n"));
}

void html_begin_table(struct buf *out, const char *const *headings)
{
	buf_put_str(out, STR("<table><tr>"));
	for (; *headings; headings++) {
		buf_put_str(out, STR("<th>"));
		html_put_text(out, str_from(*headings));
		buf_put_str(out, STR("</th>"));
	}
	buf_put_str(out, STR("</tr>\n"));
}

void html_end_table(struct buf *out)
{
	buf_put_str(out, STR("</table>\n"));
}

void html_begin_row(struct buf *out)
{
	buf_put_str(out, STR("<tr>"));
}

void html_end_row(struct buf *out)
{
	buf_put_str(out, STR("</tr>\n"));
}

void html_put_cell(struct buf *out, struct str text)
{
	buf_put_str(out, STR("<td>"));
	html_put_text(out, text);
	buf_put_str(out, STR("</td>"));
}

void html_put_number(struct buf *out, uint64_t number)
{
	buf_put_str(out, STR("<td class=\"n\">"));
	buf_put_u64(out, number);
	buf_put_str(out, STR("</td>"));
}

void html_put_pair(struct buf *out, const char *name, struct str text)
{
	html_begin_row(out);
	html_put_cell(out, str_from(name));
	html_put_cell(out, text);
	html_end_row(out);
}

/* Percent-encode a value of a query. */
static void put_query_value(struct buf *out, const char *value)
{
	for (; *value; value++)
		if (isalnum((unsigned char)*value) || *value == '-' || *value == '_')
			buf_put_char(out, *value);
		else
			buf_printf(out, "%%%02X", (unsigned char)*value);
}

void html_put_link(struct buf *out, const char *path, const char *const *parameters,
		   struct str text)
{
	buf_printf(out, "<a href=\"%s", path);
	for (size_t i = 0; parameters[i]; i += 2) {
		buf_printf(out, "%s%s=", i ? "&amp;" : "?", parameters[i]);
		put_query_value(out, parameters[i + 1]);
	}
	buf_put_str(out, STR("\">"));
	html_put_text(out, text);
	buf_put_str(out, STR("</a>"));
}
