/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds rows for code that .eh_frame does not cover. Two kinds of code are recognised by their
 * bytes: PLT entries (lld writes no rules for them) and sigreturn trampolines (musl writes no rules
 * at all).
 */
#include "unwind/build.h"

enum { PLT_ENTRY = 16, SEARCH_MAX = 8 << 20 };

/* The bytes of a PLT entry; only those in the mask are compared. */
struct plt_pattern {
	uint8_t bytes[PLT_ENTRY];
	uint16_t mask; /* bit i: compare byte i */
	uint32_t rule;
};

#define RULE_SP(words) ((uint32_t)(words) << UNWIND_OFFSET_SHIFT)

static const struct plt_pattern plt_patterns[] = {
	/* jmp *slot(%rip); push $number; jmp first entry */
	{{0xff, 0x25, 0, 0, 0, 0, 0x68, 0, 0, 0, 0, 0xe9},
	 0x0843,
	 UNWIND_COMMAND(UNWIND_COMMAND_PLT, 11)},
	/* endbr64; push $number; jmp first entry, with and without the prefix bnd */
	{{0xf3, 0x0f, 0x1e, 0xfa, 0x68, 0, 0, 0, 0, 0xe9},
	 0x021f,
	 UNWIND_COMMAND(UNWIND_COMMAND_PLT, 9)},
	{{0xf3, 0x0f, 0x1e, 0xfa, 0x68, 0, 0, 0, 0, 0xf2, 0xe9},
	 0x061f,
	 UNWIND_COMMAND(UNWIND_COMMAND_PLT, 9)},
	/* endbr64; jmp *slot(%rip), with and without the prefix bnd */
	{{0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25}, 0x003f, RULE_SP(1)},
	{{0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25}, 0x007f, RULE_SP(1)},
};

static const uint8_t sigreturn_patterns[][9] = {
	{0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}, /* mov $15,%rax; syscall */
	{0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05, 0, 0},       /* mov $15,%eax; syscall */
};
static const size_t sigreturn_sizes[] = {9, 7};

static const struct plt_pattern *find_plt(const uint8_t *p)
{
	for (size_t i = 0; i < countof(plt_patterns); i++) {
		const struct plt_pattern *pattern = &plt_patterns[i];
		unsigned at = 0;

		while (at < PLT_ENTRY &&
		       (!(pattern->mask >> at & 1) || p[at] == pattern->bytes[at]))
			at++;
		if (at == PLT_ENTRY)
			return pattern;
	}
	return NULL;
}

/* Return the length of the sigreturn code at p, or 0. */
static size_t find_sigreturn(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < countof(sigreturn_patterns); i++)
		if (n >= sigreturn_sizes[i] &&
		    memcmp(p, sigreturn_patterns[i], sigreturn_sizes[i]) == 0)
			return sigreturn_sizes[i];
	return 0;
}

/* Return the position of the first syscall instruction (0x0f 0x05) at or after `from`, or n. */
static size_t find_syscall(const uint8_t *p, size_t from, size_t n)
{
	while (from + 1 < n) {
		const uint8_t *found = memchr(p + from, 0x05, n - from);

		if (!found)
			return n;
		if (found > p && found[-1] == 0x0f)
			return (size_t)(found - 1 - p);
		from = (size_t)(found - p) + 1;
	}
	return n;
}

/* Add rules for PLT entries from `start` on. Return where the entries end. */
static uint64_t add_plt(struct unwind_builder *b, uint64_t start, const uint8_t *p, size_t n)
{
	size_t at = (size_t)(-start & (PLT_ENTRY - 1));
	uint64_t end = start;

	for (; n >= PLT_ENTRY && at <= n - PLT_ENTRY; at += PLT_ENTRY) {
		const struct plt_pattern *pattern = find_plt(p + at);

		if (pattern) {
			unwind_builder_add(b, start + at, pattern->rule);
			end = start + at + PLT_ENTRY;
		} else if (end != start || at >= 4 * PLT_ENTRY) {
			break; /* the first entry matches no pattern; a later mismatch is the end */
		}
	}
	return end;
}

/*
 * Add rules for sigreturn code from offset `at` on. A handler returns to the first byte, whose rule
 * is looked up at pc - 1.
 */
static void add_sigreturns(struct unwind_builder *b, uint64_t start, size_t at, const uint8_t *p,
			   size_t n)
{
	size_t first = at;

	n = min_size(n, SEARCH_MAX);
	while ((at = find_syscall(p, at, n)) < n) {
		for (size_t i = 0; i < countof(sigreturn_patterns); i++) {
			size_t size = sigreturn_sizes[i], before = size - 2;

			if (at < first + before || !find_sigreturn(p + at - before, size))
				continue;
			unwind_builder_add(b, start + at - before - (at > first + before),
					   UNWIND_RULE_SIGNAL);
			unwind_builder_add(b, start + at + 2, UNWIND_RULE_GUESS);
			break;
		}
		at += 2;
	}
}

void unwind_builder_add_gap(struct unwind_builder *b, uint64_t start, uint64_t limit,
			    struct str code)
{
	const uint8_t *p = (const uint8_t *)code.p;
	size_t n = limit > start ? min_size(code.n, limit - start) : 0;
	uint64_t end;

	unwind_builder_add(b, start, UNWIND_RULE_GUESS);
	if (!n)
		return;
	end = add_plt(b, start, p, n);
	unwind_builder_add(b, end, UNWIND_RULE_GUESS);
	add_sigreturns(b, start, (size_t)(end - start), p, n);
}
