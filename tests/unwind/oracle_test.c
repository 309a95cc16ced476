/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compare our rules with those of libdw on files of this system. At the first and last byte of each
 * row of libdw, a step by our table with synthetic registers and memory must return the CFA, the
 * frame pointer and the return address of libdw's expressions.
 */
#include "test/test.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "unwind/table.h"

/* Synthetic registers far apart, and memory whose words are all above the stack pointer. */
#define MADE_UP_SP 0x7f0000000000u
static uint64_t synthetic_register(uint64_t number)
{
	return number == UNWIND_REG_SP ? MADE_UP_SP : MADE_UP_SP + 0x100000 * (number + 1);
}

static uint64_t synthetic_word(uint64_t address)
{
	return MADE_UP_SP + 0x8000000 + ((address * 0x9e3779b97f4a7c15u) >> 40 << 3);
}

static bool load_synthetic(uint64_t address, uint64_t *word)
{
	*word = synthetic_word(address);
	return true;
}

#define UNWIND_MEMORY int
#define UNWIND_LOAD(memory, address, word) ((void)(memory), load_synthetic(address, word))
#include "unwind/step.h"

struct counts {
	uint32_t rows, same, guesses, stops, dictionary;
};

/* Evaluate a DWARF expression as used in .eh_frame. Return false for other operations. */
static bool evaluate(const Dwarf_Op *ops, size_t count, uint64_t pc, uint64_t cfa, uint64_t *result)
{
	uint64_t stack[16] = {cfa};
	size_t n = 1;

	for (size_t i = 0; i < count && n < 15; i++) {
		const Dwarf_Op *op = &ops[i];

		if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
			unsigned reg = op->atom - DW_OP_breg0;

			stack[n++] = (reg == 16 ? pc : synthetic_register(reg)) + op->number;
		} else if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
			stack[n++] = op->atom - DW_OP_lit0;
		} else if (op->atom == DW_OP_bregx) {
			stack[n++] = synthetic_register(op->number) + op->number2;
		} else if (op->atom == DW_OP_call_frame_cfa) {
			stack[n++] = cfa;
		} else if (op->atom == DW_OP_plus_uconst) {
			stack[n - 1] += op->number;
		} else if (op->atom == DW_OP_deref) {
			stack[n - 1] = synthetic_word(stack[n - 1]);
		} else if (n >= 2) {
			uint64_t b = stack[--n], *a = &stack[n - 1];

			if (op->atom == DW_OP_plus)
				*a += b;
			else if (op->atom == DW_OP_and)
				*a &= b;
			else if (op->atom == DW_OP_shl)
				*a <<= b;
			else if (op->atom == DW_OP_ge)
				*a = (int64_t)*a >= (int64_t)b;
			else
				return false;
		} else {
			return false;
		}
	}
	*result = stack[n - 1];
	return true;
}

/* Return how libdw restores a register, with *value and its address in memory (0 if none). */
enum saved { SAVED_SAME, SAVED_UNDEFINED, SAVED_VALUE, SAVED_UNKNOWN };
static enum saved saved_register(Dwarf_Frame *frame, int number, uint64_t pc, uint64_t cfa,
				 uint64_t *value, uint64_t *address)
{
	Dwarf_Op memory[3], *ops;
	size_t count;

	assert_int_equal(dwarf_frame_register(frame, number, memory, &ops, &count), 0);
	*address = 0;
	if (!count)
		return ops ? SAVED_UNDEFINED : SAVED_SAME;
	if (count == 1 && ops[0].atom == DW_OP_regx) {
		*value = synthetic_register(ops[0].number);
		return SAVED_VALUE;
	}
	if (ops[count - 1].atom == DW_OP_stack_value || !evaluate(ops, count, pc, cfa, address))
		return SAVED_UNKNOWN;
	*value = synthetic_word(*address);
	return SAVED_VALUE;
}

static struct unwind_regs synthetic_registers(uint64_t pc)
{
	struct unwind_regs r = {.pc = pc, .gpr_known = true};

	for (unsigned i = 0; i < UNWIND_REGS; i++)
		r.gpr[i] = synthetic_register(i);
	r.sp = r.gpr[UNWIND_REG_SP];
	r.fp = r.gpr[UNWIND_REG_FP];
	return r;
}

/* Compare the location of rbx in a module that needs it. */
static void compare_rbx(const char *path, const struct unwind_table *t, Dwarf_Frame *frame,
			uint64_t pc, uint64_t cfa)
{
	uint64_t value = 0, address, ours = synthetic_register(UNWIND_REG_RBX);
	enum saved saved = saved_register(frame, UNWIND_REG_RBX, pc, cfa, &value, &address);
	uint32_t slot = unwind_table_find(t->rbx, pc);

	if (slot == UNWIND_RULE_GUESS)
		return;
	if (slot)
		ours = synthetic_word(cfa - 8 * (uint64_t)slot);
	if (saved != SAVED_VALUE || address < MADE_UP_SP)
		value = synthetic_register(UNWIND_REG_RBX);
	if (ours != value)
		fail_msg("%s: 0x%lx: rbx is saved at %u, libdw has %lx", path, pc, slot, address);
}

/* Compare the rules at one address. */
static void compare(const char *path, const struct unwind_table *t, Dwarf_Frame *frame, uint64_t pc,
		    struct counts *counts)
{
	uint32_t rule = unwind_table_find(t, pc);
	struct unwind_regs r = synthetic_registers(pc);
	uint64_t cfa = 0, ra = 0, fp = 0, ra_at, fp_at;
	enum saved ra_saved, fp_saved;
	enum unwind_step step;
	Dwarf_Op *ops;
	size_t count;

	counts->rows++;
	if (rule == UNWIND_RULE_GUESS) {
		counts->guesses++;
		return;
	}
	counts->dictionary += rule >> UNWIND_KIND_SHIFT == UNWIND_KIND_DICTIONARY;
	step = unwind_step(&r, rule, &t->rules[rule & UNWIND_INDEX_MAX], 0);
	if (dwarf_frame_cfa(frame, &ops, &count) || !evaluate(ops, count, pc, 0, &cfa))
		fail_msg("%s: 0x%lx: libdw has no CFA, we have rule %x", path, pc, rule);
	ra_saved = saved_register(frame, UNWIND_REG_RA, pc, cfa, &ra, &ra_at);
	fp_saved = saved_register(frame, UNWIND_REG_FP, pc, cfa, &fp, &fp_at);
	if (step == UNWIND_STEP_ROOT) {
		if (ra_saved != SAVED_UNDEFINED && !(ra_at && ra_at < MADE_UP_SP))
			fail_msg("%s: 0x%lx: stops, but has a return address", path, pc);
		counts->stops++;
		return;
	}
	/* a slot below the stack pointer is invalid */
	if (fp_saved != SAVED_VALUE || (fp_at && fp_at < MADE_UP_SP))
		fp = synthetic_register(UNWIND_REG_FP);
	if (step != UNWIND_STEP_DONE || r.sp != cfa || r.pc != ra || r.fp != fp ||
	    ra_saved != SAVED_VALUE)
		fail_msg("%s: 0x%lx: rule %x, step %d: cfa %lx ra %lx fp %lx, libdw %lx %lx %lx",
			 path, pc, rule, step, r.sp, r.pc, r.fp, cfa, ra, fp);
	if (t->rbx && rule != UNWIND_RULE_SIGNAL)
		compare_rbx(path, t, frame, pc, cfa);
	counts->same++;
}

/* Compare [start, limit) by rows of libdw, and byte by byte where it has none. */
static void compare_range(const char *path, const struct unwind_table *t, Dwarf_CFI *cfi,
			  uint64_t start, uint64_t limit, struct counts *counts)
{
	for (uint64_t pc = start; pc < limit;) {
		Dwarf_Frame *frame;
		Dwarf_Addr first, end;
		bool signal;

		if (dwarf_cfi_addrframe(cfi, pc, &frame)) {
			pc++;
			continue;
		}
		assert_true(dwarf_frame_info(frame, &first, &end, &signal) >= 0);
		compare(path, t, frame, pc, counts);
		/* the row before a signal frame ends a byte early */
		if (end - 1 > pc && unwind_table_find(t, end - 1) != UNWIND_RULE_SIGNAL)
			compare(path, t, frame, end - 1, counts);
		free(frame);
		pc = end > pc ? end : pc + 1;
	}
}

/* Find the section and the text. */
static bool find_source(Elf *elf, struct unwind_source *s)
{
	size_t names, headers, size;
	Elf_Scn *section = NULL;
	char *raw = elf_rawfile(elf, &size);

	assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
	assert_int_equal(elf_getphdrnum(elf, &headers), 0);
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		assert_non_null(gelf_getshdr(section, &header));
		if (strcmp(elf_strptr(elf, names, header.sh_name), ".eh_frame") != 0)
			continue;
		s->eh_frame = str_of(raw + header.sh_offset, header.sh_size);
		s->eh_frame_address = header.sh_addr;
	}
	for (size_t i = 0; i < headers; i++) {
		GElf_Phdr header;

		assert_non_null(gelf_getphdr(elf, (int)i, &header));
		if (header.p_type != PT_LOAD || !(header.p_flags & PF_X) || s->text.n)
			continue;
		s->text = str_of(raw + header.p_offset, header.p_filesz);
		s->text_address = header.p_vaddr;
		s->text_limit = header.p_vaddr + header.p_memsz;
	}
	return s->eh_frame.n && s->text.n;
}

/* Return the counts of one file; 0 rows if the file does not exist. */
static struct counts compare_file(const char *path)
{
	struct counts counts = {0};
	struct unwind_source source = {0};
	struct unwind_table *table;
	struct err e = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		print_message("# SKIP %s: not here\n", path);
		return counts;
	}
	elf_version(EV_CURRENT);

	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	Dwarf_CFI *cfi = dwarf_getcfi_elf(elf);

	assert_non_null(cfi);
	assert_true(find_source(elf, &source));
	assert_ok_err(unwind_table_compile(&table, &source, NULL, &e), &e);
	compare_range(path, table, cfi, source.text_address, source.text_limit, &counts);

	struct unwind_table_stats stats = unwind_table_stats(table);

	print_message("# %s: %u functions, %u rows, %u rules, %zu bytes; %u compared, %u stops, %u "
		      "by the "
		      "dictionary, %u guesses, %u functions not understood\n",
		      path, stats.functions, stats.rows, stats.rules, stats.bytes, counts.rows,
		      counts.stops, counts.dictionary, counts.guesses, stats.invalid);
	assert_true(stats.functions > 10 && counts.rows > stats.functions);
	/* at most one row in a thousand may be unsupported */
	assert_true(counts.guesses <= counts.rows / 1000);
	unwind_table_free(table);
	dwarf_cfi_end(cfi);
	elf_end(elf);
	close(fd);
	return counts;
}

static void libc_matches_libdw(void **state)
{
	(void)state;
	compare_file("/lib/x86_64-linux-gnu/libc.so.6");
}

static void the_loader_matches_libdw(void **state)
{
	(void)state;
	compare_file("/lib64/ld-linux-x86-64.so.2");
}

static void assembly_code_matches_libdw(void **state)
{
	(void)state;
	compare_file("/lib/x86_64-linux-gnu/libcrypto.so.3");
}

static void cplusplus_code_matches_libdw(void **state)
{
	(void)state;
	compare_file("/usr/lib/x86_64-linux-gnu/libstdc++.so.6");
}

static void this_program_matches_libdw(void **state)
{
	(void)state;
	assert_true(compare_file("/proc/self/exe").rows > 0);
}

/* Any other file: VARVE_ORACLE_FILES=path:path */
static void named_files_match_libdw(void **state)
{
	const char *files = getenv("VARVE_ORACLE_FILES");
	struct str rest = str_from(files ? files : "");

	(void)state;
	while (rest.n) {
		struct str path = str_cut(&rest, ':');
		char text[4096];

		snprintf(text, sizeof(text), "%.*s", STR_ARG(path));
		compare_file(text);
	}
}

TEST_MAIN(test(libc_matches_libdw), test(the_loader_matches_libdw),
	  test(assembly_code_matches_libdw), test(cplusplus_code_matches_libdw),
	  test(this_program_matches_libdw), test(named_files_match_libdw))
