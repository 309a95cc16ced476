/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions in real files, compared with nm. */
#include <elf.h>
#include <errno.h>

#include "symbol/programs.h"

static const char c_program[] =
	"#include <stdio.h>\n"
	"int global_variable;\n"
	"static __attribute__((noinline)) int helper(int x) { return x * global_variable; }\n"
	"int __visible_alias(int x) { return helper(x + 1); }\n"
	"int visible_alias(int x) __attribute__((weak, alias(\"__visible_alias\")));\n"
	"int visible_longer_alias(int x) __attribute__((weak, alias(\"__visible_alias\")));\n"
	"static int one(int x) { return x; }\n"
	"static int (*pick(void))(int) { return one; }\n"
	"int chosen(int x) __attribute__((ifunc(\"pick\")));\n"
	"__asm__(\".text\\n.globl bare_label\\nbare_label:\\n nop\\n nop\\n nop\\n nop\\n\"\n"
	"        \".globl after_label\\n.type after_label,@function\\nafter_label: "
	"nop\\nlabel_inside: nop\\n"
	".size after_label, 2\\n\");\n"
	"int main(void) { printf(\"%d\\n\", visible_alias(chosen(1))); return 0; }\n";

static struct symbol_file *open_ok(const char *path, const struct symbol_options *o)
{
	struct symbol_file *f = NULL;
	struct err e = {0};

	assert_ok_err(symbol_file_open(&f, path, o, &e), &e);
	return f;
}

static struct str name_at(struct symbol_file *f, uint64_t address)
{
	struct symbol_frame frames[SYMBOL_INLINE_MAX];
	uint32_t n = symbol_lookup(f, address, frames);

	return n ? frames[n - 1].system_name : (struct str){0};
}

struct nm_line {
	uint64_t address, size;
	struct str name;
};

/* Parse "0000000000001139 000000000000000f T name"; the size column may be missing. */
static bool parse_nm(struct str line, struct nm_line *out)
{
	struct str address = str_cut(&line, ' '), second = str_cut(&line, ' ');

	*out = (struct nm_line){0};
	if (address.n != 16 || str_to_u64(address, 16, &out->address))
		return false;
	if (second.n > 1) {
		assert_ok(str_to_u64(second, 16, &out->size));
		second = str_cut(&line, ' ');
	}
	out->name = str_head(line, str_find(line, '@'));
	return second.n == 1 && strchr("TtWwi", second.p[0]);
}

/* Return true if `name` is one of nm's names of the address. */
static bool nm_has(struct str nm, uint64_t address, struct str name)
{
	struct nm_line parsed;
	struct str line;

	while (str_next_line(&nm, &line)) {
		if (parse_nm(line, &parsed) && parsed.address == address &&
		    str_eq(parsed.name, name))
			return true;
	}
	return false;
}

/* Look up the first and last byte of each function of `nm`, which is sorted by address. */
static uint32_t check_against_nm(struct symbol_file *f, struct str nm)
{
	struct str rest = nm, line, here = nm;
	uint32_t checked = 0;
	uint64_t last = 0;
	struct nm_line parsed;

	while (str_next_line(&rest, &line)) {
		struct str name;

		if (!parse_nm(line, &parsed) || !parsed.size)
			continue;
		if (parsed.address != last)
			here = str_of(line.p, min_size(4096, (size_t)(nm.p + nm.n - line.p)));
		last = parsed.address;
		name = name_at(f, parsed.address);
		if (!nm_has(here, parsed.address, name) && !nm_has(nm, parsed.address, name))
			fail_msg("at %llx: \"%.*s\", nm says \"%.*s\"",
				 (unsigned long long)parsed.address, STR_ARG(name),
				 STR_ARG(parsed.name));
		assert_true(name_at(f, parsed.address + parsed.size - 1).n > 0);
		checked++;
	}
	return checked;
}

static void every_function_of_libc_has_a_name_of_nm(void **state)
{
	struct programs *p = *state;
	const char *path = libc_path(p);
	struct symbol_options no_debug_files = {.debug_directory = "/nowhere"};
	struct symbol_file *f = open_ok(path, &no_debug_files);
	char command[256];

	snprintf(command, sizeof(command), "nm -n -D -S --defined-only %s", path);
	assert_true(check_against_nm(f, output_of(p, command)) > 1000);
	symbol_file_close(f);
}

static void public_names_are_preferred_among_aliases(void **state)
{
	struct programs *p = *state;
	struct symbol_options no_debug_files = {.debug_directory = "/nowhere"};
	struct symbol_file *f = open_ok(libc_path(p), &no_debug_files);
	static const char *const names[] = {"read", "write", "malloc",
					    "free", "qsort", "pthread_mutex_lock"};
	char command[256];

	for (size_t i = 0; i < countof(names); i++) {
		struct str out;
		uint64_t address;

		snprintf(command, sizeof(command),
			 "nm -D --defined-only %s | sed -n 's/ [TWi] %s@@.*//p'", libc_path(p),
			 names[i]);
		out = str_trim(output_of(p, command));
		assert_ok(str_to_u64(out, 16, &address));
		assert_str_equal(name_at(f, address), str_from(names[i]));
	}
	symbol_file_close(f);
}

static void check_program(struct programs *p, const char *compile)
{
	struct symbol_file *f;
	struct str nm;

	write_file("program.c", str_from(c_program));
	run_or_skip(compile);
	nm = output_of(p, "nm -n -S program");
	f = open_ok("program", NULL);
	assert_true(check_against_nm(f, nm) >= 5);
	symbol_file_close(f);
}

static void symbols_of_a_pie_match_nm(void **state)
{
	check_program(*state, "cc -O1 -fPIE -pie -o program program.c");
}

static void symbols_of_a_program_at_a_fixed_address_match_nm(void **state)
{
	check_program(*state, "cc -O1 -no-pie -fno-pie -o program program.c");
}

static void symbols_of_a_static_program_match_nm(void **state)
{
	check_program(*state, "cc -O1 -static -o program program.c");
}

static uint64_t address_of(struct programs *p, const char *name)
{
	char command[128];
	uint64_t address = 0;

	snprintf(command, sizeof(command), "nm program | sed -n 's/ [TtWwi] %s$//p'", name);
	assert_ok(str_to_u64(str_trim(output_of(p, command)), 16, &address));
	return address;
}

static void labels_without_size_extend_to_the_next_symbol_outside_functions(void **state)
{
	struct programs *p = *state;
	struct symbol_file *f;
	uint64_t label, after;

	write_file("program.c", str_from(c_program));
	run_or_skip("cc -O1 -o program program.c");
	f = open_ok("program", NULL);
	label = address_of(p, "bare_label");
	after = address_of(p, "after_label");
	assert_str_equal(name_at(f, label), STR("bare_label"));
	assert_str_equal(name_at(f, label + 3), STR("bare_label"));
	assert_str_equal(name_at(f, after), STR("after_label"));
	assert_str_equal(name_at(f, after + 1), STR("after_label")); /* not label_inside */
	symbol_file_close(f);
}

static void aliases_indirect_functions_and_data_are_distinguished(void **state)
{
	struct programs *p = *state;
	struct symbol_frame frames[SYMBOL_INLINE_MAX];
	struct symbol_file *f;
	uint64_t data;

	write_file("program.c", str_from(c_program));
	run_or_skip("cc -O1 -o program program.c");
	f = open_ok("program", NULL);
	assert_str_equal(name_at(f, address_of(p, "__visible_alias")), STR("visible_alias"));
	assert_str_equal(name_at(f, address_of(p, "chosen")), STR("chosen"));
	assert_ok(
		str_to_u64(str_trim(output_of(p, "nm program | sed -n 's/ B global_variable$//p'")),
			   16, &data));
	assert_int_equal(symbol_lookup(f, data, frames), 0);
	assert_int_equal(symbol_lookup(f, 0, frames), 0);
	assert_int_equal(symbol_lookup(f, UINT64_MAX, frames), 0);
	assert_int_equal(symbol_lookup(f, (uint64_t)1 << 40, frames), 0);
	assert_int_equal(symbol_lookup(f, address_of(p, "helper"), frames), 1);
	assert_int_equal(frames[0].start, address_of(p, "helper"));
	symbol_file_close(f);
}

/* Names read from the file on demand equal those in memory, and are missing if the file changed. */
static void names_can_be_read_on_demand(void **state)
{
	struct programs *p = *state;
	struct symbol_options in_file = {.names_kept = 1};
	struct symbol_file *f, *g;
	struct str nm;
	uint32_t before;

	write_file("program.c", str_from(c_program));
	run_or_skip("cc -O1 -static -o program program.c");
	nm = output_of(p, "nm -n -S program");
	before = open_descriptors();
	f = open_ok("program", &in_file);
	g = open_ok("program", NULL);
	assert_int_equal(open_descriptors(), before);
	assert_true(symbol_file_bytes(f) < symbol_file_bytes(g));
	assert_str_equal(name_at(f, address_of(p, "helper")), STR("helper"));
	assert_true(check_against_nm(f, nm) > 500);
	assert_int_equal(open_descriptors(), before);
	symbol_file_close(f);

	f = open_ok("program", &in_file);
	assert_true(run("cp program other && mv other program"));
	assert_str_equal(name_at(f, address_of(p, "helper")), STR(""));
	assert_str_equal(name_at(g, address_of(p, "helper")), STR("helper"));
	symbol_file_close(f);
	symbol_file_close(g);
}

static const char calling_program[] =
	"#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
	"void (*address_taken)(void *) = free;\n"
	"int main(int argc, char **argv) {\n"
	"	char *copy = strdup(argv[0]);\n"
	"	printf(\"%zu %d %f\\n\", strlen(copy), atoi(copy), pow(argc, argc));\n"
	"	free(copy);\n"
	"	address_taken(NULL);\n"
	"	return 0;\n}\n";

/* Check that each stub that objdump finds has its name at all its bytes. Return their number. */
static uint32_t check_stubs(struct programs *p)
{
	struct str out = output_of(p, "objdump -d -j .plt -j .plt.sec -j .plt.got program "
				      "2>/dev/null | sed -n 's/^\\([0-9a-f]*\\) "
				      "<\\([^*].*\\)@plt>:$/\\1 \\2@plt/p'");
	struct symbol_file *f = open_ok("program", NULL);
	uint32_t checked = 0;
	struct str line;

	while (str_next_line(&out, &line)) {
		struct str number = str_cut(&line, ' ');
		uint64_t address;

		assert_ok(str_to_u64(number, 16, &address));
		assert_str_equal(name_at(f, address), line);
		assert_str_equal(name_at(f, address + 7), line);
		checked++;
	}
	symbol_file_close(f);
	return checked;
}

static void stubs_are_named_after_their_target(void **state)
{
	static const char *const ways[] = {
		"cc -O1 -fno-builtin -Wl,-z,lazy -o program calling.c -lm",
		"cc -O1 -fno-builtin -Wl,-z,now -no-pie -fno-pie -o program calling.c -lm",
		"cc -O1 -fno-builtin -fcf-protection=full -Wl,-z,ibtplt -o program calling.c -lm",
		"cc -O1 -fno-builtin -s -o program calling.c -lm",
	};

#ifndef __x86_64__
	print_message("# skipped: stubs are read on x86_64 only\n");
	skip();
#endif
	write_file("calling.c", str_from(calling_program));
	for (size_t i = 0; i < countof(ways); i++) {
		run_or_skip(ways[i]);
		assert_true(check_stubs(*state) >= 5);
	}
}

static void stubs_of_mangled_names_are_demangled(void **state)
{
	struct programs *p = *state;
	struct symbol_frame frames[SYMBOL_INLINE_MAX];
	struct symbol_file *f;
	uint64_t address;
	struct str out;

	write_file("stub.cc",
		   STR("void elsewhere(int);\nint main() { elsewhere(1); return 0; }\n"));
	write_file("elsewhere.cc", STR("void elsewhere(int) {}\n"));
	run_or_skip("c++ -shared -fPIC -o libelsewhere.so elsewhere.cc && "
		    "c++ -o program stub.cc -L. -lelsewhere");
	out = str_trim(output_of(p, "objdump -d program | sed -n 's/ <_Z9elsewherei@plt>:$//p'"));
	assert_ok(str_to_u64(out, 16, &address));
	f = open_ok("program", NULL);
	assert_int_equal(symbol_lookup(f, address, frames), 1);
	assert_str_equal(frames[0].name, STR("elsewhere@plt"));
	assert_str_equal(frames[0].system_name, STR("_Z9elsewherei@plt"));
	symbol_file_close(f);
}

/* The stubs follow _init, which has no size: they do not belong to it. */
static void symbols_without_size_end_with_their_section(void **state)
{
	struct programs *p = *state;
	struct symbol_frame frames[SYMBOL_INLINE_MAX];
	struct symbol_file *f;
	uint64_t address = 0;

	write_file("calling.c", str_from(calling_program));
	run_or_skip("cc -O1 -fno-builtin -Wl,-z,lazy -o program calling.c -lm");
	f = open_ok("program", NULL);
	assert_str_equal(name_at(f, address_of(p, "_init")), STR("_init"));
	assert_true(symbol_file_section(f, ".plt", &address).n > 0);
	/* the stub that belongs to no function */
	assert_int_equal(symbol_lookup(f, address, frames), 0);
	symbol_file_close(f);
}

/* Return the bytes of [vdso] in /proc/self/maps, or an empty slice if there is none. */
static struct str vdso_bytes(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end;
	struct str bytes = {0};
	char line[512];

	while (maps && fgets(line, sizeof(line), maps)) {
		if (strstr(line, "[vdso]") && sscanf(line, "%lx-%lx", &start, &end) == 2)
			bytes = str_of((const char *)start, end - start);
	}
	if (maps)
		fclose(maps);
	return bytes;
}

static void the_vdso_is_read_from_memory(void **state)
{
	struct str bytes = vdso_bytes();
	struct symbol_frame frames[SYMBOL_INLINE_MAX];
	struct symbol_file *f = NULL;
	uint32_t found = 0;
	struct err e = {0};

	(void)state;
	if (!bytes.n)
		skip();
	assert_ok_err(symbol_file_open_bytes(&f, bytes, "[vdso]", NULL, &e), &e);
	for (uint64_t at = 0; at < bytes.n; at++) {
		if (symbol_lookup(f, at, frames) && str_ends(frames[0].name, STR("clock_gettime")))
			found++;
	}
	assert_true(found > 0);
	symbol_file_close(f);
}

/* e_shoff, e_shnum and e_shstrndx are zero, as after sstrip. */
static void the_dynamic_segment_is_read_without_section_headers(void **state)
{
	struct programs *p = *state;
	struct symbol_options no_debug_files = {.debug_directory = "/nowhere"};
	struct str bytes = bytes_of(p, libc_path(p));
	struct symbol_file *f = NULL;
	struct err e = {0};
	Elf64_Ehdr h;
	char command[256];

	memcpy(&h, bytes.p, sizeof(h));
	h.e_shoff = 0;
	h.e_shnum = h.e_shstrndx = 0;
	memcpy((char *)bytes.p, &h, sizeof(h));
	assert_ok_err(symbol_file_open_bytes(&f, bytes, "libc", &no_debug_files, &e), &e);
	snprintf(command, sizeof(command), "nm -n -D -S --defined-only %s", libc_path(p));
	assert_true(check_against_nm(f, output_of(p, command)) > 1000);
	assert_true(symbol_file_build_id(f).n > 0);
	symbol_file_close(f);
}

static void build_id_sections_and_offsets_match_readelf(void **state)
{
	struct programs *p = *state;
	struct symbol_file *f;
	struct str id, text, again;
	uint64_t address = 0, from_offset = 0, offset;
	char hex[65] = "";

	write_file("program.c", str_from(c_program));
	run_or_skip("cc -O1 -Wl,--build-id=sha1 -o program program.c");
	f = open_ok("program", NULL);
	id = symbol_file_build_id(f);
	assert_int_equal(id.n, 20);
	for (size_t i = 0; i < id.n; i++)
		snprintf(hex + 2 * i, 3, "%02x", (unsigned char)id.p[i]);
	assert_str_equal(str_trim(output_of(p, "readelf -n program | sed -n 's/.*Build ID: //p'")),
			 str_from(hex));
	text = symbol_file_section(f, ".text", &address);
	again = symbol_file_section(f, ".text", NULL);
	assert_ptr_equal(text.p, again.p);
	assert_ok(str_to_u64(
		str_trim(output_of(p,
				   "readelf -SW program | sed -n 's/.* .text *PROGBITS *[^ ]* //p' "
				   "| cut -d' ' -f1")),
		16, &offset));
	assert_memory_equal(text.p, bytes_of(p, "program").p + offset, text.n);
	assert_true(symbol_file_offset_to_address(f, offset, &from_offset));
	assert_int_equal(from_offset, address);
	assert_false(symbol_file_offset_to_address(f, (uint64_t)1 << 40, &from_offset));
	assert_int_equal(symbol_file_section(f, ".nothing", NULL).n, 0);
	symbol_file_close(f);
}

static void invalid_elf_is_rejected_with_the_reason(void **state)
{
	struct symbol_file *f = NULL;
	struct err e = {0};

	(void)state;
	write_file("text",
		   STR("this is text, and long enough for a header of sixty-four bytes......"));
	assert_int_equal(symbol_file_open(&f, "text", NULL, &e), -EBADMSG);
	assert_err_says(&e, "text: at byte 0: expected \\x7fELF, found 74686973");
	e = (struct err){0};
	write_file("short", STR("\177ELF"));
	assert_int_equal(symbol_file_open(&f, "short", NULL, &e), -EBADMSG);
	assert_err_says(&e, "short: at byte 4: expected an ELF header, found the end");
	e = (struct err){0};
	assert_int_equal(symbol_file_open(&f, ".", NULL, &e), -EINVAL);
	assert_err_says(&e, "not a regular file");
	assert_true(run("mkfifo pipe"));
	assert_int_equal(symbol_file_open(&f, "pipe", NULL, NULL), -EINVAL);
	assert_int_equal(symbol_file_open(&f, "missing", NULL, NULL), -ENOENT);
}

static void an_unnamed_frame_is_module_and_offset(void **state)
{
	char text[32];

	(void)state;
	assert_int_equal(symbol_unknown(text, sizeof(text), STR("/usr/lib/libfoo.so"), 0x1234), 16);
	assert_string_equal(text, "libfoo.so+0x1234");
	symbol_unknown(text, sizeof(text), STR("plain"), 0);
	assert_string_equal(text, "plain+0x0");
	symbol_unknown(text, sizeof(text), STR(""), 0xff);
	assert_string_equal(text, "unknown+0xff");
	assert_int_equal(symbol_unknown(text, 11, STR("/a/long_module_name"), 0x1234), 10);
	assert_string_equal(text, "lon+0x1234");
	assert_int_equal(symbol_unknown(text, 1, STR("x"), 1), 0);
	assert_int_equal(symbol_unknown(text, 0, STR("x"), 1), 0);
}

TEST_MAIN(test_with(programs, every_function_of_libc_has_a_name_of_nm),
	  test_with(programs, public_names_are_preferred_among_aliases),
	  test_with(programs, symbols_of_a_pie_match_nm),
	  test_with(programs, symbols_of_a_program_at_a_fixed_address_match_nm),
	  test_with(programs, symbols_of_a_static_program_match_nm),
	  test_with(programs, labels_without_size_extend_to_the_next_symbol_outside_functions),
	  test_with(programs, aliases_indirect_functions_and_data_are_distinguished),
	  test_with(programs, names_can_be_read_on_demand),
	  test_with(programs, stubs_are_named_after_their_target),
	  test_with(programs, stubs_of_mangled_names_are_demangled),
	  test_with(programs, symbols_without_size_end_with_their_section),
	  test_with(programs, the_dynamic_segment_is_read_without_section_headers),
	  test_with(programs, build_id_sections_and_offsets_match_readelf),
	  test_with(programs, invalid_elf_is_rejected_with_the_reason),
	  test(the_vdso_is_read_from_memory), test(an_unnamed_frame_is_module_and_offset))
