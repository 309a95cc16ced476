/* SPDX-License-Identifier: Apache-2.0 */
/* Demangling of common names, and of hostile ones. */
#include <libiberty/demangle.h>
#include <pthread.h>

#include "base/arena.h"
#include "symbol/demangle/demangle.h"
#include "symbol/symbol.h"
#include "test/test.h"

struct pair {
	const char *mangled, *text;
};

static void expect(const struct pair *pairs, size_t n)
{
	struct arena a;

	arena_init(&a, NULL);
	for (size_t i = 0; i < n; i++)
		assert_str_equal(symbol_demangle(&a, str_from(pairs[i].mangled)),
				 str_from(pairs[i].text));
	arena_fini(&a);
}

static void cpp_names_have_template_arguments_but_no_parameters(void **state)
{
	static const struct pair pairs[] = {
		{"_ZNSt6vectorIiSaIiEE9push_backERKi",
		 "std::vector<int, std::allocator<int> >::push_back"},
		{"_Z4fillILi3EEvv", "fill<3>"},
		{"_ZN4shop4fillEi", "shop::fill"},
		{"_ZN4shop4fillEi.cold", "shop::fill"},
		{"_ZN4shop4fillEi.isra.0.part.1", "shop::fill"},
		{"_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()"},
		{"_ZN1AC2Ev", "A::A"},
		{"_ZN1AD0Ev", "A::~A"},
		{"_ZN12_GLOBAL__N_15localEv", "(anonymous namespace)::local"},
		{"_ZTv0_n24_N1A1fEv", "virtual thunk to A::f()"},
		{"_ZNKSt8functionIFviEEclEi", "std::function<void (int)>::operator()"},
	};

	(void)state;
	expect(pairs, countof(pairs));
}

static void rust_names_of_both_kinds_have_no_hashes(void **state)
{
	static const struct pair pairs[] = {
		{"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"},
		{"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE.llvm.12345",
		 "core::fmt::Formatter::pad"},
		{"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
		 "3bar17h930b740aa94f1d3aE",
		 "<Test + 'static as foo::Bar<Test>>::bar"},
		{"_RNvC6_123foo3bar", "123foo::bar"},
		{"_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
		 "utf8_idents::საჭმელად_გემრიელი_სადილი"},
		{"_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_", "cc::spawn::{closure#0}::{closure#0}"},
		{"_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_"
		 "ECs1iopQbuBiw2_3std",
		 "alloc::alloc::box_free::<dyn alloc::boxed::FnBox<(), Output = ()>>"},
		{"_RNvMC0INtC8arrayvec8ArrayVechKj7b_E3new", "<arrayvec::ArrayVec<u8, 123>>::new"},
		{"_RMCs4fqI2P2rA04_13const_genericINtB0_4CharKc76_E", "<const_generic::Char<'v'>>"},
		{"_RMCs4fqI2P2rA04_13const_genericINtB0_6SignedKsn98_E",
		 "<const_generic::Signed<-152>>"},
		{"_RNvC6_123foo3bar.llvm.77", "123foo::bar"},
	};

	(void)state;
	expect(pairs, countof(pairs));
}

/* Types of all kinds, compared with another demangler. */
static void rust_types_match_libiberty(void **state)
{
	static const char *const types[] = {
		"u",
		"RL_e",
		"PDNtC1a1TEL_",
		"AhKj5_",
		"Sh",
		"TlE",
		"TlmE",
		"TE",
		"FEu",
		"FUKCPhEl",
		"FK5cdeclEz",
		"FG_RL0_hEQL0_t",
		"DG_NtC1a1Tp1XRL0_eEL_",
		"DINtC1a1TjEp4ItemuNtB2_4SendEL_",
		"INtC1a1VKb1_Kan7f_Kc2a_E",
		"NtNtC1a1b1C",
		"YhNtC1a1T",
		"p",
		"v",
	};
	struct arena a;

	(void)state;
	arena_init(&a, NULL);
	for (size_t i = 0; i < countof(types); i++) {
		char name[128];
		char *expected;
		struct str ours;

		snprintf(name, sizeof(name), "_RINvC1x1f%sE", types[i]);
		expected = rust_demangle(name, 0);
		ours = symbol_demangle(&a, str_from(name));
		if (expected)
			assert_str_equal(ours, str_from(expected));
		else
			assert_str_equal(ours, str_from(name));
		free(expected);
	}
	arena_fini(&a);
}

static void other_names_are_unchanged(void **state)
{
	static const char *const names[] = {
		"",	"_",   "main",	  "_start",	"_Zqq",	 "_Z",	    "_R",
		"_RNv", "_ZN", "_ZN3foo", "_R0NvC1a1b", "Z3foo", "read@@X", "_ZN4core17hE"};
	struct arena a;

	(void)state;
	arena_init(&a, NULL);
	for (size_t i = 0; i < countof(names); i++) {
		struct str out = symbol_demangle(&a, str_from(names[i]));

		assert_str_equal(out, str_from(names[i]));
		assert_ptr_equal(out.p, names[i]);
	}
	arena_fini(&a);
}

static void names_that_grow_too_long_are_truncated(void **state)
{
	static const char ids[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[2048] = "_Z1fI1pIiiE", rust[2048] = "_RINvC1a1f";
	struct arena a;
	struct str out;

	(void)state;
	arena_init(&a, NULL);
	/* each argument is a pair of the previous one: the size doubles thirty times */
	for (int i = 1; i < 31; i++) {
		size_t n = strlen(name);

		snprintf(name + n, sizeof(name) - n, "S0_IS%c_S%c_E", ids[i], ids[i]);
	}
	strcat(name, "Evv");
	out = symbol_demangle(&a, str_from(name));
	assert_int_equal(out.n, SYMBOL_DEMANGLED_MAX);
	assert_true(str_starts(out, STR("f<p<int, int>, p<p<int, int>, p<int, int> >")));
	assert_true(str_ends(out, STR("...")));
	for (int i = 0; i < 250; i++)
		strcat(rust, "NtC1a1b");
	strcat(rust, "E");
	out = symbol_demangle(&a, str_from(rust));
	assert_true(out.n <= SYMBOL_DEMANGLED_MAX);
	assert_true(str_starts(out, STR("a::f::<a::b, a::b, ")) && str_ends(out, STR("...")));
	arena_fini(&a);
}

/* Repeat `piece` after `head` up to 1,000 bytes. */
static void repeat(char out[1024], const char *head, const char *piece, const char *tail)
{
	strcpy(out, head);
	while (strlen(out) + strlen(piece) + strlen(tail) < 1000)
		strcat(out, piece);
	strcat(out, tail);
}

static void *demangle_deep_names(void *arg)
{
	static const char *const deep[][3] = {
		{"_Z1f", "P", "i"},	    {"_Z1f", "PF", "i"},
		{"_Z1fI", "1aI", "i"},	    {"_ZN", "1aI", "E"},
		{"_Z1f", "PK", "i"},	    {"_Z", "Z", "v"},
		{"_Z1fIXad", "cl", "E"},    {"_Z1fIX", "ng", "Li1EEE"},
		{"_Z1fI", "RT_", "Ev"},	    {"_Z1fI", "IiERT_", "Evv"},
		{"_Z1fIiEv", "OT_", ""},    {"_Z1fI", "J", "EEv"},
		{"_Z1fI", "DTcl", "E"},	    {"_Z1fI", "S0_IiE", "Ev"},
		{"_RINvC1a1f", "R", "hE"},  {"_R", "NvNv", "C1a"},
		{"_RINvC1a1f", "T", "E"},   {"_RINvC1a1f", "DG_", "E"},
		{"_RNvXG", "z", "_"},	    {"_RINvMINtC1a1bFGzzzzzzzzz_EuEhC1a1f", "B_", "E"},
		{"_RINvC1a1f", "B9_", "E"}, {"_ZN", "1a", "E"},
		{"_Z1f", "M1a", "i"},	    {"_Z1f", "A_", "i"},
		{"_Z1f", "Dp", "T_"},	    {"_Z", "GTt", "1f"},
	};
	struct arena a;

	(void)arg;
	arena_init(&a, NULL);
	for (size_t i = 0; i < countof(deep); i++) {
		char name[1024];

		repeat(name, deep[i][0], deep[i][1], deep[i][2]);
		assert_true(symbol_demangle(&a, str_from(name)).n > 0);
	}
	arena_fini(&a);
	return NULL;
}

/* The stack size documented in symbol.h. Sanitizers need more. */
static void deeply_nested_names_fit_the_documented_stack(void **state)
{
	size_t size = 512 * KIB;
	pthread_attr_t attributes;
	pthread_t thread;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	size *= 8;
#endif
	assert_ok(pthread_attr_init(&attributes));
	assert_ok(pthread_attr_setstacksize(&attributes, size));
	assert_ok(pthread_create(&thread, &attributes, demangle_deep_names, NULL));
	assert_ok(pthread_join(thread, NULL));
	pthread_attr_destroy(&attributes);
}

/* Without memory for the text the name is returned as it is in the file. */
static void names_stay_mangled_without_memory(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a, NULL);
	a.fail_after = 1;
	assert_str_equal(symbol_demangle(&a, STR("_ZN4shop4fillEi")), STR("_ZN4shop4fillEi"));
	arena_fini(&a);
}

TEST_MAIN(test(cpp_names_have_template_arguments_but_no_parameters),
	  test(rust_names_of_both_kinds_have_no_hashes), test(rust_types_match_libiberty),
	  test(other_names_are_unchanged), test(names_that_grow_too_long_are_truncated),
	  test(deeply_nested_names_fit_the_documented_stack),
	  test(names_stay_mangled_without_memory))
