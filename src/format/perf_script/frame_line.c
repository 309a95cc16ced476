/* SPDX-License-Identifier: Apache-2.0 */
/* Parses a frame line (address, symbol with offset, DSO) and the source line after it. */
#include "format/perf_script/frame_line.h"

static bool is_hex(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
			return false;
	}
	return s.n > 0 && s.n <= 16;
}

/* Return `s` without an offset like "+0x1f" at its end. */
static struct str cut_offset(struct str s)
{
	size_t plus = str_find_last(s, '+');

	if (plus == s.n || !str_starts(str_from_at(s, plus), STR("+0x")) ||
	    !is_hex(str_from_at(s, plus + 3)))
		return s;
	return str_head(s, plus);
}

/* Return where the parenthesis opens that the last byte closes, or s.n. */
static size_t find_opening(struct str s)
{
	size_t depth = 0;

	for (size_t i = s.n; i-- > 0;) {
		if (s.p[i] == ')')
			depth++;
		else if (s.p[i] == '(' && --depth == 0)
			return i;
	}
	return s.n;
}

/*
 * Split "name (dso)"; the name stays in *s. Symbols have parentheses, too, but without a blank
 * before the last pair.
 */
static bool cut_dso(struct str *s, struct str *dso)
{
	size_t open;

	if (!s->n || s->p[s->n - 1] != ')')
		return false;
	open = find_opening(*s);
	if (open == s->n || (open && s->p[open - 1] != ' '))
		return false;
	*dso = str_of(s->p + open + 1, s->n - open - 2);
	*s = str_head(*s, open);
	return true;
}

bool perf_frame_parse(struct str line, struct perf_frame *out)
{
	struct str rest = str_trim(line), address, dso = {0};
	size_t blank = str_find(rest, ' ');

	*out = (struct perf_frame){0};
	address = str_head(rest, blank);
	if (!is_hex(address) || str_to_u64(address, 16, &out->address))
		return false;
	rest = str_from_at(rest, blank);
	out->has_dso = cut_dso(&rest, &dso);
	out->inlined = str_eq(dso, STR("inlined"));
	if (!out->inlined)
		out->dso = cut_offset(dso);
	if (str_eq(out->dso, STR("[unknown]")))
		out->dso = STR("");
	out->symbol = cut_offset(str_trim(rest));
	if (str_eq(out->symbol, STR("[unknown]")))
		out->symbol = STR("");
	return true;
}

/* Match names in brackets that belong to user space. */
static bool is_user_area(struct str dso)
{
	static const struct str areas[] = {
		STR_INIT("[vdso"),  STR_INIT("[vsyscall]"), STR_INIT("[heap"),
		STR_INIT("[stack"), STR_INIT("[anon"),	    STR_INIT("[uprobes]"),
	};

	for (size_t i = 0; i < countof(areas); i++)
		if (str_starts(dso, areas[i]))
			return true;
	return false;
}

static bool is_kernel_file(struct str dso)
{
	size_t slash = str_find_last(dso, '/');
	struct str name = slash == dso.n ? dso : str_from_at(dso, slash + 1);

	return str_starts(name, STR("vmlinux")) || str_ends(name, STR(".ko")) ||
	       str_find_str(name, STR(".ko.")) != name.n || str_starts(name, STR("bpf_prog_"));
}

static bool is_jit_file(struct str dso)
{
	return (str_find_str(dso, STR("/perf-")) != dso.n && str_ends(dso, STR(".map"))) ||
	       (str_find_str(dso, STR("/jitted-")) != dso.n && str_ends(dso, STR(".so")));
}

struct str perf_frame_type(const struct perf_frame *f)
{
	/* the upper half on x86-64 and arm64; old versions of perf print offsets instead */
	const uint64_t kernel_half = 0xffff800000000000u;

	if (!f->dso.n)
		return f->address >= kernel_half && f->symbol.n ? STR("kernel") : STR("");
	if (f->dso.p[0] == '[')
		return is_user_area(f->dso) ? STR("native") : STR("kernel");
	if (is_kernel_file(f->dso))
		return STR("kernel");
	return is_jit_file(f->dso) ? STR("jit") : STR("native");
}

bool perf_srcline_parse(struct str line, struct perf_srcline *out)
{
	struct str text = str_trim(line);
	uint64_t number;
	size_t colon;

	*out = (struct perf_srcline){0};
	if (str_ends(text, STR(" (inlined)"))) {
		out->inlined = true;
		text.n -= STR(" (inlined)").n;
	}
	if (str_ends(text, STR(")"))) { /* "(discriminator 2)" */
		size_t open = str_find_last(text, '(');

		if (open != text.n)
			text = str_trim(str_head(text, open));
	}
	colon = str_find_last(text, ':');
	if (colon != text.n && !str_to_u64(str_from_at(text, colon + 1), 10, &number) &&
	    number <= INT32_MAX) {
		out->file = str_head(text, colon);
		out->line = (int64_t)number;
		if (str_eq(out->file, STR("??")))
			out->file = STR("");
		return true;
	}
	/* "libc.so.6[27b25]": the line is unknown */
	return text.n > 2 && text.p[text.n - 1] == ']' && str_find_last(text, '[') > 0;
}
