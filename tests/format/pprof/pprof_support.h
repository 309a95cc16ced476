/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_PPROF_SUPPORT_H
#define VARVE_TEST_PPROF_SUPPORT_H

/*
 * Shared by the tests of format/pprof: a small writer of pprof files, fixtures, and a canonical
 * text of a profile's contents, made from a batch or from the output of `go tool pprof -raw`, to
 * compare the two.
 */
#include <ctype.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "format/pprof/list_value.h"
#include "format/pprof/pprof.h"
#include "format/pprof/schema.h"
#include "test/test.h"
#include "wire/compress/compress.h"
#include "wire/proto.h"

/* --- files --- */

static const char *const pprof_fixtures[] = {
	"pprof/cpu.pb.gz",
	"pprof/go.cpu.labels.pprof",
	"pprof/heap",
	"pprof/heap.pb.gz",
	"pprof/nodejs-wall.pb.gz",
	"pprof/profile_java",
	"pprof/profile_nodejs",
	"pprof/profile_python",
	"pprof/profile_rust",
	"pprof/pyspy-1.pb.gz",
	"pprof/single_group_with_optional_span_id.pb.gz",
	"jfr/"
	"cortex-dev-01__kafka-0__cpu__0.jfr.gz.process_cpu_cpu_nanoseconds_cpu_nanoseconds."
	"17241709254077376921.pb.gz",
	"jfr/dump1.jfr.gz.process_cpu_cpu_nanoseconds_cpu_nanoseconds.15666661103234080825.pb.gz",
};

static inline char *fixture_path(const char *name)
{
	const char *root = getenv("SOURCE_ROOT");
	char *path = NULL;
	struct stat st;

	if (!root || asprintf(&path, "%s/../shared/fixtures/%s", root, name) < 0)
		return NULL;
	if (stat(path, &st)) {
		free(path);
		return NULL;
	}
	return path;
}

static inline struct str read_stream(struct arena *a, FILE *f)
{
	struct buf b = {0};
	struct str copy = {0};
	char chunk[4096];
	size_t n;

	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		buf_put(&b, chunk, n);
	assert_ok(buf_error(&b));
	assert_ok(arena_copy_str(a, buf_str(&b), &copy));
	buf_fini(&b);
	return copy;
}

static inline struct str read_whole(struct arena *a, const char *path)
{
	FILE *f = fopen(path, "rb");
	struct str s;

	assert_non_null(f);
	s = read_stream(a, f);
	fclose(f);
	return s;
}

/* Return the decompressed contents of a file. */
static inline struct str read_plain(struct arena *a, const char *path)
{
	struct str raw = read_whole(a, path), out;
	struct err e = {0};

	assert_ok_err(decompress_bytes(compress_detect(raw), raw, a, NULL, &out, &e), &e);
	return out;
}

/* --- lines: "key<TAB>values", sorted, equal keys summed, all-zero ones omitted --- */

enum { MAX_COLUMNS = 16 };

struct dump_row {
	char *key;
	int64_t values[MAX_COLUMNS];
};

struct dump {
	struct dump_row *rows;
	size_t n, cap;
	size_t columns;
	char *types;
};

static inline void dump_add(struct dump *d, char *key, const int64_t *values)
{
	if (d->n == d->cap) {
		d->cap = d->cap ? 2 * d->cap : 64;
		d->rows = realloc(d->rows, d->cap * sizeof(*d->rows));
		assert_non_null(d->rows);
	}
	d->rows[d->n] = (struct dump_row){.key = key};
	memcpy(d->rows[d->n++].values, values, d->columns * sizeof(*values));
}

static inline int dump_compare(const void *a, const void *b)
{
	return strcmp(((const struct dump_row *)a)->key, ((const struct dump_row *)b)->key);
}

static inline void dump_finish(struct dump *d)
{
	size_t out = 0;

	if (d->n)
		qsort(d->rows, d->n, sizeof(*d->rows), dump_compare);
	for (size_t i = 0; i < d->n; i++) {
		if (out && !strcmp(d->rows[out - 1].key, d->rows[i].key)) {
			for (size_t c = 0; c < d->columns; c++)
				d->rows[out - 1].values[c] += d->rows[i].values[c];
			free(d->rows[i].key);
		} else {
			d->rows[out++] = d->rows[i];
		}
	}
	d->n = out;
	for (size_t i = out = 0; i < d->n; i++) {
		bool any = false;

		for (size_t c = 0; c < d->columns; c++)
			any |= d->rows[i].values[c] != 0;
		if (any)
			d->rows[out++] = d->rows[i];
		else
			free(d->rows[i].key);
	}
	d->n = out;
}

static inline void dump_free(struct dump *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->rows[i].key);
	free(d->rows);
	free(d->types);
	*d = (struct dump){0};
}

static inline void assert_dumps_equal(const char *name, const struct dump *ours,
				      const struct dump *theirs)
{
	if (strcmp(ours->types, theirs->types))
		fail_msg("%s: types are \"%s\", expected \"%s\"", name, ours->types, theirs->types);
	for (size_t i = 0; i < ours->n || i < theirs->n; i++) {
		if (i >= ours->n || i >= theirs->n ||
		    strcmp(ours->rows[i].key, theirs->rows[i].key))
			fail_msg("%s: row %zu of %zu/%zu is\n%s\nexpected\n%s", name, i, ours->n,
				 theirs->n, i < ours->n ? ours->rows[i].key : "(none)",
				 i < theirs->n ? theirs->rows[i].key : "(none)");
		for (size_t c = 0; c < ours->columns; c++)
			if (ours->rows[i].values[c] != theirs->rows[i].values[c])
				fail_msg("%s: value %zu of %s is %lld, expected %lld", name, c,
					 ours->rows[i].key, (long long)ours->rows[i].values[c],
					 (long long)theirs->rows[i].values[c]);
	}
}

/* Omit names and symbol flags: the go tool reads only addresses from the older forms. */
static bool dump_addresses_only;

/* An empty mapping. The go tool invents one if there is none, so it is omitted. */
#define EMPTY_MAPPING STR("0x0/0x0/0x0   ")

/* --- a batch (one resource, sibling profiles) -> dump --- */

static inline void put_mapping(struct buf *o, const struct profile_batch *b, uint32_t id)
{
	const struct mapping *m = &b->mappings.at[id];
	const uint32_t *refs = b->attribute_refs.at + m->attributes.at;
	const struct str flags[] = {PPROF_ATTR_HAS_FUNCTIONS, PPROF_ATTR_HAS_FILENAMES,
				    PPROF_ATTR_HAS_LINE_NUMBERS, PPROF_ATTR_HAS_INLINE_FRAMES};
	const char *const bits[] = {"[FN]", "[FL]", "[LN]", "[IN]"};
	const struct attribute *a =
		profile_find_attribute(b, refs, m->attributes.n, PPROF_ATTR_BUILD_ID);

	buf_printf(o, "0x%llx/0x%llx/0x%llx %.*s %.*s ", (unsigned long long)m->start,
		   (unsigned long long)m->limit, (unsigned long long)m->offset,
		   STR_ARG(string_of(b, m->filename)), STR_ARG(a ? a->value.s : STR("")));
	for (size_t i = 0; i < countof(flags); i++) {
		a = profile_find_attribute(b, refs, m->attributes.n, flags[i]);
		if (a && a->value.i && !dump_addresses_only)
			buf_printf(o, "%s", bits[i]);
	}
}

static inline void put_location(struct buf *o, const struct profile_batch *b, uint32_t id)
{
	const struct location *l = &b->locations.at[id];

	buf_printf(o, "\n  0x%llx ", (unsigned long long)l->address);
	if (l->mapping) {
		struct buf mapping = {0};

		put_mapping(&mapping, b, l->mapping);
		if (!str_eq(buf_str(&mapping), EMPTY_MAPPING))
			buf_printf(o, "M={%.*s} ", STR_ARG(buf_str(&mapping)));
		buf_fini(&mapping);
	}
	if (profile_find_attribute(b, b->attribute_refs.at + l->attributes.at, l->attributes.n,
				   PPROF_ATTR_IS_FOLDED))
		buf_printf(o, "[F] ");
	for (uint32_t i = 0; i < l->lines.n && !dump_addresses_only; i++) {
		const struct line *line = &b->lines.at[l->lines.at + i];
		const struct function *f = &b->functions.at[line->function];

		buf_printf(o, "%.*s %.*s:%lld:%lld s=%lld", STR_ARG(string_of(b, f->name)),
			   STR_ARG(string_of(b, f->filename)), (long long)line->line,
			   (long long)line->column, (long long)f->start_line);
		if (!str_eq(string_of(b, f->name), string_of(b, f->system_name)))
			buf_printf(o, "(%.*s)", STR_ARG(string_of(b, f->system_name)));
		buf_printf(o, ";");
	}
}

static inline int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline char *text_of(struct buf *b)
{
	char *text = strndup(b->p ? b->p : "", b->n);

	assert_non_null(text);
	buf_clear(b);
	return text;
}

static inline void put_hex(struct buf *o, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_printf(o, "%02x", p[i]);
}

/* Append one value of a label if it is of the requested kind. */
static inline bool put_label_value(struct buf *o, const struct value *v, struct str unit,
				   bool numbers, bool first)
{
	if (v->kind != (numbers ? VALUE_INT : VALUE_STRING))
		return false;
	if (!first)
		buf_put_char(o, ' ');
	if (numbers)
		buf_put_i64(o, v->i);
	else
		buf_put_str(o, v->s);
	if (numbers && unit.n)
		buf_printf(o, " %.*s", STR_ARG(unit));
	return true;
}

/* Append "key:[value value]". Return false if the label has no value of this kind. */
static inline bool put_label(struct buf *o, const struct profile_batch *b,
			     const struct attribute *a, bool numbers)
{
	struct str unit = string_of(b, a->unit);
	bool any = false;

	buf_printf(o, "%.*s:[", STR_ARG(string_of(b, a->key)));
	if (a->value.kind == VALUE_LIST) {
		struct proto_reader r = list_value_reader(&a->value);
		struct list_item item;

		while (list_value_next(&r, &item))
			any |= put_label_value(o, &item.value, item.unit.n ? item.unit : unit,
					       numbers, !any);
	} else {
		any = put_label_value(o, &a->value, unit, numbers, true);
	}
	buf_put_char(o, ']');
	return any;
}

/*
 * Append "key:[value]" of strings, then of numbers, each sorted, as -raw prints them. Labels
 * without a value are omitted.
 */
static inline void put_labels(struct buf *o, const struct profile_batch *b, uint32_t sample)
{
	static const struct link no_link;
	const struct link *link = &b->links.at[b->sample_link[sample]];
	char *texts[64];
	struct buf one = {0};

	for (unsigned pass = 0; pass < 2; pass++) {
		bool numbers = pass == 1;
		size_t n = 0;

		for (uint32_t i = b->sample_attributes_at[sample];
		     i < b->sample_attributes_at[sample + 1]; i++) {
			const struct attribute *a = &b->attributes.at[b->sample_attributes.at[i]];

			if (!put_label(&one, b, a, numbers)) {
				buf_clear(&one);
				continue;
			}
			assert_true(n < countof(texts) - 2);
			texts[n++] = text_of(&one);
		}
		if (!numbers && memcmp(link->trace_id, no_link.trace_id, sizeof(link->trace_id))) {
			buf_printf(&one, "trace_id:[");
			put_hex(&one, link->trace_id, sizeof(link->trace_id));
			buf_printf(&one, "]");
			texts[n++] = text_of(&one);
		}
		if (!numbers && memcmp(link->span_id, no_link.span_id, sizeof(link->span_id))) {
			buf_printf(&one, "span_id:[");
			put_hex(&one, link->span_id, sizeof(link->span_id));
			buf_printf(&one, "]");
			texts[n++] = text_of(&one);
		}
		if (n)
			qsort(texts, n, sizeof(*texts), compare_texts);
		for (size_t i = 0; i < n; i++) {
			buf_printf(o, "%s%s", i ? " " : "\n", texts[i]);
			free(texts[i]);
		}
	}
	buf_fini(&one);
}

static inline struct dump dump_batch(const struct profile_batch *b)
{
	struct dump d = {.columns = b->profiles.n};
	struct buf o = {0};

	assert_true(d.columns <= MAX_COLUMNS);
	for (uint32_t p = 0; p < b->profiles.n; p++)
		buf_printf(&o, "%s%.*s/%.*s", p ? " " : "",
			   STR_ARG(string_of(b, b->profiles.at[p].sample_type.type)),
			   STR_ARG(string_of(b, b->profiles.at[p].sample_type.unit)));
	d.types = text_of(&o);
	for (uint32_t p = 0; p < b->profiles.n; p++) {
		const struct profile *row = &b->profiles.at[p];

		for (uint32_t i = row->sample_first; i < row->sample_first + row->sample_count;
		     i++) {
			int64_t values[MAX_COLUMNS] = {0};
			uint32_t n;
			const uint32_t *locations = stack_of(b, b->sample_stack[i], &n);

			for (uint32_t k = 0; k < n; k++)
				put_location(&o, b, locations[k]);
			put_labels(&o, b, i);
			values[p] = sample_total(b, i);
			dump_add(&d, text_of(&o), values);
		}
	}
	buf_fini(&o);
	dump_finish(&d);
	return d;
}

/* --- `go tool pprof -raw` -> dump --- */

struct raw_table {
	char **at;
	size_t n;
};

static inline void raw_append(struct raw_table *t, size_t id, const char *text, size_t n)
{
	char *joined = NULL;

	while (t->n <= id) {
		t->at = realloc(t->at, (t->n + 1) * sizeof(*t->at));
		t->at[t->n++] = NULL;
	}
	assert_true(asprintf(&joined, "%s%.*s", t->at[id] ? t->at[id] : "", (int)n, text) >= 0);
	free(t->at[id]);
	t->at[id] = joined;
}

static inline void raw_free(struct raw_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->at[i]);
	free(t->at);
}

/* Read lines "id: rest", and for locations also continuation lines of inlined frames. */
static inline void raw_read_table(struct str *rest, struct raw_table *t, bool locations)
{
	struct str line, before = *rest;
	size_t id = 0;

	while (str_next_line(rest, &line)) {
		if (str_eq(line, STR("Mappings")) && locations) {
			*rest = before;
			return;
		}
		before = *rest;
		if (!line.n)
			continue;
		if (locations && str_starts(line, STR("             "))) {
			raw_append(t, id, line.p + 13, line.n - 13);
			raw_append(t, id, ";", 1);
			continue;
		}

		struct str number = str_trim(str_cut(&line, ':'));
		uint64_t value;

		assert_ok(str_to_u64(number, 10, &value));
		id = value;
		raw_append(t, id, line.p + 1, line.n - 1);
		/* a location without lines ends with a space after its address or mapping */
		if (locations && line.p[line.n - 1] != ' ')
			raw_append(t, id, ";", 1);
	}
}

static inline void raw_put_location(struct buf *o, const char *text,
				    const struct raw_table *mappings)
{
	const char *m = strstr(text, " M=");
	char *end;

	if (!m) {
		buf_printf(o, "\n  %s", text);
		return;
	}

	const char *mapping = mappings->at[strtoul(m + 3, &end, 10)];

	if (str_eq(str_from(mapping), EMPTY_MAPPING))
		buf_printf(o, "\n  %.*s%s", (int)(m - text), text, end);
	else
		buf_printf(o, "\n  %.*s M={%s}%s", (int)(m - text), text, mapping, end);
}

/* Parse a line of values and location ids, "  1  10: 1 2 3 ". Return false for other lines. */
static inline bool raw_read_sample(struct str line, struct str *values, struct str *ids)
{
	*values = str_cut(&line, ':');
	*ids = str_trim(line);
	for (size_t i = 0; i < values->n; i++)
		if (!isdigit((unsigned char)values->p[i]) && values->p[i] != ' ' &&
		    values->p[i] != '-')
			return false;
	return line.p != NULL;
}

static inline struct dump dump_go_raw(struct str text)
{
	struct raw_table locations = {0}, mappings = {0};
	struct str rest = text, line, samples, values, ids;
	struct dump d = {0};
	struct buf o = {0};

	while (str_next_line(&rest, &line) && !str_eq(line, STR("Samples:")))
		;
	assert_true(str_next_line(&rest, &line));
	for (struct str types = line; types.n; d.columns++) {
		struct str type = str_cut(&types, ' ');

		if (str_ends(type, STR("[dflt]")))
			type.n -= 6;
		buf_printf(&o, "%s%.*s", d.columns ? " " : "", STR_ARG(type));
	}
	d.types = text_of(&o);
	samples = rest;
	while (str_next_line(&rest, &line) && !str_eq(line, STR("Locations")))
		;
	raw_read_table(&rest, &locations, true);
	assert_true(str_next_line(&rest, &line));
	raw_read_table(&rest, &mappings, false);

	bool more = str_next_line(&samples, &line);

	while (more && !str_eq(line, STR("Locations"))) {
		int64_t row[MAX_COLUMNS] = {0};
		size_t columns = 0;

		assert_true(raw_read_sample(line, &values, &ids));
		for (struct str v = str_trim(values); v.n; v = str_trim(v))
			assert_ok(str_to_i64(str_cut(&v, ' '), &row[columns++]));
		while (ids.n)
			raw_put_location(&o, locations.at[strtoul(str_cut(&ids, ' ').p, NULL, 10)],
					 &mappings);
		while ((more = str_next_line(&samples, &line)) &&
		       str_starts(line, STR("                ")) && line.p[16] != ' ' &&
		       !raw_read_sample(line, &values, &ids))
			buf_printf(&o, "\n%.*s", STR_ARG(str_trim(line)));
		dump_add(&d, text_of(&o), row);
	}
	buf_fini(&o);
	raw_free(&locations);
	raw_free(&mappings);
	dump_finish(&d);
	return d;
}

static inline bool have_go(void)
{
	return system("go version >/dev/null 2>&1") == 0;
}

/* Return the output of `go tool pprof -raw FILE`, empty if it rejects the file. */
static inline struct str go_raw(struct arena *a, const char *path)
{
	char command[4096];
	struct str text;
	FILE *f;

	snprintf(command, sizeof(command),
		 "PPROF_BINARY_PATH=/nonexistent go tool pprof -symbolize=none -raw '%s' "
		 "2>/dev/null",
		 path);
	f = popen(command, "r");
	assert_non_null(f);
	text = read_stream(a, f);
	return pclose(f) ? (struct str){0} : text;
}

#endif
