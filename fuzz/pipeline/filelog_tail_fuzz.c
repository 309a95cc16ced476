/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes of a file, cut into entries in pieces of any size: each byte is in one entry, or
 * between two, and the result does not depend on the pieces for lines. Also stored positions, and
 * patterns of files. The first byte selects.
 */
#include "fuzz.h"
#include "pipeline/receivers/filelog/tail/checkpoint.h"
#include "pipeline/receivers/filelog/tail/line_splitter.h"

static const struct str encodings[] = {STR_INIT("utf-8"), STR_INIT("utf-16le"),
				       STR_INIT("utf-16be"), STR_INIT("nop")};

/* Cut all of the data; return the number of entries, and in *hash what they are. */
static unsigned cut_all(const struct line_splitter *s, struct str data, size_t piece,
			uint64_t *hash)
{
	struct buf scratch = {0};
	struct line_token token;
	bool skipping = false;
	size_t at = 0, end = 0;
	unsigned entries = 0;

	*hash = 1;
	do {
		end = min_size(data.n, end + piece);
		while (line_split(s, str_of(data.p + at, end - at), end == data.n, &skipping,
				  &token)) {
			FUZZ_CHECK(token.advance > 0 && token.advance <= end - at);
			if (token.is_entry) {
				struct str text = text_decode(s->encoding, token.text, &scratch);

				FUZZ_CHECK(token.text.n <= s->max);
				FUZZ_CHECK(s->encoding == TEXT_NOP ||
					   str_utf8_valid(text) == text.n);
				for (size_t i = 0; i < text.n; i++)
					*hash = *hash * 31 + (unsigned char)text.p[i] + 1;
				*hash = *hash * 31;
				entries++;
			}
			at += token.advance;
		}
		FUZZ_CHECK(end < data.n || at == data.n);
		/* an entry that is too long does not wait for more */
		FUZZ_CHECK(end - at <= s->max + piece + 4);
	} while (end < data.n);
	buf_fini(&scratch);
	return entries;
}

static void fuzz_splitter(uint8_t flags, size_t piece, struct str pattern, struct str data)
{
	struct filelog_settings settings = {.max_log_size = 16,
					    .encoding = encodings[flags & 3],
					    .max_log_size_behavior =
						    flags & 4 ? STR("truncate") : STR("split"),
					    .multiline = {.omit = (flags & 8) != 0}};
	struct line_splitter s;
	struct err e = {0};
	uint64_t whole, pieces;
	unsigned count;

	if (settings.encoding.p == encodings[0].p && flags & 16)
		*(flags & 32 ? &settings.multiline.start : &settings.multiline.end) = pattern;
	if (line_splitter_init(&s, &settings, &e)) {
		line_splitter_fini(&s);
		return;
	}
	data.p = data.n ? data.p : "";
	count = cut_all(&s, data, data.n + 1, &whole);
	if (count != cut_all(&s, data, piece + 1, &pieces) || whole != pieces)
		FUZZ_CHECK(s.start || s.end || s.encoding == TEXT_NOP);
	line_splitter_fini(&s);
}

static void fuzz_positions(struct str text)
{
	struct filelog_settings settings = {.max_concurrent_files = 2};
	struct tail_set set;
	struct buf out = {0}, again = {0};
	struct err e = {0};

	FUZZ_CHECK(!tail_set_init(&set, &settings, NULL, &e));
	if (!checkpoint_parse(text, &set, &e)) {
		struct tail_set other;

		checkpoint_format(&out, &set);
		FUZZ_CHECK(!tail_set_init(&other, &settings, NULL, &e));
		FUZZ_CHECK(!checkpoint_parse(buf_str(&out), &other, &e));
		checkpoint_format(&again, &other);
		FUZZ_CHECK(str_eq(buf_str(&out), buf_str(&again)));
		tail_set_fini(&other);
	} else {
		FUZZ_CHECK(e.text[0]);
	}
	tail_set_fini(&set);
	buf_fini(&out);
	buf_fini(&again);
}

static void fuzz_glob(struct str pattern, struct str path)
{
	struct setting_list from = {&pattern, 1};
	struct glob_list list;
	struct err e = {0};

	/* a match takes time that is exponential in the number of ** only */
	if (pattern.n < 40 && path.n < 40 && !glob_list_init(&list, &from, &e)) {
		glob_list_matches(&list, path);
		glob_list_fini(&list);
	} else if (pattern.n < 40 && path.n < 40) {
		glob_list_fini(&list);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = str_of((const char *)data + 3, size < 3 ? 0 : size - 3), text;

	if (size < 4)
		return 0;
	if (data[0] % 4 == 3) {
		fuzz_positions(rest);
		return 0;
	}
	text = str_cut(&rest, '\0');
	if (data[0] % 4 == 2)
		fuzz_glob(text, rest);
	else
		fuzz_splitter(data[1], data[2], text, rest);
	return 0;
}
