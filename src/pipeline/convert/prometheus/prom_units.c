/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the OpenTelemetry specification ("Prometheus compatibility: metric metadata"). */
#include "pipeline/convert/prometheus/prom_units.h"

struct unit_name {
	struct str ucum, word;
};

static const struct unit_name units[] = {
	{STR_INIT("d"), STR_INIT("days")},	    {STR_INIT("h"), STR_INIT("hours")},
	{STR_INIT("min"), STR_INIT("minutes")},	    {STR_INIT("s"), STR_INIT("seconds")},
	{STR_INIT("ms"), STR_INIT("milliseconds")}, {STR_INIT("us"), STR_INIT("microseconds")},
	{STR_INIT("ns"), STR_INIT("nanoseconds")},  {STR_INIT("By"), STR_INIT("bytes")},
	{STR_INIT("KiBy"), STR_INIT("kibibytes")},  {STR_INIT("MiBy"), STR_INIT("mebibytes")},
	{STR_INIT("GiBy"), STR_INIT("gibibytes")},  {STR_INIT("TiBy"), STR_INIT("tibibytes")},
	{STR_INIT("KBy"), STR_INIT("kilobytes")},   {STR_INIT("MBy"), STR_INIT("megabytes")},
	{STR_INIT("GBy"), STR_INIT("gigabytes")},   {STR_INIT("TBy"), STR_INIT("terabytes")},
	{STR_INIT("m"), STR_INIT("meters")},	    {STR_INIT("V"), STR_INIT("volts")},
	{STR_INIT("A"), STR_INIT("amperes")},	    {STR_INIT("J"), STR_INIT("joules")},
	{STR_INIT("W"), STR_INIT("watts")},	    {STR_INIT("g"), STR_INIT("grams")},
	{STR_INIT("Cel"), STR_INIT("celsius")},	    {STR_INIT("Hz"), STR_INIT("hertz")},
	{STR_INIT("%"), STR_INIT("percent")},
};

static const struct unit_name per_units[] = {
	{STR_INIT("s"), STR_INIT("second")}, {STR_INIT("m"), STR_INIT("minute")},
	{STR_INIT("h"), STR_INIT("hour")},   {STR_INIT("d"), STR_INIT("day")},
	{STR_INIT("w"), STR_INIT("week")},   {STR_INIT("mo"), STR_INIT("month")},
	{STR_INIT("y"), STR_INIT("year")},
};

static struct str word_of(const struct unit_name *table, size_t n, struct str ucum)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(table[i].ucum, ucum))
			return table[i].word;
	return ucum;
}

static struct str ucum_of(const struct unit_name *table, size_t n, struct str word)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(table[i].word, word))
			return table[i].ucum;
	return word;
}

/* Append runs of letters and digits, joined by `_`. */
static void put_tokens(struct buf *out, struct str text)
{
	bool gap = false, any = false;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			    (c >= '0' && c <= '9') || c == ':';

		if (word && gap && any)
			buf_put_char(out, '_');
		if (word)
			buf_put_char(out, c);
		any |= word;
		gap = !word;
	}
}

void prom_unit_word(struct buf *out, struct str ucum)
{
	struct str per = ucum, main = str_trim(str_cut(&per, '/'));

	per = str_trim(per);
	if (str_find(main, '{') == main.n && !str_eq(main, STR("1")))
		put_tokens(out, word_of(units, countof(units), main));
	if (per.n && str_find(per, '{') == per.n) {
		buf_put_str(out, out->n ? STR("_per_") : STR("per_"));
		put_tokens(out, word_of(per_units, countof(per_units), per));
	}
}

void prom_unit_ucum(struct buf *out, struct str word)
{
	static const struct str per = STR_INIT("per_");
	size_t at = str_starts(word, per) ? 0 : str_find_str(word, STR("_per_"));
	struct str main = str_head(word, at), rest;

	if (str_eq(word, STR("ratio"))) {
		buf_put_char(out, '1');
		return;
	}
	buf_put_str(out, ucum_of(units, countof(units), main));
	if (at == word.n)
		return;
	rest = str_from_at(word, at + (at ? 1 : 0) + per.n);
	buf_put_char(out, '/');
	buf_put_str(out, ucum_of(per_units, countof(per_units), rest));
}
