/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resolves constants to rows of the batch. Most of the time of a large recording is spent on the
 * frames of stack traces: a frame is looked up by its encoded bytes in a small direct-mapped cache
 * (raw_frames), then by its fields (frame_index), and only then added to the batch.
 */
#include "format/jfr/resolve.h"

#include <errno.h>

#include "base/container/hash.h"
#include "format/jfr/names.h"
#include "wire/varints.h"

enum { RAW_FRAMES_MIN = 64, RAW_FRAMES_MAX = 1 << 14 }; /* at most 256 KiB */

int jfr_resolver_init(struct jfr_resolver *r, struct profile_builder *builder,
		      struct jfr_constant_pools *pools)
{
	*r = (struct jfr_resolver){.builder = builder, .pools = pools};
	buf_init(&r->name, pools->arena->budget);

	/*
	 * one entry for each frame that a chunk of this size is likely to have, but not more than
	 * fit the processor's cache
	 */
	size_t bytes = (size_t)(pools->chunk->end - pools->chunk->start), room = RAW_FRAMES_MIN;

	while (room < RAW_FRAMES_MAX && room < bytes / 64)
		room *= 2;
	r->raw_mask = (uint32_t)(room - 1);
	r->raw_frames = arena_zalloc(pools->arena, room, sizeof(*r->raw_frames));
	if (!r->raw_frames)
		return -ENOMEM;
	return idset_init(&r->frame_index, pools->arena, room / 4);
}

void jfr_resolver_fini(struct jfr_resolver *r)
{
	buf_fini(&r->name);
}

/* Map the JDK's and async-profiler's frame types to OpenTelemetry's. */
static struct str frame_type(struct str description)
{
	static const struct {
		struct str description, type;
	} table[] = {
		{STR_INIT("Interpreted"), STR_INIT("jvm")},
		{STR_INIT("JIT compiled"), STR_INIT("jvm")},
		{STR_INIT("Inlined"), STR_INIT("jvm")},
		{STR_INIT("C1 compiled"), STR_INIT("jvm")},
		{STR_INIT("Native"), STR_INIT("native")},
		{STR_INIT("C++"), STR_INIT("native")},
		{STR_INIT("Kernel"), STR_INIT("kernel")},
	};

	for (size_t i = 0; i < countof(table); i++)
		if (str_eq(description, table[i].description))
			return table[i].type;
	return (struct str){0};
}

static int resolve_frame_type(struct jfr_resolver *r, uint64_t id, uint32_t *attribute)
{
	struct jfr_constant *constant =
		jfr_constant_pool_find(&r->pools->pool[JFR_CONSTANT_POOL_FRAME_TYPE], id);
	struct str text;
	int rc = 0;

	*attribute = 0;
	if (!constant)
		return 0;
	if (!constant->cached) {
		rc = jfr_record_text(
			r->pools,
			jfr_constant_read(r->pools, JFR_CONSTANT_POOL_FRAME_TYPE, constant),
			JFR_NAME, &text);
		text = frame_type(text);
		if (!rc && text.n)
			rc = profile_add_attribute(r->builder, STR("profile.frame.type"),
						   VALUE_OF_STR(text), STR(""), attribute);
		if (rc)
			return rc;
		constant->cached = *attribute + 1;
	}
	*attribute = constant->cached - 1;
	return 0;
}

static void put_name(struct buf *b, struct str name)
{
	struct jfr_name stable = jfr_stable_name(name);

	buf_put_str(b, stable.head);
	buf_put_str(b, stable.tail);
}

static int class_name(struct jfr_resolver *r, const struct jfr_constant *class, struct str *name)
{
	const struct jfr_record *record =
		jfr_constant_read(r->pools, JFR_CONSTANT_POOL_CLASS, class);

	return jfr_symbol_text(r->pools, record->number[JFR_NAME], name);
}

/*
 * Join class and method: "java/lang/Thread" and "run" become "java/lang/Thread.run", "libjvm.so"
 * and "JVM_Sleep" become "libjvm.so.JVM_Sleep".
 */
static int make_function(struct jfr_resolver *r, const struct jfr_constant *method,
			 uint32_t *function)
{
	const struct jfr_record *record =
		jfr_constant_read(r->pools, JFR_CONSTANT_POOL_METHOD, method);
	const struct jfr_constant *type = jfr_constant_pool_find(
		&r->pools->pool[JFR_CONSTANT_POOL_CLASS], record->number[JFR_CLASS]);
	struct str name, class = {0};
	struct function row = {0};
	int rc = jfr_symbol_text(r->pools, record->number[JFR_NAME], &name);

	if (!rc && type)
		rc = class_name(r, type, &class);
	if (rc)
		return rc;
	buf_clear(&r->name);
	put_name(&r->name, class);
	buf_put_char(&r->name, '.');
	put_name(&r->name, name);
	rc = buf_error(&r->name);
	if (!rc)
		rc = profile_add_string(r->builder, buf_str(&r->name), &row.name);
	return rc ? rc : profile_add_function(r->builder, &row, function);
}

/* Get the function of a method. A method that the chunk does not define is "[unknown]". */
static int resolve_method(struct jfr_resolver *r, uint64_t id, uint32_t *function)
{
	struct jfr_constant *method =
		jfr_constant_pool_find(&r->pools->pool[JFR_CONSTANT_POOL_METHOD], id);
	struct function unknown = {0};
	int rc;

	if (!method) {
		rc = profile_add_string(r->builder, STR("[unknown]"), &unknown.name);
		return rc ? rc : profile_add_function(r->builder, &unknown, function);
	}
	if (!method->cached) {
		rc = make_function(r, method, function);
		if (rc)
			return rc;
		method->cached = *function + 1;
	}
	*function = method->cached - 1;
	return 0;
}

/* Add the location of a new frame. */
static int make_location(struct jfr_resolver *r, struct jfr_frame *frame)
{
	struct line line = {.line = (int32_t)frame->line > 0 ? (int32_t)frame->line : 0};
	uint32_t attribute;
	int rc = resolve_method(r, frame->method, &line.function);

	if (!rc)
		rc = resolve_frame_type(r, frame->kind, &attribute);
	if (rc)
		return rc;

	struct location_parts parts = {
		.lines = &line,
		.line_count = 1,
		.attributes = &attribute,
		.attribute_count = attribute ? 1 : 0,
	};

	return profile_add_location(r->builder, &parts, &frame->location);
}

static int resolve_frame(struct jfr_resolver *r, struct jfr_frame *frame)
{
	uint32_t hash = hash_u64(frame->method ^ (uint64_t)frame->line << 40 ^ frame->kind << 60);
	struct idset_cursor c = idset_seek(&r->frame_index, hash);
	uint32_t i;
	int rc;

	while (idset_next(&r->frame_index, &c, &i)) {
		const struct jfr_frame *row = &r->frames.at[i];

		if (row->method == frame->method && row->line == frame->line &&
		    row->kind == frame->kind) {
			frame->location = row->location;
			return 0;
		}
	}
	rc = make_location(r, frame);
	if (!rc)
		rc = vec_push(r->pools->arena, &r->frames, *frame);
	return rc ? rc : idset_add(&r->frame_index, hash, r->frames.n - 1);
}

/* Decode a frame field by field. */
static int read_frame(struct jfr_resolver *r, struct jfr_cursor *c, uint32_t *location)
{
	const struct jfr_constant_pools *pools = r->pools;
	struct jfr_record *record = &r->frame;

	if (pools->frame_integers)
		for (unsigned i = 0; i < pools->frame_integers; i++)
			record->number[pools->frame_slots[i]] = jfr_varint(c);
	else
		jfr_layout_read(&pools->frame, c, record);

	struct jfr_frame frame = {.method = record->number[JFR_METHOD],
				  .kind = record->number[JFR_KIND],
				  .line = (uint32_t)record->number[JFR_LINE]};
	int rc = resolve_frame(r, &frame);

	*location = frame.location;
	return rc;
}

/*
 * Return how many of the eight bytes at `at` the next four integers take, or 0 if they take more.
 * *bytes holds these bytes and zeros, which identifies the frame.
 */
static inline unsigned four_integers(const uint8_t *at, uint64_t *bytes)
{
	uint64_t word, stop;

	memcpy(&word, at, sizeof(word));
	stop = ~word & JFR_CONTINUED;
	stop &= stop - 1;
	stop &= stop - 1;
	stop &= stop - 1;
	if (unlikely(!stop)) {
		*bytes = 0;
		return 0;
	}

	unsigned bits = (unsigned)__builtin_ctzll(stop) + 1;

	*bytes = word & UINT64_MAX >> (64 - bits);
	return bits / 8;
}

static inline struct jfr_raw_frame *raw_frame(const struct jfr_resolver *r, uint64_t bytes)
{
	return &r->raw_frames[bytes * 0x9e3779b97f4a7c15u >> 40 & r->raw_mask];
}

/* Input and output of the cached-frame loop. */
struct cached_frames {
	const struct jfr_resolver *resolver;
	const uint8_t *at, *limit;
	uint32_t *out, *end;
};

/* Append the location of the frame with those bytes. Return false if it is not cached. */
static inline bool read_cached_frame(struct cached_frames *k, uint64_t bytes)
{
	const struct jfr_raw_frame *raw = raw_frame(k->resolver, bytes);

	if (unlikely(!raw->location || raw->bytes != bytes))
		return false;
	*k->out++ = raw->location - 1;
	return true;
}

#ifdef VARINT_HAS_BMI2
/*
 * Read cached frames in windows of VARINT_WINDOW bytes, up to a frame that is not cached or too
 * long. Every fourth integer ends a frame; all ends in a window are found first, so that the
 * processor can look up several frames at a time.
 */
TARGET_BMI2 static struct cached_frames read_cached_frame_windows(struct cached_frames k)
{
	const uint64_t every_fourth = 0x8888888888888888u;

	while (k.out < k.end && k.limit - k.at >= VARINT_WINDOW + VARINT_SLACK) {
		uint64_t ends = _pdep_u64(every_fourth, ~varint_high_bits(k.at)), bytes;
		unsigned from = 0;

		for (; ends && k.out < k.end; ends = _blsr_u64(ends)) {
			unsigned until = (unsigned)_tzcnt_u64(ends) + 1, size = until - from;

			memcpy(&bytes, k.at + from, sizeof(bytes));
			if (unlikely(size > sizeof(bytes) ||
				     !read_cached_frame(&k, _bzhi_u64(bytes, 8 * size))))
				break;
			from = until;
		}
		k.at += from;
		if (ends || !from)
			break;
	}
	return k;
}
#endif

/*
 * Read frames at the cursor from the cache. Stop at a frame that is not cached, or when *left is 0.
 * This loop takes most of the time of a large recording.
 */
static inline void read_cached_frames(struct jfr_resolver *r, struct jfr_cursor *c, uint32_t *left)
{
	uint32_t *out = r->locations.at + r->locations.n;
	struct cached_frames k = {r, c->at, c->end, out, out + *left};
	unsigned size;
	uint64_t bytes;

#ifdef VARINT_HAS_BMI2
	if (VARINT_HAS_BMI2)
		k = read_cached_frame_windows(k);
#endif
	while (k.out < k.end && (size_t)(k.limit - k.at) >= sizeof(bytes)) {
		size = four_integers(k.at, &bytes);
		if (unlikely(!size || !read_cached_frame(&k, bytes)))
			break;
		k.at += size;
	}
	c->at = k.at;
	*left = (uint32_t)(k.end - k.out);
	r->locations.n = (uint32_t)(k.out - r->locations.at);
}

/* Decode one frame field by field and add it to the cache. */
static int read_new_frame(struct jfr_resolver *r, struct jfr_cursor *c)
{
	uint32_t *location = &r->locations.at[r->locations.n++];
	unsigned size = 0;
	uint64_t bytes = 0;

	if (r->pools->frame_integers == 4 && jfr_left(c) >= sizeof(bytes))
		size = four_integers(c->at, &bytes);

	int rc = read_frame(r, c, location);

	if (!rc && size)
		*raw_frame(r, bytes) = (struct jfr_raw_frame){bytes, *location + 1};
	return rc;
}

/* Add a stack. The first pass has skipped its frames, so their number is valid. */
static int make_stack(struct jfr_resolver *r, const struct jfr_constant *constant, uint32_t *stack)
{
	const struct jfr_constant_pools *pools = r->pools;
	int rc = 0;

	*stack = 0;
	if (!constant->at || !pools->frame.count)
		return 0;

	struct jfr_cursor c =
		jfr_cursor_of(constant->at, pools->chunk->end, pools->chunk->compressed);
	uint32_t left = jfr_int(&c);

	if (left > jfr_left(&c)) /* impossible: each frame takes at least one byte */
		return 0;
	r->locations.n = 0;
	rc = vec_reserve(pools->arena, &r->locations, left);
	while (left && !rc && !c.expected) {
		if (likely(pools->frame_integers == 4))
			read_cached_frames(r, &c, &left);
		if (left) {
			rc = read_new_frame(r, &c);
			left--;
		}
	}
	return rc ? rc : profile_add_stack(r->builder, r->locations.at, r->locations.n, stack);
}

int jfr_resolve_stacks(struct jfr_resolver *r, bool only_marked)
{
	struct jfr_constant_pool *pool = &r->pools->pool[JFR_CONSTANT_POOL_STACK];

	for (uint32_t i = 0; i < pool->constants.n; i++) {
		struct jfr_constant *constant = &pool->constants.at[i];
		uint32_t stack;

		if (only_marked && pool->dense && !(pool->dense[constant->id] & JFR_STACK_MARKED))
			continue;

		int rc = make_stack(r, constant, &stack);

		if (rc)
			return rc;
		constant->cached = stack + 1;
	}
	for (uint32_t i = pool->dense ? pool->constants.n : 0; i-- > 0;)
		pool->dense[pool->constants.at[i].id] = pool->constants.at[i].cached;
	return 0;
}

static int make_thread(struct jfr_resolver *r, const struct jfr_constant *constant,
		       struct jfr_thread *thread)
{
	const struct jfr_record *record =
		jfr_constant_read(r->pools, JFR_CONSTANT_POOL_THREAD, constant);
	struct str name;
	int rc = jfr_record_text(r->pools, record, JFR_NAME, &name);

	*thread = (struct jfr_thread){0};
	if (!rc && !name.n)
		rc = jfr_record_text(r->pools, record, JFR_OS_NAME, &name);
	if (!rc && name.n)
		rc = profile_add_attribute(r->builder, STR("thread.name"), VALUE_OF_STR(name),
					   STR(""), &thread->name);

	uint64_t id =
		record->number[JFR_OS_ID] ? record->number[JFR_OS_ID] : record->number[JFR_ID];

	if (!rc && id)
		rc = profile_add_attribute(r->builder, STR("thread.id"), VALUE_OF_INT((int64_t)id),
					   STR(""), &thread->id);
	return rc;
}

int jfr_resolve_thread(struct jfr_resolver *r, uint64_t id, struct jfr_thread *thread)
{
	struct jfr_constant *constant =
		jfr_constant_pool_find(&r->pools->pool[JFR_CONSTANT_POOL_THREAD], id);

	*thread = (struct jfr_thread){0};
	if (!constant)
		return 0;
	if (unlikely(!constant->cached)) {
		int rc = make_thread(r, constant, thread);

		if (!rc)
			rc = vec_push(r->pools->arena, &r->threads, *thread);
		if (rc)
			return rc;
		constant->cached = r->threads.n;
	}
	*thread = r->threads.at[constant->cached - 1];
	return 0;
}

static int make_state(struct jfr_resolver *r, const struct jfr_constant *constant,
		      struct jfr_state *state)
{
	const struct jfr_record *record =
		jfr_constant_read(r->pools, JFR_CONSTANT_POOL_STATE, constant);
	struct str prefix = STR("STATE_"), name;
	int rc = jfr_record_text(r->pools, record, JFR_NAME, &name);

	*state = (struct jfr_state){0};
	if (rc || !name.n)
		return rc;
	state->sleeping = str_eq(name, STR("STATE_SLEEPING"));
	state->runnable = str_eq(name, STR("STATE_RUNNABLE"));
	if (str_starts(name, prefix))
		name = str_from_at(name, prefix.n);
	return profile_add_attribute(r->builder, STR("thread.state"), VALUE_OF_STR(name), STR(""),
				     &state->attribute);
}

int jfr_resolve_state(struct jfr_resolver *r, uint64_t id, struct jfr_state *state)
{
	struct jfr_constant *constant =
		jfr_constant_pool_find(&r->pools->pool[JFR_CONSTANT_POOL_STATE], id);

	*state = (struct jfr_state){0};
	if (!constant)
		return 0;
	if (unlikely(!constant->cached)) {
		int rc = make_state(r, constant, state);

		if (!rc)
			rc = vec_push(r->pools->arena, &r->states, *state);
		if (rc)
			return rc;
		constant->cached = r->states.n;
	}
	*state = r->states.at[constant->cached - 1];
	return 0;
}

/* Append a class as Java writes it: "[Ljava/lang/String;" is "java.lang.String[]". */
static void put_java_name(struct buf *b, struct str class)
{
	static const struct str primitives[] = {
		['B'] = STR_INIT("byte"),  ['C'] = STR_INIT("char"),   ['D'] = STR_INIT("double"),
		['F'] = STR_INIT("float"), ['I'] = STR_INIT("int"),    ['J'] = STR_INIT("long"),
		['S'] = STR_INIT("short"), ['Z'] = STR_INIT("boolean")};
	struct jfr_name stable = jfr_stable_name(class);
	size_t dimensions = 0;

	while (dimensions < class.n && class.p[dimensions] == '[')
		dimensions++;
	if (dimensions) {
		struct str item = str_from_at(class, dimensions);

		if (item.n == 1 && (uint8_t)*item.p < countof(primitives) &&
		    primitives[(uint8_t)*item.p].n)
			item = primitives[(uint8_t)*item.p];
		else if (item.n > 2 && *item.p == 'L' && str_ends(item, STR(";")))
			item = str_head(str_from_at(item, 1), item.n - 2);
		stable = jfr_stable_name(item);
	}

	size_t start = b->n;

	buf_put_str(b, stable.head);
	buf_put_str(b, stable.tail);
	for (size_t i = start; i < b->n; i++)
		if (b->p[i] == '/')
			b->p[i] = '.';
	for (; dimensions; dimensions--)
		buf_put_str(b, STR("[]"));
}

int jfr_resolve_class(struct jfr_resolver *r, uint64_t id, uint32_t *attribute)
{
	struct jfr_constant *constant =
		jfr_constant_pool_find(&r->pools->pool[JFR_CONSTANT_POOL_CLASS], id);
	struct str name;
	int rc;

	*attribute = 0;
	if (!constant)
		return 0;
	if (unlikely(!constant->cached)) {
		rc = class_name(r, constant, &name);
		buf_clear(&r->name);
		if (!rc) {
			put_java_name(&r->name, name);
			rc = buf_error(&r->name);
		}
		if (!rc && name.n)
			rc = profile_add_attribute(r->builder, STR("object.class"),
						   VALUE_OF_STR(buf_str(&r->name)), STR(""),
						   attribute);
		if (rc)
			return rc;
		constant->cached = *attribute + 1;
	}
	*attribute = constant->cached - 1;
	return 0;
}
