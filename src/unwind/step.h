/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_UNWIND_STEP_H
#define VARVE_UNWIND_STEP_H

#include "unwind/row.h"

/*
 * The step from a frame to its caller by a rule. BPF programs can include this file: it uses no
 * libc and no unbounded loop, and reads memory only by UNWIND_LOAD(memory, address, &word), which
 * the includer defines together with UNWIND_MEMORY, the type of its first argument. UNWIND_LOAD
 * yields false when the word cannot be read.
 */
#if !defined(UNWIND_LOAD) || !defined(UNWIND_MEMORY)
#error "define UNWIND_MEMORY and UNWIND_LOAD before including unwind/step.h"
#endif

/* The result of a step. */
enum unwind_step {
	UNWIND_STEP_DONE,	 /* the registers are the caller's */
	UNWIND_STEP_ROOT,	 /* there is no caller */
	UNWIND_STEP_GUESS,	 /* no rule can be applied */
	UNWIND_STEP_NO_MEMORY,	 /* a word could not be read */
	UNWIND_STEP_NO_PROGRESS, /* the stack pointer would not grow or would be misaligned */
};

/*
 * Return whether a frame at `sp` may have its CFA at `cfa`. The CFA must be above sp; only in a
 * frame that was not called and has pushed nothing may it equal sp (vfork keeps its return address
 * in a register).
 */
static inline bool unwind_may_end(uint64_t sp, uint64_t cfa, bool called)
{
	return !(cfa & 7) && cfa >= sp + called && cfa < (uint64_t)1 << 63;
}

/*
 * Set the registers to the caller's. A return address of 0 marks the root of stacks without rules.
 */
static inline enum unwind_step unwind_return(struct unwind_regs *r, uint64_t pc, uint64_t cfa,
					     uint64_t fp)
{
	if (!pc)
		return UNWIND_STEP_ROOT;
	r->pc = pc;
	r->sp = cfa;
	r->fp = fp;
	r->gpr_known = false;
	r->pc_is_return = true;
	return UNWIND_STEP_DONE;
}

/* Step by a rule of kind SP or FP. */
static inline enum unwind_step unwind_step_row(struct unwind_regs *r, uint32_t rule,
					       UNWIND_MEMORY memory)
{
	uint64_t base = rule >> UNWIND_KIND_SHIFT == UNWIND_KIND_SP ? r->sp : r->fp;
	uint64_t cfa = base + ((uint64_t)(rule >> UNWIND_OFFSET_SHIFT & UNWIND_OFFSET_MAX) << 3);
	uint64_t slot = rule & UNWIND_FP_MAX;
	uint64_t pc, fp = r->fp;

	if (!unwind_may_end(r->sp, cfa, r->pc_is_return))
		return UNWIND_STEP_NO_PROGRESS;
	if (!UNWIND_LOAD(memory, cfa - 8, &pc))
		return UNWIND_STEP_NO_MEMORY;
	if (slot && !UNWIND_LOAD(memory, cfa - 8 * slot, &fp))
		return UNWIND_STEP_NO_MEMORY;
	return unwind_return(r, pc, cfa, fp);
}

static inline bool unwind_register(const struct unwind_regs *r, uint8_t number, uint64_t *value)
{
	*value = number == UNWIND_REG_SP   ? r->sp
		 : number == UNWIND_REG_FP ? r->fp
					   : r->gpr[number & (UNWIND_REGS - 1)];
	return number == UNWIND_REG_SP || number == UNWIND_REG_FP || r->gpr_known;
}

/* Read a register from its place. *value keeps its former value for UNWIND_PLACE_SAME. */
static inline enum unwind_step unwind_place_value(const struct unwind_regs *r, uint8_t place,
						  uint8_t reg, uint64_t cfa, int16_t offset,
						  uint64_t *value, UNWIND_MEMORY memory)
{
	uint64_t address = cfa;

	if (place == UNWIND_PLACE_SAME)
		return UNWIND_STEP_DONE;
	if (place != UNWIND_PLACE_AT_CFA && !unwind_register(r, reg, &address))
		return UNWIND_STEP_GUESS;
	if (place == UNWIND_PLACE_IN_REGISTER) {
		*value = address;
		return UNWIND_STEP_DONE;
	}
	return UNWIND_LOAD(memory, address + (uint64_t)(int64_t)offset, value)
		       ? UNWIND_STEP_DONE
		       : UNWIND_STEP_NO_MEMORY;
}

static inline enum unwind_step
unwind_step_dictionary(struct unwind_regs *r, const struct unwind_rule *rule, UNWIND_MEMORY memory)
{
	uint64_t cfa, pc = 0, fp = r->fp;
	enum unwind_step step;

	if (!rule || !unwind_register(r, rule->cfa_register, &cfa))
		return UNWIND_STEP_GUESS;
	cfa += (uint64_t)(int64_t)rule->cfa_offset;
	if (rule->cfa_in_memory) {
		if (!UNWIND_LOAD(memory, cfa, &cfa))
			return UNWIND_STEP_NO_MEMORY;
		cfa += (uint64_t)(int64_t)rule->cfa_add;
	}
	if (!unwind_may_end(r->sp, cfa, r->pc_is_return))
		return UNWIND_STEP_NO_PROGRESS;
	step = unwind_place_value(r, rule->ra_place, rule->ra_register, cfa, rule->ra_offset, &pc,
				  memory);
	if (step != UNWIND_STEP_DONE)
		return step;
	step = unwind_place_value(r, rule->fp_place, rule->fp_register, cfa, rule->fp_offset, &fp,
				  memory);
	if (step == UNWIND_STEP_NO_MEMORY)
		return step; /* GUESS: the frame pointer is unknown, which alone is no error */
	return unwind_return(r, pc, cfa, fp);
}

/* Step out of a lazy PLT entry: jump, push a number, jump to the resolver; all within 16 bytes. */
static inline enum unwind_step unwind_step_plt(struct unwind_regs *r, uint32_t push_at,
					       UNWIND_MEMORY memory)
{
	uint64_t cfa = r->sp + ((r->pc & 15) >= push_at ? 16 : 8), pc;

	if (!unwind_may_end(r->sp, cfa, r->pc_is_return))
		return UNWIND_STEP_NO_PROGRESS;
	if (!UNWIND_LOAD(memory, cfa - 8, &pc))
		return UNWIND_STEP_NO_MEMORY;
	return unwind_return(r, pc, cfa, r->fp);
}

/*
 * Step out of a signal frame. The kernel left a ucontext at sp: five words, then r8..r15 rdi rsi
 * rbp rbx rdx rax rcx rsp rip. The interrupted frame has all its registers and an exact pc, and may
 * be on another stack, so sp may be any value.
 */
static inline enum unwind_step unwind_step_signal(struct unwind_regs *r, UNWIND_MEMORY memory)
{
	static const uint8_t order[UNWIND_REGS] = {8, 9, 10, 11, 12, 13, 14, 15,
						   5, 4, 6,  3,	 1,  0,	 2,  7};
	uint64_t at = r->sp + 40, pc;

	if (r->sp & 7)
		return UNWIND_STEP_NO_PROGRESS;
	for (uint32_t i = 0; i < UNWIND_REGS; i++)
		if (!UNWIND_LOAD(memory, at + 8 * i, &r->gpr[order[i]]))
			return UNWIND_STEP_NO_MEMORY;
	if (!UNWIND_LOAD(memory, at + 8 * UNWIND_REGS, &pc))
		return UNWIND_STEP_NO_MEMORY;
	r->pc = pc;
	r->sp = r->gpr[UNWIND_REG_SP];
	r->fp = r->gpr[UNWIND_REG_FP];
	r->gpr_known = true;
	r->pc_is_return = false;
	return UNWIND_STEP_DONE;
}

/*
 * Step from a frame to its caller. `entry` is the dictionary's rule when `rule` is of that kind,
 * else unused. The registers except gpr are changed only when UNWIND_STEP_DONE is returned.
 */
static inline enum unwind_step unwind_step(struct unwind_regs *r, uint32_t rule,
					   const struct unwind_rule *entry, UNWIND_MEMORY memory)
{
	uint32_t kind = rule >> UNWIND_KIND_SHIFT;

	if (kind <= UNWIND_KIND_FP)
		return unwind_step_row(r, rule, memory);
	if (kind == UNWIND_KIND_DICTIONARY)
		return unwind_step_dictionary(r, entry, memory);
	switch (rule >> UNWIND_COMMAND_SHIFT & 0x3f) {
	case UNWIND_COMMAND_STOP:
		return UNWIND_STEP_ROOT;
	case UNWIND_COMMAND_PLT:
		return unwind_step_plt(r, rule & 15, memory);
	case UNWIND_COMMAND_SIGNAL:
		return unwind_step_signal(r, memory);
	default:
		return UNWIND_STEP_GUESS;
	}
}

#endif
