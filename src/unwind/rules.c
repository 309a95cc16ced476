/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts states of call frame information into rules of rows, and keeps the dictionary of rules
 * that do not fit a row. The dictionary is a hash table with linear probing.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/container/hash.h"
#include "unwind/rules.h"

enum { FIRST_SLOTS = 64 };

_Static_assert(sizeof(struct unwind_rule) == 16, "rules are hashed as two words");

/* The slot that holds the rule, or the free one where it belongs. */
static uint32_t *find_rule_slot(const struct unwind_builder *b, const struct unwind_rule *rule)
{
	const struct unwind_rule *rules = b->rules.at;
	uint64_t words[2];
	uint32_t i;

	memcpy(words, rule, sizeof(words));
	i = hash_u64(words[0] ^ (words[1] << 29 | words[1] >> 35)) & b->rule_mask;
	while (b->rule_slots[i] && memcmp(&rules[b->rule_slots[i] - 1], rule, sizeof(*rule)) != 0)
		i = (i + 1) & b->rule_mask;
	return &b->rule_slots[i];
}

/* Double the slots; the rules keep their indices. */
static int grow_rule_slots(struct unwind_builder *b)
{
	size_t old = b->rule_slots ? (size_t)b->rule_mask + 1 : 0;
	size_t count = old ? 2 * old : FIRST_SLOTS;
	const struct unwind_rule *rules = b->rules.at;
	uint32_t *slots;

	if (!budget_take(b->budget, count * sizeof(*slots)))
		return -ENOMEM;
	slots = calloc(count, sizeof(*slots));
	if (!slots) {
		budget_give(b->budget, count * sizeof(*slots));
		return -ENOMEM;
	}
	free(b->rule_slots);
	budget_give(b->budget, old * sizeof(*slots));
	b->rule_slots = slots;
	b->rule_mask = (uint32_t)count - 1;
	for (uint32_t i = 0; i < b->rules.n; i++)
		*find_rule_slot(b, &rules[i]) = i + 1;
	return 0;
}

/* Find the rule in the dictionary or add it. Return 0, -ENOMEM or -E2BIG. */
static int add_rule(struct unwind_builder *b, const struct unwind_rule *rule, uint32_t *index)
{
	uint32_t *slot;
	int rc;

	if (!b->rule_slots || b->rules.n > b->rule_mask / 2) {
		rc = grow_rule_slots(b);
		if (rc)
			return rc;
	}
	slot = find_rule_slot(b, rule);
	if (!*slot) {
		if (b->rules.n > UNWIND_INDEX_MAX)
			return -E2BIG;
		if (b->rules.n == b->rules.cap) {
			rc = unwind_array_grow(&b->rules, sizeof(*rule), b->budget);
			if (rc)
				return rc;
		}
		((struct unwind_rule *)b->rules.at)[b->rules.n++] = *rule;
		*slot = b->rules.n;
	}
	*index = *slot - 1;
	return 0;
}

/* Encode the state as a rule of kind SP or FP. Return false when it does not fit. */
static bool inline_rule(const struct cfi_state *s, uint32_t *rule)
{
	uint32_t kind = s->cfa.reg == UNWIND_REG_SP ? UNWIND_KIND_SP : UNWIND_KIND_FP;
	uint32_t cfa = (uint32_t)s->cfa.offset, fp = 0;

	if (s->cfa.what != CFI_CFA_REGISTER ||
	    (s->cfa.reg != UNWIND_REG_SP && s->cfa.reg != UNWIND_REG_FP) || cfa % 8 ||
	    cfa / 8 > UNWIND_OFFSET_MAX)
		return false;
	if (s->ra.place != CFI_PLACE_AT_CFA || s->ra.offset != -8)
		return false;
	if (s->fp.place != CFI_PLACE_SAME) {
		fp = -(uint32_t)s->fp.offset;
		if (s->fp.place != CFI_PLACE_AT_CFA || !fp || fp % 8 || fp / 8 > UNWIND_FP_MAX)
			return false;
	}
	*rule = kind << UNWIND_KIND_SHIFT | cfa / 8 << UNWIND_OFFSET_SHIFT | fp / 8;
	return true;
}

static bool convert_place(const struct cfi_saved *s, uint8_t *place, int16_t *offset)
{
	static const uint8_t places[] = {
		[CFI_PLACE_SAME] = UNWIND_PLACE_SAME,
		[CFI_PLACE_AT_CFA] = UNWIND_PLACE_AT_CFA,
		[CFI_PLACE_AT_REGISTER] = UNWIND_PLACE_AT_REGISTER,
		[CFI_PLACE_IN_REGISTER] = UNWIND_PLACE_IN_REGISTER,
	};

	if (s->place >= countof(places) || s->offset < INT16_MIN || s->offset > INT16_MAX)
		return false;
	*place = places[s->place];
	*offset = (int16_t)s->offset;
	return true;
}

/* Encode the state as a rule of the dictionary. Return false when it does not fit. */
static bool dictionary_rule(const struct cfi_state *s, struct unwind_rule *rule)
{
	uint8_t fp_place, ra_place;
	int16_t fp_offset, ra_offset;

	if ((s->cfa.what != CFI_CFA_REGISTER && s->cfa.what != CFI_CFA_IN_MEMORY) ||
	    s->ra.place == CFI_PLACE_SAME || !convert_place(&s->fp, &fp_place, &fp_offset) ||
	    !convert_place(&s->ra, &ra_place, &ra_offset))
		return false;
	*rule = (struct unwind_rule){
		.cfa_register = s->cfa.reg,
		.cfa_in_memory = s->cfa.what == CFI_CFA_IN_MEMORY,
		.cfa_offset = s->cfa.offset,
		.cfa_add = s->cfa.add,
		.fp_place = fp_place & 3u,
		.fp_register = s->fp.reg,
		.fp_offset = fp_offset,
		.ra_place = ra_place & 3u,
		.ra_register = s->ra.reg,
		.ra_offset = ra_offset,
	};
	return true;
}

/*
 * Drop what is stored below the stack pointer: epilogues pop the frame pointer and do not always
 * say so in their rules. Return false when there is no return address.
 */
static bool drop_popped(struct cfi_state *s)
{
	bool by_sp = s->cfa.what == CFI_CFA_REGISTER && s->cfa.reg == UNWIND_REG_SP;

	if (s->fp.place == CFI_PLACE_UNDEFINED || s->fp.place == CFI_PLACE_UNKNOWN)
		s->fp = (struct cfi_saved){0};
	if (by_sp && s->fp.place == CFI_PLACE_AT_CFA && (int64_t)s->cfa.offset + s->fp.offset < 0)
		s->fp = (struct cfi_saved){0};
	return s->ra.place != CFI_PLACE_UNDEFINED && !(by_sp && s->ra.place == CFI_PLACE_AT_CFA &&
						       (int64_t)s->cfa.offset + s->ra.offset < 0);
}

bool unwind_is_kernel_frame(const struct cfi_state *s)
{
	return s->cfa.what != CFI_CFA_REGISTER || s->ra.place == CFI_PLACE_AT_REGISTER ||
	       s->ra.place == CFI_PLACE_UNKNOWN;
}

uint32_t unwind_rule_of(const struct cfi_state *state, struct unwind_rule *entry)
{
	struct cfi_state s = *state;
	uint32_t rule;

	if (!drop_popped(&s))
		return UNWIND_RULE_STOP;
	if (inline_rule(&s, &rule))
		return rule;
	if (s.cfa.what == CFI_CFA_PLT)
		return UNWIND_COMMAND(UNWIND_COMMAND_PLT, s.cfa.offset);
	return dictionary_rule(&s, entry) ? (uint32_t)UNWIND_KIND_DICTIONARY << UNWIND_KIND_SHIFT
					  : UNWIND_RULE_GUESS;
}

uint32_t unwind_builder_rule(struct unwind_builder *b, const struct cfi_state *state,
			     bool *understood)
{
	struct unwind_rule entry;
	uint32_t rule = unwind_rule_of(state, &entry), index;

	*understood = rule != UNWIND_RULE_GUESS;
	if (rule >> UNWIND_KIND_SHIFT != UNWIND_KIND_DICTIONARY)
		return rule;
	if (b->error)
		return UNWIND_RULE_GUESS;
	b->by_rbx = b->by_rbx || entry.cfa_register == UNWIND_REG_RBX;
	b->error = add_rule(b, &entry, &index);
	return b->error ? UNWIND_RULE_GUESS
			: (uint32_t)UNWIND_KIND_DICTIONARY << UNWIND_KIND_SHIFT | index;
}

uint32_t unwind_rbx_rule(const struct cfi_state *s)
{
	int64_t slot = -(int64_t)s->rbx.offset;

	if (s->rbx.place == CFI_PLACE_SAME)
		return 0;
	if (s->rbx.place != CFI_PLACE_AT_CFA || slot <= 0 || slot % 8 ||
	    slot / 8 > UNWIND_INDEX_MAX)
		return UNWIND_RULE_GUESS;
	/* rbx was popped already */
	if (s->cfa.what == CFI_CFA_REGISTER && s->cfa.reg == UNWIND_REG_SP && s->cfa.offset < slot)
		return 0;
	return (uint32_t)slot / 8;
}
