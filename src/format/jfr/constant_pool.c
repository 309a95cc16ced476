/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the checkpoints of a chunk into constant pools and indexes each pool by id. Checkpoints are
 * read from the newest to the oldest; those of an unfinished chunk in the order of the file.
 * Constants of unused types are skipped by a layout without slots.
 */
#include "format/jfr/constant_pool.h"

#include <errno.h>

#include "base/container/hash.h"
#include "format/jfr/text.h"

/*
 * Use an array by id if it is well filled, or if it is small and not almost empty: async-profiler's
 * stack trace ids are positions in a table of 65,536.
 */
static bool is_dense(uint64_t max, uint32_t n)
{
	return max < 64 + 4 * (uint64_t)n || (max < 1 << 17 && max < 128 * (uint64_t)n);
}

static const struct jfr_wanted_field wanted_text_fields[] = {{STR_INIT("string"), JFR_NAME},
							     {STR_INIT("description"), JFR_NAME},
							     {STR_INIT("name"), JFR_NAME},
							     {{0}, 0}};
static const struct jfr_wanted_field wanted_thread_fields[] = {{STR_INIT("osName"), JFR_OS_NAME},
							       {STR_INIT("osThreadId"), JFR_OS_ID},
							       {STR_INIT("javaName"), JFR_NAME},
							       {STR_INIT("javaThreadId"), JFR_ID},
							       {{0}, 0}};
static const struct jfr_wanted_field wanted_class_fields[] = {{STR_INIT("name"), JFR_NAME},
							      {{0}, 0}};
static const struct jfr_wanted_field wanted_method_fields[] = {
	{STR_INIT("type"), JFR_CLASS}, {STR_INIT("name"), JFR_NAME}, {{0}, 0}};
static const struct jfr_wanted_field wanted_stack_fields[] = {{STR_INIT("frames"), JFR_FRAMES},
							      {{0}, 0}};
static const struct jfr_wanted_field wanted_frame_fields[] = {{STR_INIT("method"), JFR_METHOD},
							      {STR_INIT("lineNumber"), JFR_LINE},
							      {STR_INIT("type"), JFR_KIND},
							      {{0}, 0}};

static const struct {
	struct str name;
	const struct jfr_wanted_field *wanted;
} pool_table[JFR_CONSTANT_POOLS] = {
	[JFR_CONSTANT_POOL_STRING] = {STR_INIT("java.lang.String"), NULL},
	[JFR_CONSTANT_POOL_SYMBOL] = {STR_INIT("jdk.types.Symbol"), wanted_text_fields},
	[JFR_CONSTANT_POOL_THREAD] = {STR_INIT("java.lang.Thread"), wanted_thread_fields},
	[JFR_CONSTANT_POOL_CLASS] = {STR_INIT("java.lang.Class"), wanted_class_fields},
	[JFR_CONSTANT_POOL_METHOD] = {STR_INIT("jdk.types.Method"), wanted_method_fields},
	[JFR_CONSTANT_POOL_STACK] = {STR_INIT("jdk.types.StackTrace"), wanted_stack_fields},
	[JFR_CONSTANT_POOL_FRAME_TYPE] = {STR_INIT("jdk.types.FrameType"), wanted_text_fields},
	[JFR_CONSTANT_POOL_STATE] = {STR_INIT("jdk.types.ThreadState"), wanted_text_fields},
};

/* Return the class of a stack trace's frames, or NULL if they are not stored as a plain array. */
static const struct jfr_class *frame_class(const struct jfr_metadata *m)
{
	const struct jfr_class *stack =
		jfr_class_by_name(m, pool_table[JFR_CONSTANT_POOL_STACK].name);

	for (uint32_t i = 0; stack && i < stack->field_count; i++) {
		const struct jfr_field *field = &m->fields.at[stack->first_field + i];

		if (str_eq(field->name, wanted_stack_fields[0].field))
			return field->array && !field->constant ? jfr_class_by_id(m, field->type)
								: NULL;
	}
	return NULL;
}

/*
 * Compile the layouts of the pools and of frames. The layout of a type that is missing stays empty.
 */
static int compile_layouts(struct jfr_constant_pools *p, struct err *e)
{
	const struct jfr_metadata *m = p->metadata;
	const struct jfr_class *class;
	int rc = 0;

	for (size_t i = 0; i < JFR_CONSTANT_POOLS && !rc; i++) {
		class = jfr_class_by_name(m, pool_table[i].name);
		if (class)
			rc = jfr_layout_compile(&p->pool[i].layout, p->arena, m, class,
						pool_table[i].wanted, p->chunk->compressed, e);
		p->pool[i].is_text = p->pool[i].layout.count == 1 &&
				     p->pool[i].layout.steps->kind == JFR_READ_STRING;
	}
	class = frame_class(m);
	if (class && !rc)
		rc = jfr_layout_compile(&p->frame, p->arena, m, class, wanted_frame_fields,
					p->chunk->compressed, e);
	p->frame_integers = jfr_layout_integer_slots(&p->frame, p->frame_slots, JFR_FRAME_INTEGERS);
	return rc;
}

static struct jfr_constant_pool *pool_of_class(struct jfr_constant_pools *p,
					       const struct jfr_class *class)
{
	for (size_t i = 0; i < JFR_CONSTANT_POOLS; i++)
		if (str_eq(class->name, pool_table[i].name))
			return &p->pool[i];
	return NULL;
}

/* Read all constants of one type. Each takes at least one byte, which bounds a wrong count. */
static int read_constants(struct jfr_constant_pools *p, struct jfr_cursor *c,
			  const struct jfr_class *class, struct err *e)
{
	struct jfr_constant_pool *pool = pool_of_class(p, class);
	struct jfr_layout other = {0}, *layout = pool ? &pool->layout : &other;
	struct jfr_record ignored, *record = pool ? &pool->record : &ignored;
	const uint8_t *at = c->at;
	uint32_t n = jfr_int(c);
	int rc = 0;

	if (n > jfr_left(c))
		jfr_fail_at(c, at, "a smaller number of constants");
	else if (pool)
		rc = vec_reserve(p->arena, &pool->constants, n);
	else
		rc = jfr_layout_compile(&other, p->arena, p->metadata, class, NULL,
					p->chunk->compressed, e);
	for (uint32_t i = 0; i < n && !rc && !c->expected; i++) {
		struct jfr_constant constant = {.id = jfr_long(c), .at = c->at};

		jfr_layout_read(layout, c, record);
		if (pool == &p->pool[JFR_CONSTANT_POOL_STACK])
			constant.at = record->at[JFR_FRAMES];
		if (pool && !c->expected)
			pool->constants.at[pool->constants.n++] = constant;
	}
	return rc;
}

/* Read one checkpoint. *delta is the offset of the previous one from this one, 0 in the first. */
static int read_checkpoint(struct jfr_constant_pools *p, struct jfr_event *event, int64_t *delta,
			   struct err *e)
{
	struct jfr_cursor *c = &event->body;
	int rc = 0;

	(void)jfr_long(c); /* start time */
	(void)jfr_long(c); /* duration */
	*delta = (int64_t)jfr_long(c);
	(void)jfr_byte(c); /* reason */

	uint32_t n = jfr_int(c);

	for (uint32_t i = 0; i < n && !rc && !c->expected; i++) {
		const uint8_t *at = c->at;
		const struct jfr_class *class = jfr_class_by_id(p->metadata, jfr_long(c));

		if (class)
			rc = read_constants(p, c, class, e);
		else
			jfr_fail_at(c, at, "the id of a described type");
	}
	if (rc == -EBADMSG)
		err_prefix(e, "at byte %zu", jfr_chunk_input_offset(p->chunk, event->at));
	if (rc)
		return rc;
	return c->expected ? jfr_chunk_error(p->chunk, c, e) : 0;
}

/*
 * Read the checkpoints from the last to the first. Each one must end before its successor begins,
 * so a cycle is impossible and no byte is read twice.
 */
static int read_checkpoint_chain(struct jfr_constant_pools *p, struct err *e)
{
	const struct jfr_chunk *chunk = p->chunk;
	const uint8_t *at = chunk->start + chunk->checkpoint, *end = chunk->end;

	for (;;) {
		struct jfr_cursor c = jfr_cursor_of(at, end, chunk->compressed);
		struct jfr_event event;
		int64_t delta = 0;

		if (!jfr_next_event(&c, &event) || event.type != JFR_TYPE_CHECKPOINT)
			jfr_fail_at(&c, at, "a checkpoint");
		if (c.expected)
			return jfr_chunk_error(chunk, &c, e);

		int rc = read_checkpoint(p, &event, &delta, e);

		if (rc || !delta)
			return rc;
		if (delta > 0 || -(uint64_t)delta > (uint64_t)(at - chunk->start) - JFR_HEADER) {
			jfr_fail_at(&c, at, "a checkpoint with its predecessor in the chunk");
			return jfr_chunk_error(chunk, &c, e);
		}
		end = at;
		at += delta;
	}
}

/* Read all checkpoints of an unfinished chunk, whose header does not say where they are. */
static int read_all_checkpoints(struct jfr_constant_pools *p, struct err *e)
{
	const struct jfr_chunk *chunk = p->chunk;
	struct jfr_cursor c =
		jfr_cursor_of(chunk->start + JFR_HEADER, chunk->end, chunk->compressed);
	struct jfr_event event;
	int64_t delta;
	int rc = 0;

	while (!rc && jfr_next_event(&c, &event))
		if (event.type == JFR_TYPE_CHECKPOINT)
			rc = read_checkpoint(p, &event, &delta, e);
	return rc;
}

/*
 * Index the pool by id: an array if ids are dense (async-profiler counts from 1), else a hash table
 * (the JDK's ids are addresses and the like). Of two constants with the same id the first one wins:
 * the newest one in a finished chunk.
 */
static int index_pool(struct jfr_constant_pool *pool, struct arena *arena)
{
	uint32_t n = pool->constants.n;
	uint64_t max = 0;

	for (uint32_t i = 0; i < n; i++)
		max = pool->constants.at[i].id > max ? pool->constants.at[i].id : max;
	if (is_dense(max, n)) {
		pool->dense_size = max + 1;
		pool->dense = arena_zalloc(arena, pool->dense_size, sizeof(*pool->dense));
		if (!pool->dense)
			return -ENOMEM;
		for (uint32_t i = n; i-- > 0;)
			pool->dense[pool->constants.at[i].id] = i + 1;
		return 0;
	}

	int rc = idset_init(&pool->index, arena, n);

	for (uint32_t i = 0; i < n && !rc; i++)
		rc = idset_add(&pool->index, hash_u64(pool->constants.at[i].id), i);
	return rc;
}

int jfr_constant_pools_read(struct jfr_constant_pools *pools, struct arena *arena,
			    const struct jfr_chunk *chunk, const struct jfr_metadata *metadata,
			    struct err *e)
{
	*pools = (struct jfr_constant_pools){.arena = arena, .chunk = chunk, .metadata = metadata};

	int rc = compile_layouts(pools, e);

	if (!rc)
		rc = chunk->checkpoint ? read_checkpoint_chain(pools, e)
				       : read_all_checkpoints(pools, e);
	for (size_t i = 0; i < JFR_CONSTANT_POOLS && !rc; i++)
		rc = index_pool(&pools->pool[i], arena);
	return rc;
}

struct jfr_constant *jfr_constant_pool_find_sparse(struct jfr_constant_pool *pool, uint64_t id)
{
	struct idset_cursor c = idset_seek(&pool->index, hash_u64(id));
	uint32_t i;

	while (idset_next(&pool->index, &c, &i))
		if (pool->constants.at[i].id == id)
			return &pool->constants.at[i];
	return NULL;
}

const struct jfr_record *jfr_constant_read(struct jfr_constant_pools *pools,
					   enum jfr_constant_pool_kind kind,
					   const struct jfr_constant *constant)
{
	const struct jfr_chunk *chunk = pools->chunk;
	/* the first pass has checked that the constant ends inside the chunk */
	struct jfr_cursor c = jfr_cursor_of(constant->at, chunk->end, chunk->compressed);

	jfr_layout_read(&pools->pool[kind].layout, &c, &pools->pool[kind].record);
	return &pools->pool[kind].record;
}

int jfr_record_text(struct jfr_constant_pools *pools, const struct jfr_record *record,
		    enum jfr_slot slot, struct str *out)
{
	const struct jfr_chunk *chunk = pools->chunk;
	const uint8_t *at = record->at[slot];
	uint64_t id = record->number[slot];

	*out = (struct str){0};
	/* at most two rounds: a string constant must not refer to another one */
	for (int round = 0; round < 2; round++) {
		struct jfr_cursor c = jfr_cursor_of(at, chunk->end, chunk->compressed);

		if (at && *at != JFR_STRING_CONSTANT)
			return jfr_text_read(&c, pools->arena, out);
		if (at) {
			(void)jfr_byte(&c);
			id = jfr_long(&c);
		}

		const struct jfr_constant *string =
			jfr_constant_pool_find(&pools->pool[JFR_CONSTANT_POOL_STRING], id);

		if (!string)
			return 0;
		at = string->at;
	}
	return 0;
}

int jfr_symbol_text(struct jfr_constant_pools *pools, uint64_t id, struct str *out)
{
	struct jfr_constant_pool *pool = &pools->pool[JFR_CONSTANT_POOL_SYMBOL];
	const struct jfr_constant *symbol = jfr_constant_pool_find(pool, id);

	*out = (struct str){0};
	if (!symbol)
		return 0;
	if (likely(pool->is_text && *symbol->at != JFR_STRING_CONSTANT)) {
		struct jfr_cursor c =
			jfr_cursor_of(symbol->at, pools->chunk->end, pools->chunk->compressed);

		return jfr_text_read(&c, pools->arena, out);
	}
	return jfr_record_text(pools, jfr_constant_read(pools, JFR_CONSTANT_POOL_SYMBOL, symbol),
			       JFR_NAME, out);
}
