/* SPDX-License-Identifier: Apache-2.0 */
/* Invalid, truncated and changing files, and lack of memory: fewer names, but nothing worse. */
#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include "symbol/cache.h"
#include "symbol/programs.h"

static const char program[] =
	"static volatile int sink;\n"
	"__attribute__((noinline)) int inner(int x) { return x + sink; }\n"
	"__attribute__((noinline)) int outer(int x) { return inner(x) * 2 + sink; }\n"
	"int _start(void) { return outer(1); }\n";

static struct str small_program(struct programs *p, const char *compile)
{
	write_file("program.c", str_from(program));
	run_or_skip(compile);
	return bytes_of(p, "program");
}

/* Return a copy without accessible bytes after it, so that a sanitizer detects overreads. */
static char *exact_copy(struct str bytes)
{
	char *copy = malloc(bytes.n ? bytes.n : 1);

	assert_non_null(copy);
	memcpy(copy, bytes.p, bytes.n);
	return copy;
}

/* Open the bytes and call every function. Nothing may crash; all results lie inside the bytes. */
static void probe(struct str bytes)
{
	struct symbol_frame frames[SYMBOL_INLINE_MAX];
	struct budget budget = {.limit = 16 * MIB};
	struct symbol_options o = {.budget = &budget, .debug_directory = "/nowhere"};
	struct symbol_file *f = NULL;
	struct err e = {0};
	uint64_t address;
	int rc = symbol_file_open_bytes(&f, bytes, "hostile", &o, &e);

	if (rc) {
		assert_true(rc == -EBADMSG || rc == -ENOMEM);
		assert_true(e.code == rc && e.text[0]);
		assert_int_equal(budget.used, 0);
		return;
	}
	assert_true(symbol_file_section(f, ".text", &address).n <= bytes.n);
	for (uint64_t at = 0; at < 0x6000; at += 64) {
		assert_true(symbol_lookup(f, at, frames) <= 1);
		assert_true(symbol_lookup(f, 0x400000 + at, frames) <= 1);
	}
	assert_true(symbol_lookup(f, UINT64_MAX, frames) <= 1);
	symbol_file_close(f);
	assert_int_equal(budget.used, 0);
}

static void truncation_at_every_byte_is_safe(void **state)
{
	struct str bytes = small_program(*state, "cc -O1 -nostdlib -static -o program program.c");

	for (size_t n = 0; n < bytes.n; n += n < 1024 || n + 4096 > bytes.n ? 1 : 37) {
		char *copy = exact_copy(str_head(bytes, n));

		probe(str_of(copy, n));
		free(copy);
	}
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Change a few bytes at a time, mostly in headers and section tables. */
static void mutate_and_probe(struct str bytes, uint32_t rounds)
{
	static const uint64_t lies[] = {0,	    1,		0x7f,	   0xff,
					0x7fffffff, 0xffffffff, INT64_MAX, UINT64_MAX};
	char *copy = exact_copy(bytes);
	uint64_t seed = 42, sections;

	memcpy(&sections, bytes.p + offsetof(Elf64_Ehdr, e_shoff), sizeof(sections));
	for (uint32_t i = 0; i < rounds; i++) {
		memcpy(copy, bytes.p, bytes.n);
		for (uint64_t changes = 1 + next_random(&seed) % 4; changes; changes--) {
			uint64_t where = next_random(&seed) % 3, at = next_random(&seed);
			uint64_t lie = lies[next_random(&seed) % countof(lies)];
			size_t width = (size_t)1 << next_random(&seed) % 4;

			at = where == 0	  ? at % bytes.n
			     : where == 1 ? at % min_size(bytes.n, 512)
					  : sections + at % (bytes.n - sections);
			if (next_random(&seed) % 4 == 0)
				lie = next_random(&seed);
			memcpy(copy + at, &lie, min_size(width, bytes.n - at));
		}
		probe(str_of(copy, bytes.n));
	}
	free(copy);
}

static void mutations_are_safe(void **state)
{
	mutate_and_probe(small_program(*state, "cc -O1 -nostdlib -static -o program program.c"),
			 5000);
}

static void mutations_without_section_headers_are_safe(void **state)
{
	struct str bytes =
		small_program(*state, "cc -O1 -nostdlib -shared -fPIC -o program program.c");
	Elf64_Ehdr h;

	memcpy(&h, bytes.p, sizeof(h));
	h.e_shnum = h.e_shstrndx = 0;
	h.e_shentsize = 0;
	memcpy((char *)bytes.p, &h, sizeof(h));
	mutate_and_probe(bytes, 5000);
}

static void mutations_of_packed_symbols_are_safe(void **state)
{
	struct programs *p = *state;

	(void)small_program(p, "cc -O1 -nostdlib -static -o program program.c");
	run_or_skip("cp program mini && xz --check=crc32 mini && objcopy --strip-all "
		    "--add-section .gnu_debugdata=mini.xz program");
	mutate_and_probe(bytes_of(p, "program"), 2000);
}

/* A small file with a huge symbol count must not allocate memory for them. */
static void huge_counts_allocate_no_memory(void **state)
{
	struct str bytes = small_program(*state, "cc -O1 -nostdlib -static -o program program.c");
	struct symbol_file *f = NULL;
	struct budget budget = {.limit = GIB};
	struct symbol_options o = {.budget = &budget};
	struct symbol_frame frames[SYMBOL_INLINE_MAX];
	Elf64_Ehdr h;
	Elf64_Shdr s;

	memcpy(&h, bytes.p, sizeof(h));
	for (uint32_t i = 0; i < h.e_shnum; i++) {
		char *at = (char *)bytes.p + h.e_shoff + i * sizeof(s);

		memcpy(&s, at, sizeof(s));
		if (s.sh_type == SHT_SYMTAB || s.sh_type == SHT_STRTAB)
			s.sh_size = (uint64_t)1 << 40;
		memcpy(at, &s, sizeof(s));
	}
	assert_ok(symbol_file_open_bytes(&f, bytes, "lies", &o, NULL));
	assert_int_equal(symbol_lookup(f, h.e_entry, frames), 0);
	assert_true(budget.peak < 256 * KIB);
	symbol_file_close(f);
}

/* With each limit from zero to enough: success or an error, and everything is freed. */
static void no_budget_is_exceeded(void **state)
{
	struct str bytes = small_program(*state, "cc -O1 -nostdlib -static -o program program.c");
	struct symbol_frame frames[SYMBOL_INLINE_MAX];
	bool opened = false, refused = false;
	Elf64_Ehdr h;

	memcpy(&h, bytes.p, sizeof(h));
	for (size_t limit = 0; limit < 256 * KIB; limit += 512) {
		struct budget budget = {.limit = limit};
		struct symbol_options o = {.budget = &budget};
		struct symbol_file *f = NULL;
		int rc = symbol_file_open_bytes(&f, bytes, "program", &o, NULL);

		assert_true(rc == 0 || rc == -ENOMEM);
		/* There is no other table: a file that could be opened has this one. */
		if (!rc)
			assert_true(symbol_lookup(f, h.e_entry, frames) > 0);
		symbol_file_close(f);
		assert_int_equal(budget.used, 0);
		assert_true(budget.peak <= limit);
		opened = opened || !rc;
		refused = refused || rc;
	}
	assert_true(opened && refused);
}

/* Out of memory is reported as such, not as a damaged file or one without symbols. */
static void packed_symbols_over_the_budget_are_out_of_memory(void **state)
{
	struct programs *p = *state;
	struct str bytes;
	bool read = false, refused = false;

	(void)small_program(p, "cc -O1 -nostdlib -static -o program program.c");
	run_or_skip("cp program mini && xz --check=crc32 mini && objcopy --strip-all "
		    "--add-section .gnu_debugdata=mini.xz program");
	bytes = bytes_of(p, "program");
	for (size_t limit = 0; limit < 256 * KIB; limit += 512) {
		struct budget budget = {.limit = limit};
		struct symbol_options o = {.budget = &budget};
		struct symbol_file *f = NULL;
		struct symbol_frame frames[SYMBOL_INLINE_MAX];
		Elf64_Ehdr h;
		int rc = symbol_file_open_bytes(&f, bytes, "program", &o, NULL);

		memcpy(&h, bytes.p, sizeof(h));
		assert_true(rc == 0 || rc == -ENOMEM);
		/* There is no other table: a file that could be opened has it. */
		if (!rc)
			assert_true(symbol_lookup(f, h.e_entry, frames) > 0);
		symbol_file_close(f);
		assert_int_equal(budget.used, 0);
		read = read || !rc;
		refused = refused || rc;
	}
	assert_true(read && refused);
}

/* The linker redirects dlopen() here. */
static bool no_lzma;
void *__real_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags)
{
	return no_lzma && name && strstr(name, "lzma") ? NULL : __real_dlopen(name, flags);
}

static void without_liblzma_packed_symbols_are_missing(void **state)
{
	struct programs *p = *state;
	struct symbol_frame frames[SYMBOL_INLINE_MAX];
	struct symbol_file *f = NULL;
	Elf64_Ehdr h;
	struct str bytes;

	(void)small_program(p, "cc -O1 -nostdlib -static -o program program.c");
	run_or_skip("cp program mini && xz --check=crc32 mini && objcopy --strip-all "
		    "--add-section .gnu_debugdata=mini.xz program");
	bytes = bytes_of(p, "program");
	memcpy(&h, bytes.p, sizeof(h));
	no_lzma = true;
	assert_ok(symbol_file_open_bytes(&f, bytes, "program", NULL, NULL));
	no_lzma = false;
	assert_int_equal(symbol_lookup(f, h.e_entry, frames), 0);
	symbol_file_close(f);
}

/* Make each relocation of .rela.plt refer to a nonexistent symbol. Return their number. */
static size_t break_relocations(struct str bytes)
{
	size_t broken = 0;
	Elf64_Ehdr h;

	memcpy(&h, bytes.p, sizeof(h));
	for (uint32_t i = 0; i < h.e_shnum; i++) {
		Elf64_Shdr s;

		memcpy(&s, bytes.p + h.e_shoff + i * sizeof(s), sizeof(s));
		for (uint64_t at = 0; s.sh_type == SHT_RELA && at < s.sh_size;
		     at += sizeof(Elf64_Rela)) {
			char *place = (char *)bytes.p + s.sh_offset + at;
			Elf64_Rela r;

			memcpy(&r, place, sizeof(r));
			if (ELF64_R_TYPE(r.r_info) != R_X86_64_JUMP_SLOT)
				continue;
			r.r_info = ELF64_R_INFO(UINT64_C(1000000), R_X86_64_JUMP_SLOT);
			memcpy(place, &r, sizeof(r));
			broken++;
		}
	}
	return broken;
}

/* Return how many addresses of the section have a name. */
static size_t count_named(struct str bytes, const char *section)
{
	struct symbol_frame frames[SYMBOL_INLINE_MAX];
	struct symbol_file *f = NULL;
	size_t named = 0;
	uint64_t address;
	struct str code;

	assert_ok(symbol_file_open_bytes(&f, bytes, "program", NULL, NULL));
	code = symbol_file_section(f, section, &address);
	for (size_t at = 0; at < code.n; at++)
		named += symbol_lookup(f, address + at, frames) > 0;
	symbol_file_close(f);
	return named;
}

static void stubs_of_missing_symbols_have_no_name(void **state)
{
	static const char calling[] = "#include <stdlib.h>\n"
				      "int main(void) { return atoi(getenv(\"HOME\")); }\n";
	struct str bytes;

#ifndef __x86_64__
	print_message("# skipped: stubs are read on x86_64 only\n");
	skip();
#endif
	write_file("calling.c", str_from(calling));
	run_or_skip("cc -O1 -fno-builtin -Wl,-z,lazy -fcf-protection=none -s -o program calling.c");
	bytes = bytes_of(*state, "program");
	assert_true(count_named(bytes, ".plt") >= 2);
	assert_true(break_relocations(bytes) >= 2);
	assert_int_equal(count_named(bytes, ".plt"), 0);
}

/* A process that has mapped the file would get SIGBUS here. */
static void truncating_an_open_file_is_safe(void **state)
{
	struct symbol_options o = {.names_kept = 1, .lines = true, .debug_directory = "/nowhere"};
	struct symbol_frame frames[SYMBOL_INLINE_MAX];
	struct symbol_file *f = NULL, *again = NULL;
	struct str bytes =
		small_program(*state, "cc -g -O1 -nostdlib -static -o program program.c");
	Elf64_Ehdr h;

	memcpy(&h, bytes.p, sizeof(h));
	assert_ok(symbol_file_open(&f, "program", &o, NULL));
	assert_ok(symbol_file_open(&again, "program", &o, NULL));
	assert_true(symbol_lookup(f, h.e_entry, frames) > 0);
	assert_ok(truncate("program", 100));
	assert_str_equal(frames[0].name, STR("_start"));
	assert_true(symbol_lookup(f, h.e_entry, frames) > 0); /* it was read before */
	assert_int_equal(symbol_lookup(again, h.e_entry, frames), 0);
	assert_int_equal(symbol_file_section(again, ".text", NULL).n, 0);
	symbol_file_close(f);
	symbol_file_close(again);
}

static void the_cache_stays_within_its_size(void **state)
{
	struct symbol_options o = {.debug_directory = "/nowhere"};
	struct symbol_cache *c = NULL;
	struct symbol_file *first, *second;

	(void)small_program(*state, "cc -O1 -nostdlib -static -o program program.c");
	run_or_skip("cp program other");
	assert_ok(symbol_cache_new(&c, 1 * MIB, &o));
	first = symbol_cache_get(c, "program");
	assert_non_null(first);
	second = symbol_cache_get(c, "other");
	assert_true(second && second != first);
	assert_ptr_equal(symbol_cache_get(c, "program"), first);
	assert_ptr_equal(symbol_cache_get(c, "other"), second);
	assert_null(symbol_cache_get(c, "missing"));
	write_file("missing", STR("now it is there, but that it was not is still known"));
	assert_null(symbol_cache_get(c, "missing"));
	/* a deleted file is served from the cache; a replaced one is read again */
	assert_true(run("rm program"));
	assert_ptr_equal(symbol_cache_get(c, "program"), first);
	assert_true(run("printf x >> other"));
	assert_non_null(symbol_cache_get(c, "other"));
	symbol_cache_free(c);
	symbol_cache_free(NULL);
}

static void the_least_recently_used_file_is_closed_first(void **state)
{
	struct budget budget = {.limit = GIB};
	struct symbol_options o = {.debug_directory = "/nowhere", .budget = &budget};
	struct symbol_cache *c = NULL;
	size_t one, most;
	char name[16];

	(void)small_program(*state, "cc -O1 -nostdlib -static -o program program.c");
	assert_ok(symbol_cache_new(&c, 64 * KIB, &o));
	assert_non_null(symbol_cache_get(c, "program"));
	one = budget.used;
	most = 64 * KIB / one + 1;
	for (int i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "copy%d", i);
		assert_ok(link("program", name));
		assert_non_null(symbol_cache_get(c, name));
		assert_true(budget.used <= most * one);
	}
	symbol_cache_free(c);
	assert_int_equal(budget.used, 0);
}

TEST_MAIN(test_with(programs, truncation_at_every_byte_is_safe),
	  test_with(programs, mutations_are_safe),
	  test_with(programs, mutations_without_section_headers_are_safe),
	  test_with(programs, mutations_of_packed_symbols_are_safe),
	  test_with(programs, huge_counts_allocate_no_memory),
	  test_with(programs, no_budget_is_exceeded),
	  test_with(programs, packed_symbols_over_the_budget_are_out_of_memory),
	  test_with(programs, without_liblzma_packed_symbols_are_missing),
	  test_with(programs, stubs_of_missing_symbols_have_no_name),
	  test_with(programs, truncating_an_open_file_is_safe),
	  test_with(programs, the_cache_stays_within_its_size),
	  test_with(programs, the_least_recently_used_file_is_closed_first))
