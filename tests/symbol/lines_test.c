/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and inlined calls, compared with addr2line; lookup of separate debug files. */
#include <dlfcn.h>
#include <errno.h>

#include "symbol/programs.h"

static const char cpp_program[] =
	"#include <cstdio>\n"
	"#include <cstdlib>\n"
	"namespace shop {\n"
	"template <typename T> struct basket {\n"
	"	T total = 0;\n"
	"	inline __attribute__((always_inline)) void add(T x) {\n"
	"		if (x > 3)\n"
	"			total += checked(x);\n"
	"		else\n"
	"			total -= x;\n"
	"	}\n"
	"	inline __attribute__((always_inline)) T checked(T x) {\n"
	"		return x * static_cast<T>(std::rand());\n"
	"	}\n"
	"};\n"
	"__attribute__((noinline)) long fill(int n) {\n"
	"	basket<long> b;\n"
	"	for (int i = 0; i < n; i++)\n"
	"		b.add(i);\n"
	"	return b.total;\n"
	"}\n"
	"__attribute__((noinline, cold)) void complain(const char *what) {\n"
	"	std::fprintf(stderr, \"%s\\n\", what);\n"
	"	std::abort();\n"
	"}\n"
	"}\n"
	"int main(int argc, char **argv) {\n"
	"	auto square = [](long x) { return x * x; };\n"
	"	if (argc > 5)\n"
	"		shop::complain(argv[0]);\n"
	"	return (int)square(shop::fill(argc * 1000));\n"
	"}\n";

static void need_libdw(void)
{
	void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (!library)
		skip();
	dlclose(library);
}

static struct symbol_file *open_ok(const char *path, const struct symbol_options *o)
{
	struct symbol_file *f = NULL;
	struct err e = {0};

	assert_ok_err(symbol_file_open(&f, path, o, &e), &e);
	return f;
}

/* Return the address of a function in the program "whole", which is never stripped. */
static uint64_t address_of(struct programs *p, const char *name)
{
	char command[128];
	uint64_t address = 0;

	snprintf(command, sizeof(command), "nm -C whole | sed -n 's/ [Tt] %s(.*//p;s/ [Tt] %s$//p'",
		 name, name);
	assert_ok(str_to_u64(str_trim(output_of(p, command)), 16, &address));
	return address;
}

/* Split "file:line (discriminator 1)" or "file:?" into file and line. */
static void parse_place(struct str text, struct str *file, int64_t *line)
{
	size_t colon;

	text = str_head(text, str_find(text, ' '));
	colon = str_find_last(text, ':');
	*file = str_head(text, colon);
	if (str_to_i64(str_from_at(text, colon + 1), line))
		*line = 0;
}

static struct str base_name(struct str path)
{
	size_t slash = str_find_last(path, '/');

	return slash < path.n ? str_from_at(path, slash + 1) : path;
}

/* Compare one result of addr2line -a -i -f with ours: names, files and lines of all calls. */
static void check_answer(struct symbol_file *f, uint64_t address, struct str *rest)
{
	struct symbol_frame frames[SYMBOL_INLINE_MAX];
	uint32_t n = symbol_lookup(f, address, frames), i = 0;
	struct str name, place, file;
	int64_t line;

	while (rest->n && !str_starts(*rest, STR("0x"))) {
		assert_true(str_next_line(rest, &name) && str_next_line(rest, &place));
		parse_place(place, &file, &line);
		if (i >= n || !str_eq(frames[i].system_name, name) || frames[i].line != line ||
		    (line && !str_eq(base_name(frames[i].filename), base_name(file))))
			fail_msg("at %llx, call %u of %u: \"%.*s\" %.*s:%lld, addr2line says "
				 "\"%.*s\" %.*s",
				 (unsigned long long)address, i, n,
				 STR_ARG(i < n ? frames[i].system_name : STR("")),
				 STR_ARG(i < n ? frames[i].filename : STR("")),
				 (long long)(i < n ? frames[i].line : 0), STR_ARG(name),
				 STR_ARG(place));
		i++;
	}
	assert_int_equal(i, n);
}

/* Check each byte of the program's functions. Return how many addresses have an inlined call. */
static uint32_t check_against_addr2line(struct programs *p, struct symbol_file *f)
{
	struct symbol_frame frames[SYMBOL_INLINE_MAX];
	struct str out, line;
	uint32_t inlined = 0, checked = 0;

	run_or_skip("nm -S whole | awk '$3 ~ /[tT]/ && $4 ~ /(main|fill|complain|basket)/ {print "
		    "$1, $2}' |"
		    " while read a s; do i=0; while [ $i -lt $((0x$s)) ]; do printf '0x%x\\n' "
		    "$((0x$a + i)); "
		    "i=$((i + 1)); done; done > addresses");
	out = output_of(p, "addr2line -a -i -f -e whole < addresses");
	while (str_next_line(&out, &line)) {
		uint64_t address;

		assert_ok(str_to_u64(line, 16, &address));
		check_answer(f, address, &out);
		inlined += symbol_lookup(f, address, frames) > 1;
		checked++;
	}
	assert_true(checked > 100);
	return inlined;
}

static void check_compiled(struct programs *p, const char *compile)
{
	struct symbol_options o = {.lines = true, .debug_directory = "/nowhere"};
	struct symbol_file *f;
	uint32_t before;

	need_libdw();
	write_file("program.cc", str_from(cpp_program));
	run_or_skip(compile);
	before = open_descriptors();
	f = open_ok("whole", &o);
	assert_true(check_against_addr2line(p, f) > 5);
	assert_int_equal(open_descriptors(), before);
	symbol_file_close(f);
}

static void lines_and_inlined_calls_match_addr2line(void **state)
{
	check_compiled(*state, "c++ -O2 -g -o whole program.cc");
}

static void lines_of_a_program_at_a_fixed_address_match_addr2line(void **state)
{
	check_compiled(*state, "c++ -O2 -g -no-pie -fno-pie -o whole program.cc");
}

static void lines_in_dwarf_4_match_addr2line(void **state)
{
	check_compiled(*state, "c++ -O2 -g -gdwarf-4 -o whole program.cc");
}

static void lines_in_compressed_sections_match_addr2line(void **state)
{
	check_compiled(*state, "c++ -O2 -g -gz -o whole program.cc");
}

static void lines_without_address_ranges_as_by_clang_match_addr2line(void **state)
{
	check_compiled(*state, "clang++ -O2 -g -fuse-ld=bfd -o whole program.cc 2>/dev/null");
}

static void names_are_demangled_and_functions_have_their_first_line(void **state)
{
	struct programs *p = *state;
	struct symbol_options o = {.lines = true, .debug_directory = "/nowhere"};
	struct symbol_frame frames[SYMBOL_INLINE_MAX];
	struct symbol_file *f;
	uint64_t fill;
	uint32_t deepest = 0;

	need_libdw();
	write_file("program.cc", str_from(cpp_program));
	run_or_skip("c++ -O2 -g -o whole program.cc");
	f = open_ok("whole", &o);
	fill = address_of(p, "shop::fill");
	for (uint64_t at = fill; symbol_lookup(f, at, frames) && frames[0].name.n; at++) {
		uint32_t n = symbol_lookup(f, at, frames);

		if (!str_eq(frames[n - 1].name, STR("shop::fill")))
			break;
		assert_int_equal(frames[n - 1].start, fill);
		assert_int_equal(frames[n - 1].start_line, 16);
		if (n == 3) {
			assert_str_equal(frames[0].name, STR("shop::basket<long>::checked"));
			assert_int_equal(frames[0].start_line, 12);
			assert_int_equal(frames[0].start, 0);
			assert_str_equal(frames[1].name, STR("shop::basket<long>::add"));
			assert_int_equal(frames[1].line, 8);
			assert_int_equal(frames[2].line, 19);
		}
		deepest = n > deepest ? n : deepest;
	}
	assert_int_equal(deepest, 3);
	symbol_file_close(f);
}

static void expect_name(const char *path, const struct symbol_options *o, uint64_t address,
			const char *name)
{
	struct symbol_frame frames[SYMBOL_INLINE_MAX];
	struct symbol_file *f = open_ok(path, o);
	uint32_t n = symbol_lookup(f, address, frames);

	if (name) {
		assert_true(n > 0);
		assert_str_equal(frames[n - 1].name, str_from(name));
		assert_true(!o->lines || frames[0].line > 0);
	} else {
		assert_int_equal(n, 0);
	}
	symbol_file_close(f);
}

/* Split a program into "stripped", with a debug link, and "stripped.debug". */
static void make_stripped(const char *build_id)
{
	char command[256];

	write_file("program.cc", str_from(cpp_program));
	snprintf(command, sizeof(command), "c++ -O2 -g -Wl,--build-id=%s -o whole program.cc",
		 build_id);
	run_or_skip(command);
	run_or_skip("objcopy --only-keep-debug whole stripped.debug && objcopy --strip-all "
		    "--add-gnu-debuglink=stripped.debug whole stripped");
}

static void a_debug_link_is_searched_beside_the_file_and_in_its_debug_directory(void **state)
{
	struct programs *p = *state;
	struct symbol_options o = {.debug_directory = "/nowhere"};
	uint64_t fill;

	make_stripped("none");
	fill = address_of(p, "shop::fill");
	expect_name("stripped", &o, fill, "shop::fill");
	assert_true(run("mkdir .debug && mv stripped.debug .debug"));
	expect_name("stripped", &o, fill, "shop::fill");
	assert_true(run("mv .debug/stripped.debug moved.debug"));
	expect_name("stripped", &o, fill, NULL);
}

static void a_debug_link_is_searched_in_the_global_debug_directory(void **state)
{
	struct programs *p = *state;
	char command[256], path[128], directory[128];
	struct symbol_options o = {.debug_directory = directory};

	make_stripped("none");
	snprintf(directory, sizeof(directory), "%s/debug", p->directory);
	snprintf(path, sizeof(path), "%s/stripped", p->directory);
	snprintf(command, sizeof(command), "mkdir -p debug%s && mv stripped.debug debug%s/",
		 p->directory, p->directory);
	assert_true(run(command));
	expect_name(path, &o, address_of(p, "shop::fill"), "shop::fill");
}

static void a_debug_file_with_another_checksum_is_ignored(void **state)
{
	struct programs *p = *state;
	struct symbol_options o = {.debug_directory = "/nowhere"};

	make_stripped("none");
	assert_true(run("printf x >> stripped.debug"));
	expect_name("stripped", &o, address_of(p, "shop::fill"), NULL);
}

static void a_debug_file_is_found_by_build_id_and_verified(void **state)
{
	struct programs *p = *state;
	struct symbol_options o = {.debug_directory = "debug"}, lines = o;
	uint64_t fill;

	make_stripped("0xabcdef01");
	fill = address_of(p, "shop::fill");
	assert_true(run("mkdir -p debug/.build-id/ab && mv stripped.debug "
			"debug/.build-id/ab/cdef01.debug"));
	expect_name("stripped", &o, fill, "shop::fill");
	need_libdw();
	lines.lines = true;
	expect_name("stripped", &lines, fill, "shop::fill");
	assert_true(
		run("objcopy --remove-section=.note.gnu.build-id debug/.build-id/ab/cdef01.debug"));
	expect_name("stripped", &o, fill, NULL);
}

static void lines_of_a_stripped_file_come_from_its_debug_file(void **state)
{
	struct programs *p = *state;
	struct symbol_options o = {.lines = true, .debug_directory = "/nowhere"};
	struct symbol_file *f;

	need_libdw();
	make_stripped("sha1");
	f = open_ok("stripped", &o);
	assert_true(check_against_addr2line(p, f) > 5);
	symbol_file_close(f);
}

static void names_in_gnu_debugdata_are_decompressed(void **state)
{
	struct programs *p = *state;
	struct symbol_options o = {.debug_directory = "/nowhere"};
	uint64_t fill, complain;

	write_file("program.cc", str_from(cpp_program));
	run_or_skip("c++ -O2 -Wl,--export-dynamic-symbol=_ZN4shop8complainEPKc -o whole program.cc "
		    "&& objcopy --strip-all whole stripped");
	/* as distributions do: without the symbols of .dynsym */
	run_or_skip("objcopy -S --keep-symbol=_ZN4shop4fillEi whole mini && xz --check=crc32 mini "
		    "&& objcopy "
		    "--add-section .gnu_debugdata=mini.xz stripped");
	run_or_skip("objcopy --remove-section=.gnu_debugdata stripped without");
	fill = address_of(p, "shop::fill");
	complain = address_of(p, "shop::complain");
	expect_name("without", &o, fill, NULL);
	expect_name("stripped", &o, fill, "shop::fill");
	expect_name("stripped", &o, complain, "shop::complain"); /* from .dynsym */
	assert_true(run(
		"dd if=/dev/zero of=junk bs=100 count=1 2>/dev/null && objcopy --update-section "
		".gnu_debugdata=junk stripped"));
	expect_name("stripped", &o, complain, "shop::complain");
	expect_name("stripped", &o, fill, NULL);
}

static void libraries_are_loaded_on_demand_only(void **state)
{
	struct programs *p = *state;
	struct symbol_options o = {.debug_directory = "/nowhere"};

	if (dlopen("libdw.so.1", RTLD_NOW | RTLD_NOLOAD)) {
		print_message("skipped: libdw is linked to this build\n");
		skip();
	}
	expect_name(libc_path(p), &o, 0, NULL);
	assert_null(dlopen("libdw.so.1", RTLD_NOW | RTLD_NOLOAD));
}

static void debug_information_over_the_budget_is_ignored(void **state)
{
	struct programs *p = *state;
	struct budget budget = {.limit = 256 * KIB};
	struct symbol_options o = {.lines = true, .debug_directory = "/nowhere", .budget = &budget};
	struct symbol_frame frames[SYMBOL_INLINE_MAX];
	struct symbol_file *f;

	need_libdw();
	write_file("program.cc", str_from(cpp_program));
	run_or_skip("c++ -O2 -g -o whole program.cc");
	f = open_ok("whole", &o);
	budget.limit = budget.used + 100;
	assert_int_equal(symbol_lookup(f, address_of(p, "shop::fill"), frames), 1);
	assert_int_equal(frames[0].line, 0);
	symbol_file_close(f);
	assert_int_equal(budget.used, 0);
}

TEST_MAIN(test_with(programs, libraries_are_loaded_on_demand_only),
	  test_with(programs, lines_and_inlined_calls_match_addr2line),
	  test_with(programs, lines_of_a_program_at_a_fixed_address_match_addr2line),
	  test_with(programs, lines_in_dwarf_4_match_addr2line),
	  test_with(programs, lines_in_compressed_sections_match_addr2line),
	  test_with(programs, lines_without_address_ranges_as_by_clang_match_addr2line),
	  test_with(programs, names_are_demangled_and_functions_have_their_first_line),
	  test_with(programs, a_debug_link_is_searched_beside_the_file_and_in_its_debug_directory),
	  test_with(programs, a_debug_link_is_searched_in_the_global_debug_directory),
	  test_with(programs, a_debug_file_with_another_checksum_is_ignored),
	  test_with(programs, a_debug_file_is_found_by_build_id_and_verified),
	  test_with(programs, lines_of_a_stripped_file_come_from_its_debug_file),
	  test_with(programs, names_in_gnu_debugdata_are_decompressed),
	  test_with(programs, debug_information_over_the_budget_is_ignored))
