/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_UNWIND_ROW_H
#define VARVE_UNWIND_ROW_H

/*
 * The row format of unwind tables, and the registers of a frame. unwind/step.h has the step from a
 * frame to its caller. BPF programs can include both: no libc, fixed-width types.
 *
 * A **row** is 32 bits, `low 12 bits of the address << 20 | rule`, and holds from its address up to
 * the next row's. Rows are sorted and grouped by page of 4 KB. Every page with a known rule begins
 * with a row of its own, so that a search stays within one page. An address before the first row of
 * its page has no rule (UNWIND_RULE_GUESS).
 *
 * A **rule** is 20 bits, with the kind in the top two:
 *
 * 	SP, FP      | cfa 12 | fp 6 |	CFA = register + 8 * cfa; return address at CFA - 8; the
 * 					caller's frame pointer is in the register (fp = 0) or at
 * 					CFA - 8 * fp
 * 	DICTIONARY  | index 18 |	a struct unwind_rule of the module
 * 	COMMAND     | command 6 | parameter 12 |
 *
 * On a Debian system 99.98 % of all rows are of kind SP or FP.
 */
#ifndef __bpf__ /* there, vmlinux.h has the types */
#include <stdbool.h>
#include <stdint.h>
#endif

#define UNWIND_PAGE_BITS 12
#define UNWIND_RULE_BITS 20
#define UNWIND_RULE_MASK ((1u << UNWIND_RULE_BITS) - 1)
#define UNWIND_KIND_SHIFT 18
#define UNWIND_OFFSET_SHIFT 6 /* of cfa in kinds SP and FP */
#define UNWIND_OFFSET_MAX 0xfffu
#define UNWIND_FP_MAX 0x3fu
#define UNWIND_INDEX_MAX 0x3ffffu
#define UNWIND_COMMAND_SHIFT 12

enum unwind_kind {
	UNWIND_KIND_SP,
	UNWIND_KIND_FP,
	UNWIND_KIND_DICTIONARY,
	UNWIND_KIND_COMMAND,
};

enum unwind_command {
	UNWIND_COMMAND_GUESS,  /* no rule: the walk tries frame pointers */
	UNWIND_COMMAND_STOP,   /* the outermost frame */
	UNWIND_COMMAND_PLT,    /* a lazy PLT entry, which pushes at its byte `parameter` */
	UNWIND_COMMAND_SIGNAL, /* a sigreturn trampoline: sp points to the ucontext */
};

#define UNWIND_COMMAND(command, parameter)                                                         \
	((uint32_t)UNWIND_KIND_COMMAND << UNWIND_KIND_SHIFT |                                      \
	 (uint32_t)(command) << UNWIND_COMMAND_SHIFT | (uint32_t)(parameter))
#define UNWIND_RULE_GUESS UNWIND_COMMAND(UNWIND_COMMAND_GUESS, 0)
#define UNWIND_RULE_STOP UNWIND_COMMAND(UNWIND_COMMAND_STOP, 0)
#define UNWIND_RULE_SIGNAL UNWIND_COMMAND(UNWIND_COMMAND_SIGNAL, 0)

/* DWARF numbers of x86_64. */
enum {
	UNWIND_REG_RBX = 3,
	UNWIND_REG_FP = 6,
	UNWIND_REG_SP = 7,
	UNWIND_REG_RA = 16,
	UNWIND_REGS = 16,
};

/* Where the caller's frame pointer or the return address is. */
enum unwind_place {
	UNWIND_PLACE_SAME,	  /* unchanged: the frame pointer only */
	UNWIND_PLACE_AT_CFA,	  /* in memory, at CFA + offset */
	UNWIND_PLACE_AT_REGISTER, /* in memory, at register + offset */
	UNWIND_PLACE_IN_REGISTER,
};

/*
 * A rule that does not fit a row: CFA = register + offset, or the word in memory there, plus `add`.
 * Registers other than sp and fp are known only in the leaf frame and in a frame that a signal
 * interrupted. 16 bytes without padding, so that rules can be compared with memcmp().
 */
struct unwind_rule {
	uint8_t cfa_register, fp_register, ra_register;
	uint8_t cfa_in_memory : 1, fp_place : 2, ra_place : 2, zero : 3;
	int16_t fp_offset, ra_offset;
	int32_t cfa_offset, cfa_add;
};

/*
 * The registers of a frame. Set pc, sp and fp and leave the rest zero, or set all of them: the
 * other registers are used only in the leaf frame (hand-written assembly, vfork, prologues that
 * align the stack).
 */
struct unwind_regs {
	uint64_t pc, sp, fp;
	/* by DWARF number: rax rdx rcx rbx rsi rdi rbp rsp r8..r15 */
	uint64_t gpr[UNWIND_REGS];
	bool gpr_known;	   /* false: only pc, sp and fp are known */
	bool pc_is_return; /* pc is a return address: its rule is looked up at pc - 1 */
};

#endif
