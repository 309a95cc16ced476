/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the byte code of call frame information in one pass. An operation is one byte: three
 * operations are encoded in the top two bits with an operand in the others; for the rest, operands
 * follow.
 */
#include "unwind/program.h"

enum {
	OP_ADVANCE = 0x40, /* these three contain their operand */
	OP_OFFSET = 0x80,
	OP_RESTORE = 0xc0,
	OP_WITH_OPERAND = 0xc0, /* mask */
	OP_OPERAND = 0x3f,

	OP_NOP = 0x00,
	OP_SET_LOC = 0x01,
	OP_ADVANCE1 = 0x02,
	OP_ADVANCE2 = 0x03,
	OP_ADVANCE4 = 0x04,
	OP_OFFSET_EXTENDED = 0x05,
	OP_RESTORE_EXTENDED = 0x06,
	OP_UNDEFINED = 0x07,
	OP_SAME_VALUE = 0x08,
	OP_REGISTER = 0x09,
	OP_REMEMBER = 0x0a,
	OP_RESTORE_STATE = 0x0b,
	OP_DEF_CFA = 0x0c,
	OP_DEF_CFA_REGISTER = 0x0d,
	OP_DEF_CFA_OFFSET = 0x0e,
	OP_DEF_CFA_EXPRESSION = 0x0f,
	OP_EXPRESSION = 0x10,
	OP_OFFSET_EXTENDED_SF = 0x11,
	OP_DEF_CFA_SF = 0x12,
	OP_DEF_CFA_OFFSET_SF = 0x13,
	OP_VAL_OFFSET = 0x14,
	OP_VAL_OFFSET_SF = 0x15,
	OP_VAL_EXPRESSION = 0x16,
	OP_WINDOW_SAVE = 0x2d, /* on arm64: the return address is signed from here on */
	OP_ARGS_SIZE = 0x2e,
	OP_NEGATIVE_OFFSET = 0x2f,
};

/* Compilers nest one level deep; the deepest seen is three. */
enum { REMEMBER_MAX = 16 };

struct machine {
	const struct cfi_cie *cie;
	struct cfi_cursor c;
	struct cfi_state state;
	struct cfi_state remembered[REMEMBER_MAX];
	uint32_t depth;
	uint64_t pc;
};

static bool fits_int32(int64_t n)
{
	return n >= INT32_MIN && n <= INT32_MAX;
}

/* Return where the register's place is kept; NULL for a register that is not tracked. */
static struct cfi_saved *place_slot(struct machine *m, uint64_t reg)
{
	switch (reg) {
	case UNWIND_REG_FP:
		return &m->state.fp;
	case UNWIND_REG_RA:
		return &m->state.ra;
	case UNWIND_REG_RBX:
		return &m->state.rbx;
	default:
		return NULL;
	}
}

static void set_place(struct machine *m, uint64_t reg, enum cfi_place place, uint64_t in,
		      int64_t offset)
{
	struct cfi_saved *s = place_slot(m, reg);

	if (!s)
		return;
	if (in >= UNWIND_REGS || !fits_int32(offset))
		place = CFI_PLACE_UNKNOWN;
	*s = (struct cfi_saved){
		.place = (uint8_t)place, .reg = (uint8_t)in, .offset = (int32_t)offset};
}

/* Multiply an operand by the data factor. A product that overflows is too large for any stack. */
static int64_t factored(const struct machine *m, int64_t n)
{
	int64_t product;

	return __builtin_mul_overflow(n, m->cie->data_factor, &product) ? INT64_MAX : product;
}

static void set_place_factored(struct machine *m, uint64_t reg, int64_t n)
{
	if (place_slot(m, reg))
		set_place(m, reg, CFI_PLACE_AT_CFA, 0, factored(m, n));
}

static void restore_initial(struct machine *m, uint64_t reg)
{
	const struct cfi_state *initial = &m->cie->initial;
	struct cfi_saved *s = place_slot(m, reg);

	if (s)
		*s = reg == UNWIND_REG_FP   ? initial->fp
		     : reg == UNWIND_REG_RA ? initial->ra
					    : initial->rbx;
}

static void set_place_expression(struct machine *m)
{
	uint64_t reg = cfi_uleb(&m->c);
	struct cfi_cursor block = cfi_block(&m->c, cfi_uleb(&m->c));
	struct cfi_value v;

	if (!place_slot(m, reg))
		return;
	v = cfi_expression(block);
	set_place(m, reg, v.what == CFI_CFA_REGISTER ? CFI_PLACE_AT_REGISTER : CFI_PLACE_UNKNOWN,
		  v.reg, v.offset);
}

static void define_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
	bool good = reg < UNWIND_REGS && fits_int32(offset);

	m->state.cfa = (struct cfi_value){
		.what = good ? CFI_CFA_REGISTER : CFI_CFA_UNKNOWN,
		.reg = (uint8_t)reg,
		.offset = good ? (int32_t)offset : 0,
	};
}

/* Run an operation on the CFA. Return false when `op` is none. */
static bool run_cfa_operation(struct machine *m, uint8_t op)
{
	const struct cfi_value *cfa = &m->state.cfa;
	uint64_t reg;

	switch (op) {
	case OP_DEF_CFA:
		reg = cfi_uleb(&m->c);
		define_cfa(m, reg, (int64_t)cfi_uleb(&m->c));
		return true;
	case OP_DEF_CFA_SF:
		reg = cfi_uleb(&m->c);
		define_cfa(m, reg, factored(m, cfi_sleb(&m->c)));
		return true;
	case OP_DEF_CFA_REGISTER:
		define_cfa(m, cfi_uleb(&m->c), cfa->offset);
		return true;
	case OP_DEF_CFA_OFFSET:
		define_cfa(m, cfa->reg, (int64_t)cfi_uleb(&m->c));
		return true;
	case OP_DEF_CFA_OFFSET_SF:
		define_cfa(m, cfa->reg, factored(m, cfi_sleb(&m->c)));
		return true;
	case OP_DEF_CFA_EXPRESSION:
		m->state.cfa = cfi_expression(cfi_block(&m->c, cfi_uleb(&m->c)));
		return true;
	default:
		return false;
	}
}

/* Run an operation on a register's place. Return false when `op` is none. */
static bool run_register_operation(struct machine *m, uint8_t op)
{
	uint64_t reg;

	if (op == OP_EXPRESSION) {
		set_place_expression(m);
		return true;
	}
	reg = cfi_uleb(&m->c);
	switch (op) {
	case OP_OFFSET_EXTENDED:
		set_place_factored(m, reg, (int64_t)cfi_uleb(&m->c));
		return true;
	case OP_OFFSET_EXTENDED_SF:
		set_place_factored(m, reg, cfi_sleb(&m->c));
		return true;
	case OP_NEGATIVE_OFFSET:
		set_place_factored(m, reg, -(int64_t)(cfi_uleb(&m->c) & INT64_MAX));
		return true;
	case OP_RESTORE_EXTENDED:
		restore_initial(m, reg);
		return true;
	case OP_UNDEFINED:
		set_place(m, reg, CFI_PLACE_UNDEFINED, 0, 0);
		return true;
	case OP_SAME_VALUE:
		set_place(m, reg, CFI_PLACE_SAME, 0, 0);
		return true;
	case OP_REGISTER:
		set_place(m, reg, CFI_PLACE_IN_REGISTER, cfi_uleb(&m->c), 0);
		return true;
	case OP_VAL_OFFSET:
	case OP_VAL_OFFSET_SF:
		(void)cfi_uleb(&m->c);
		set_place(m, reg, CFI_PLACE_UNKNOWN, 0, 0);
		return true;
	case OP_VAL_EXPRESSION:
		(void)cfi_block(&m->c, cfi_uleb(&m->c));
		set_place(m, reg, CFI_PLACE_UNKNOWN, 0, 0);
		return true;
	default:
		return false;
	}
}

static bool push_state(struct machine *m)
{
	if (m->depth == REMEMBER_MAX)
		return false;
	m->remembered[m->depth++] = m->state;
	return true;
}

static bool pop_state(struct machine *m)
{
	if (!m->depth)
		return false;
	m->state = m->remembered[--m->depth];
	return true;
}

/* Run an operation without an inline operand. Return false when it is unknown or fails. */
static bool run_extended(struct machine *m, uint8_t op)
{
	switch (op) {
	case OP_NOP:
	case OP_WINDOW_SAVE:
		return true;
	case OP_ARGS_SIZE:
		(void)cfi_uleb(&m->c);
		return true;
	case OP_REMEMBER:
		return push_state(m);
	case OP_RESTORE_STATE:
		return pop_state(m);
	default:
		return run_cfa_operation(m, op) || run_register_operation(m, op);
	}
}

/*
 * Read by how much the operation advances the address; 0 for DW_CFA_set_loc, which no producer
 * writes into .eh_frame.
 */
static uint64_t read_advance(struct machine *m, uint8_t op)
{
	if ((op & OP_WITH_OPERAND) == OP_ADVANCE)
		return (uint64_t)(op & OP_OPERAND) * m->cie->code_factor;
	switch (op) {
	case OP_ADVANCE1:
		return cfi_u8(&m->c) * m->cie->code_factor;
	case OP_ADVANCE2:
		return cfi_fixed(&m->c, 2) * m->cie->code_factor;
	case OP_ADVANCE4:
		return cfi_fixed(&m->c, 4) * m->cie->code_factor;
	default:
		return 0;
	}
}

static bool is_advance(uint8_t op)
{
	return (op & OP_WITH_OPERAND) == OP_ADVANCE || (op >= OP_ADVANCE1 && op <= OP_ADVANCE4);
}

/* Run any operation except those that advance the address. */
static bool run_operation(struct machine *m, uint8_t op)
{
	switch (op & OP_WITH_OPERAND) {
	case OP_OFFSET:
		set_place_factored(m, op & OP_OPERAND, (int64_t)cfi_uleb(&m->c));
		return true;
	case OP_RESTORE:
		restore_initial(m, op & OP_OPERAND);
		return true;
	default:
		return run_extended(m, op);
	}
}

bool cfi_run_initial(struct cfi_cie *cie, struct cfi_cursor program)
{
	struct machine m = {.cie = cie, .c = program};

	while (m.c.at < m.c.end) {
		uint8_t op = cfi_u8(&m.c);

		if (is_advance(op) || !run_operation(&m, op) || m.c.failed)
			return false;
	}
	cie->initial = m.state;
	return true;
}

bool cfi_run(const struct cfi_function *f, cfi_row_function *row, void *arg)
{
	static const struct cfi_state unknown;
	struct machine m;
	uint64_t limit = f->start + f->size;
	bool good = true;

	m.cie = f->cie; /* `remembered` stays uninitialized: only written entries are read */
	m.c = f->program;
	m.state = f->cie->initial;
	m.depth = 0;
	m.pc = f->start;
	while (good && m.c.at < m.c.end) {
		uint8_t op = cfi_u8(&m.c);

		if (!is_advance(op)) {
			good = run_operation(&m, op) && !m.c.failed;
			continue;
		}

		uint64_t by = read_advance(&m, op);

		if (by)
			row(arg, m.pc, &m.state);
		if (by >= limit - m.pc)
			return true; /* rules beyond the function's end are not needed */
		m.pc += by;
		good = !m.c.failed;
	}
	row(arg, m.pc, good ? &m.state : &unknown);
	return good;
}
