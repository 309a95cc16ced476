/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates the DWARF expressions that compilers, linkers and assembly authors write for frames:
 *
 * 	breg + n				a register and an offset
 * 	breg + n, deref [, plus_uconst m]	a CFA that is kept in memory (aligned stacks,
 * 						OpenSSL, OCaml)
 * 	the linker's expression for lazy PLT entries
 *
 * Expressions are evaluated symbolically with a stack of one value. Any expression that needs a
 * second value other than a constant is unsupported.
 */
#include "unwind/cfi.h"

enum {
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S = 0x09,
	OP_CONST2U = 0x0a,
	OP_CONST2S = 0x0b,
	OP_CONST4U = 0x0c,
	OP_CONST4S = 0x0d,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_AND = 0x1a,
	OP_MINUS = 0x1c,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_GE = 0x2a,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_BREGX = 0x92,
	OP_NOP = 0x96,
};

/* sp + 8 + ((pc & 15) >= n) * 8, as linkers write it; n is at PLT_NUMBER */
static const uint8_t plt_expression[] = {
	OP_BREG0 + 7, 8,     OP_BREG0 + 16, 0,	    OP_LIT0 + 15, OP_AND,
	OP_LIT0,      OP_GE, OP_LIT0 + 3,   OP_SHL, OP_PLUS,
};
enum { PLT_NUMBER = 6 };

static bool is_plt(const struct cfi_cursor *c, struct cfi_value *v)
{
	if (cfi_left(c) != sizeof(plt_expression))
		return false;
	for (size_t i = 0; i < sizeof(plt_expression); i++)
		if (i != PLT_NUMBER && c->at[i] != plt_expression[i])
			return false;

	uint8_t number = (uint8_t)(c->at[PLT_NUMBER] - OP_LIT0);

	if (number > 15)
		return false;
	*v = (struct cfi_value){.what = CFI_CFA_PLT, .offset = number};
	return true;
}

/* Read the operand if the operation pushes a constant. */
static bool read_constant(struct cfi_cursor *c, uint8_t op, int64_t *value)
{
	switch (op) {
	case OP_CONST1U:
		*value = cfi_u8(c);
		return true;
	case OP_CONST1S:
		*value = cfi_signed(c, 1);
		return true;
	case OP_CONST2U:
		*value = (int64_t)cfi_fixed(c, 2);
		return true;
	case OP_CONST2S:
		*value = cfi_signed(c, 2);
		return true;
	case OP_CONST4U:
		*value = (int64_t)cfi_fixed(c, 4);
		return true;
	case OP_CONST4S:
		*value = cfi_signed(c, 4);
		return true;
	case OP_CONSTU:
		*value = (int64_t)cfi_uleb(c);
		return true;
	case OP_CONSTS:
		*value = cfi_sleb(c);
		return true;
	default:
		if (op < OP_LIT0 || op > OP_LIT31)
			return false;
		*value = op - OP_LIT0;
		return true;
	}
}

/* Add a constant to the value. Return false when the result no longer fits a rule. */
static bool add_constant(struct cfi_value *v, int64_t n)
{
	int32_t *to = v->what == CFI_CFA_IN_MEMORY ? &v->add : &v->offset;

	return v->what != CFI_CFA_UNKNOWN && !__builtin_add_overflow(n, *to, to);
}

/* Read the register and offset that an expression begins with. */
static bool read_base_register(struct cfi_cursor *c, struct cfi_value *v)
{
	uint8_t op = cfi_u8(c);
	uint64_t reg;

	if (op >= OP_BREG0 && op <= OP_BREG31)
		reg = op - OP_BREG0;
	else if (op == OP_BREGX)
		reg = cfi_uleb(c);
	else
		return false;
	*v = (struct cfi_value){.what = CFI_CFA_REGISTER, .reg = (uint8_t)reg};
	return reg < UNWIND_REGS && add_constant(v, cfi_sleb(c));
}

/* Apply one further operation to the value. */
static bool apply_operation(struct cfi_cursor *c, struct cfi_value *v)
{
	uint8_t op = cfi_u8(c);
	int64_t n;

	if (op == OP_NOP)
		return true;
	if (op == OP_DEREF) {
		if (v->what != CFI_CFA_REGISTER)
			return false;
		v->what = CFI_CFA_IN_MEMORY;
		return true;
	}
	if (op == OP_PLUS_UCONST)
		return add_constant(v, (int64_t)cfi_uleb(c));
	if (!read_constant(c, op, &n) || n == INT64_MIN)
		return false;
	op = cfi_u8(c);
	return (op == OP_PLUS && add_constant(v, n)) || (op == OP_MINUS && add_constant(v, -n));
}

struct cfi_value cfi_expression(struct cfi_cursor c)
{
	struct cfi_value v = {0};

	if (is_plt(&c, &v))
		return v;
	if (!read_base_register(&c, &v))
		return (struct cfi_value){0};
	while (c.at < c.end)
		if (!apply_operation(&c, &v))
			return (struct cfi_value){0};
	return c.failed ? (struct cfi_value){0} : v;
}
