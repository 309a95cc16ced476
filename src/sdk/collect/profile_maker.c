/* SPDX-License-Identifier: Apache-2.0 */
/* One profile per row of `columns`; locations, mappings and stacks are deduplicated by maps. */
#include "sdk/collect/profile_maker.h"

#include <stdio.h>
#include <string.h>

#include "base/container/map.h"
#include "sdk/collect/heap_maps.h"
#include "sdk/hook/heap.h"
#include "signal/profile/profile_rows.h"

/* The source of a column's numbers. */
enum column_source {
	FROM_VALUE,	  /* the entry's value */
	FROM_VALUE_TIMES, /* the entry's value, each observation with its time */
	FROM_WAITING,	  /* the entry's value, if the thread did not run */
	FROM_WEIGHT,
	FROM_FRACTION,	   /* the entry's weight, which counts in 1/65536, rounded */
	FROM_LIVE_OBJECTS, /* the live heap instead of the window */
	FROM_LIVE_BYTES,
};

struct column_row {
	enum varve_profile kind;
	enum record_kind record;
	enum column_source source;
	const char *type, *unit, *period_type, *period_unit;
	const char *name; /* Pyroscope's __name__, where type and period do not imply it */
};

/* The sample types of each kind, in the order of pprof: the default type is the last. */
static const struct column_row columns[] = {
	{VARVE_CPU, RECORD_CPU, FROM_WEIGHT, "samples", "count", "cpu", "nanoseconds", NULL},
	{VARVE_CPU, RECORD_CPU, FROM_VALUE_TIMES, "cpu", "nanoseconds", "cpu", "nanoseconds", NULL},
	{VARVE_WALL, RECORD_WALL, FROM_WEIGHT, "samples", "count", "wall", "nanoseconds", "wall"},
	{VARVE_WALL, RECORD_WALL, FROM_WAITING, "off_cpu", "nanoseconds", "wall", "nanoseconds",
	 "wall"},
	{VARVE_WALL, RECORD_WALL, FROM_VALUE_TIMES, "wall", "nanoseconds", "wall", "nanoseconds",
	 "wall"},
	{VARVE_HEAP, RECORD_ALLOC, FROM_FRACTION, "alloc_objects", "count", "space", "bytes", NULL},
	{VARVE_HEAP, RECORD_ALLOC, FROM_VALUE, "alloc_space", "bytes", "space", "bytes", NULL},
	{VARVE_HEAP, RECORD_ALLOC, FROM_LIVE_OBJECTS, "inuse_objects", "count", "space", "bytes",
	 NULL},
	{VARVE_HEAP, RECORD_ALLOC, FROM_LIVE_BYTES, "inuse_space", "bytes", "space", "bytes", NULL},
	{VARVE_MMAP, RECORD_MMAP, FROM_WEIGHT, "mmap_objects", "count", "space", "bytes", "memory"},
	{VARVE_MMAP, RECORD_MMAP, FROM_VALUE, "mmap_space", "bytes", "space", "bytes", "memory"},
	{VARVE_MMAP, RECORD_MMAP, FROM_LIVE_OBJECTS, "mmap_inuse_objects", "count", "space",
	 "bytes", "memory"},
	{VARVE_MMAP, RECORD_MMAP, FROM_LIVE_BYTES, "mmap_inuse_space", "bytes", "space", "bytes",
	 "memory"},
	{VARVE_MUTEX, RECORD_MUTEX, FROM_FRACTION, "contentions", "count", "contentions", "count",
	 "mutex"},
	{VARVE_MUTEX, RECORD_MUTEX, FROM_VALUE, "delay", "nanoseconds", "contentions", "count",
	 "mutex"},
	{VARVE_BLOCK, RECORD_BLOCK, FROM_FRACTION, "contentions", "count", "contentions", "count",
	 "block"},
	{VARVE_BLOCK, RECORD_BLOCK, FROM_VALUE, "delay", "nanoseconds", "contentions", "count",
	 "block"},
	{VARVE_THREADS, RECORD_THREAD, FROM_WEIGHT, "goroutine", "count", "goroutine", "count",
	 NULL},
	{VARVE_THREADCREATE, RECORD_THREADCREATE, FROM_WEIGHT, "threadcreate", "count",
	 "threadcreate", "count", NULL},
};

/* The state of making one batch. */
struct batch_build {
	const struct profile_maker *m;
	const struct window *w;
	struct profile_builder builder;
	struct profile_batch *out;
	struct map locations;	 /* address to location */
	struct map mappings;	 /* module's start to mapping */
	struct map stacks;	 /* our stack to the batch's */
	uint64_t unix_offset_ns; /* added to monotonic times */
};

static int add_module_mapping(struct batch_build *k, const struct module *module, uint32_t *id)
{
	struct mapping row = {.start = module->start - module->bias,
			      .limit = module->limit - module->bias,
			      .offset = module->file_offset};
	char hex[2 * sizeof(module->build_id) + 1];
	uint32_t attribute, count = 0;
	uint64_t known;
	int rc;

	if (map_get(&k->mappings, module->start, &known)) {
		*id = (uint32_t)known;
		return 0;
	}
	rc = profile_add_string(&k->builder, str_from(module->path), &row.filename);
	if (!rc && module->build_id_size) {
		for (uint32_t i = 0; i < module->build_id_size; i++)
			snprintf(hex + 2 * i, 3, "%02x", module->build_id[i]);
		rc = profile_add_attribute(&k->builder, STR("process.executable.build_id.gnu"),
					   VALUE_OF_STR(str_of(hex, 2 * module->build_id_size)),
					   (struct str){0}, &attribute);
		count = 1;
	}
	rc = rc ? rc : profile_add_mapping(&k->builder, &row, &attribute, count, id);
	return rc ? rc : map_set(&k->mappings, module->start, *id);
}

/* Find the calls at an address by the module's symbols, or name it "module+0xoffset". */
static uint32_t symbolize_address(const struct profile_maker *m, const struct module *module,
				  uint64_t address, char unknown[256],
				  struct symbol_frame frames[SYMBOL_INLINE_MAX])
{
	struct symbol_file *file = module ? symbol_cache_get(m->symbols, module->path) : NULL;
	uint64_t own = module ? address - module->bias : address;
	uint32_t n = file ? symbol_lookup(file, own, frames) : 0;

	if (n)
		return n;
	frames[0] = (struct symbol_frame){
		.name = str_of(unknown,
			       symbol_unknown(unknown, 256,
					      module ? str_from(module->path) : STR("[unknown]"),
					      own))};
	return 1;
}

static int add_symbol_lines(struct batch_build *k, const struct symbol_frame *frames, uint32_t n,
			    struct line *lines)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < n; i++) {
		struct function f = {.start_line = frames[i].start_line};

		rc = profile_add_string(&k->builder, frames[i].name, &f.name);
		rc = rc ? rc
			: profile_add_string(&k->builder, frames[i].system_name, &f.system_name);
		rc = rc ? rc : profile_add_string(&k->builder, frames[i].filename, &f.filename);
		rc = rc ? rc : profile_add_function(&k->builder, &f, &lines[i].function);
		lines[i].line = frames[i].line;
		lines[i].column = 0;
	}
	return rc;
}

static int add_address_location(struct batch_build *k, uint64_t address, uint32_t *id)
{
	const struct module *module;
	struct symbol_frame frames[SYMBOL_INLINE_MAX];
	struct line lines[SYMBOL_INLINE_MAX];
	struct location_parts parts = {.lines = lines};
	char unknown[256];
	uint64_t known;
	int rc;

	if (map_get(&k->locations, address, &known)) {
		*id = (uint32_t)known;
		return 0;
	}
	if (address == STACK_CUT_MARK) {
		rc = profile_add_frame(&k->builder, STR("[cut]"), (struct str){0}, 0, id);
		return rc ? rc : map_set(&k->locations, address, *id);
	}
	module = modules_find(k->m->modules, address);
	parts.address = module ? address - module->bias : address;
	parts.line_count = symbolize_address(k->m, module, address, unknown, frames);
	rc = add_symbol_lines(k, frames, parts.line_count, lines);
	if (!rc && module)
		rc = add_module_mapping(k, module, &parts.mapping);
	rc = rc ? rc : profile_add_location(&k->builder, &parts, id);
	return rc ? rc : map_set(&k->locations, address, *id);
}

/* Add the stack of one frame that replaces a missing one. */
static int add_placeholder_stack(struct batch_build *k, uint32_t stack, uint32_t *id)
{
	uint32_t location;
	int rc;

	if (stack == STACK_NONE) {
		*id = 0;
		return 0;
	}
	rc = profile_add_frame(&k->builder, stack == STACK_LOST ? STR("[lost]") : STR("[other]"),
			       (struct str){0}, 0, &location);
	return rc ? rc : profile_add_stack(&k->builder, &location, 1, id);
}

static int add_interned_stack(struct batch_build *k, uint32_t stack, uint32_t *id)
{
	uint32_t locations[4096], n;
	const uint64_t *pcs = stack_ids_get(stack, &n);
	uint64_t known;
	int rc = 0;

	if (map_get(&k->stacks, stack, &known)) {
		*id = (uint32_t)known;
		return 0;
	}
	if (!n)
		return add_placeholder_stack(k, stack, id);
	for (uint32_t i = 0; !rc && i < n; i++)
		rc = add_address_location(k, pcs[i], &locations[i]);
	rc = rc ? rc : profile_add_stack(&k->builder, locations, n, id);
	return rc ? rc : map_set(&k->stacks, stack, *id);
}

static int add_text_attribute(struct batch_build *k, struct str key, struct str value,
			      uint32_t *ids, uint32_t *n)
{
	int rc = profile_add_attribute(&k->builder, key, VALUE_OF_STR(value), (struct str){0},
				       &ids[*n]);

	*n += !rc;
	return rc;
}

/* Read the name and state of a thread from /proc. */
static void read_thread_state(uint32_t tid, char name[32], const char **state)
{
	char path[64], text[512] = "", *end;
	FILE *file;

	name[0] = 0;
	*state = "unknown";
	snprintf(path, sizeof(path), "/proc/self/task/%u/stat", tid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(text, sizeof(text), file)) {
		char *begin = strchr(text, '(');

		end = strrchr(text, ')');
		if (begin && end && end[1] == ' ') {
			*state = end[2] == 'R'	 ? "running"
				 : end[2] == 'D' ? "uninterruptible"
				 : end[2] == 'T' ? "stopped"
						 : "sleeping";
			*end = 0;
			snprintf(name, 32, "%s", begin + 1);
		}
	}
	fclose(file);
}

static int add_thread_attributes(struct batch_build *k, uint32_t tid, uint32_t *ids, uint32_t *n)
{
	const char *state;
	char name[32];
	int rc;

	read_thread_state(tid, name, &state);
	rc = add_text_attribute(k, STR("thread.name"), str_from(name), ids, n);
	rc = rc ? rc : add_text_attribute(k, STR("thread.state"), str_from(state), ids, n);
	if (!rc) {
		rc = profile_add_attribute(&k->builder, STR("thread.id"), VALUE_OF_INT(tid),
					   (struct str){0}, &ids[*n]);
		*n += !rc;
	}
	return rc;
}

static int push_sample_attributes(struct batch_build *k, const struct window_entry *entry)
{
	enum { LABELS_MAX = 16 };
	uint32_t ids[LABELS_MAX + 3], n = 0;
	const char *key, *value;
	int rc = 0;

	if (entry->kind == RECORD_WALL)
		rc = add_text_attribute(
			k, STR("thread.state"),
			entry->flags & RECORD_RUNNING ? STR("running") : STR("waiting"), ids, &n);
	if (!rc && entry->kind == RECORD_THREAD)
		rc = add_thread_attributes(k, entry->tid, ids, &n);
	for (uint32_t i = 0; !rc && k->m->label_text && entry->labels && i < LABELS_MAX; i++) {
		key = k->m->label_text(entry->labels, i, &value);
		if (!key)
			break;
		rc = add_text_attribute(k, str_from(key), str_from(value), ids, &n);
	}
	for (uint32_t i = 0; !rc && i < n; i++)
		rc = vec_push(&k->out->arena, &k->out->sample_attributes, ids[i]);
	return rc;
}

static int add_entry_link(struct batch_build *k, const struct window_entry *entry, uint32_t *id)
{
	static const uint8_t none[8];
	struct link link;

	*id = 0;
	if (!memcmp(entry->span_id, none, sizeof(none)))
		return 0;
	memcpy(link.trace_id, entry->trace_id, sizeof(link.trace_id));
	memcpy(link.span_id, entry->span_id, sizeof(link.span_id));
	return profile_add_link(&k->builder, &link, id);
}

/* Push the observations of an entry, which are a list, newest first, in order of time. */
static int push_observations(struct batch_build *k, const struct window_entry *entry)
{
	struct profile_batch *b = k->out;
	uint32_t n = entry->time_count;
	int rc = vec_reserve(&b->arena, &b->values, n);

	rc = rc ? rc : vec_reserve(&b->arena, &b->times, n);
	if (rc)
		return rc;
	for (uint32_t at = entry->last_time, i = n; at && i; at = k->w->times.at[at - 1].previous) {
		const struct window_time *time = &k->w->times.at[at - 1];

		i--;
		b->values.at[b->values.n + i] = time->value;
		b->times.at[b->times.n + i] = time->time_ns + k->unix_offset_ns;
	}
	b->values.n += n;
	b->times.n += n;
	return 0;
}

static int64_t round_objects(int64_t weight)
{
	return (weight + (1 << 15)) >> 16;
}

static int add_window_sample(struct batch_build *k, const struct column_row *column,
			     const struct window_entry *entry)
{
	uint32_t stack, link;
	int64_t value = column->source == FROM_WEIGHT	  ? entry->weight
			: column->source == FROM_FRACTION ? round_objects(entry->weight)
							  : entry->value;
	int rc = add_interned_stack(k, entry->stack, &stack);

	rc = rc ? rc : add_entry_link(k, entry, &link);
	rc = rc ? rc : push_sample_attributes(k, entry);
	if (rc)
		return rc;
	if (column->source == FROM_VALUE_TIMES && entry->time_count)
		rc = push_observations(k, entry);
	else
		rc = vec_push(&k->out->arena, &k->out->values, value);
	return rc ? rc : profile_sample_end(k->out, stack, link);
}

static int add_window_samples(struct batch_build *k, const struct column_row *column,
			      const struct window *w)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < w->entries.n; i++)
		if (w->entries.at[i].kind == column->record &&
		    !(column->source == FROM_WAITING && w->entries.at[i].flags & RECORD_RUNNING))
			rc = add_window_sample(k, column, &w->entries.at[i]);
	return rc;
}

static void add_live_as(struct window *live, enum record_kind kind, const struct heap_block *b)
{
	struct record r = {.kind = (uint8_t)kind,
			   .stack = b->stack,
			   .labels = b->labels,
			   .value = b->bytes,
			   .weight = b->objects};

	window_add(live, &r);
}

static void add_live_block(void *arg, const struct heap_block *b)
{
	add_live_as(arg, RECORD_ALLOC, b);
}

static void add_live_map(void *arg, const struct heap_block *b)
{
	add_live_as(arg, RECORD_MMAP, b);
}

/* Add the live heap, aggregated by a window, so that equal stacks are one sample. */
static int add_live_heap(struct batch_build *k, const struct column_row *column)
{
	struct column_row as_entries = *column;
	struct window live;
	int rc = window_init(&live, column->kind, k->w->max_samples, k->w->arena.budget);

	as_entries.source = column->source == FROM_LIVE_BYTES ? FROM_VALUE : FROM_FRACTION;
	if (!rc) {
		if (column->kind == VARVE_HEAP)
			heap_each_live(add_live_block, &live);
		else
			heap_maps_each(add_live_map, &live);
		rc = add_window_samples(k, &as_entries, &live);
	}
	window_fini(&live);
	return rc;
}

static int64_t profile_period(const struct profile_maker *m, enum varve_profile kind)
{
	switch (kind) {
	case VARVE_CPU:
		return (int64_t)m->cpu_period_ns;
	case VARVE_WALL:
		return (int64_t)m->wall_period_ns;
	case VARVE_HEAP:
		return (int64_t)m->heap_interval;
	default:
		return 1;
	}
}

static int begin_column(struct batch_build *k, const struct column_row *column,
			uint64_t duration_ns)
{
	struct profile row = {.time_unix_nano = k->w->start_unix_ns,
			      .duration_nano = duration_ns,
			      .period = profile_period(k->m, column->kind)};
	uint32_t name;
	struct profile_builder *b = &k->builder;
	int rc = profile_add_string(b, str_from(column->type), &row.sample_type.type);

	rc = rc ? rc : profile_add_string(b, str_from(column->unit), &row.sample_type.unit);
	rc = rc ? rc : profile_add_string(b, str_from(column->period_type), &row.period_type.type);
	rc = rc ? rc : profile_add_string(b, str_from(column->period_unit), &row.period_type.unit);
	if (!rc && column->name)
		rc = profile_add_attribute(b, STR("__name__"), VALUE_OF_STR(str_from(column->name)),
					   (struct str){0}, &name);
	return rc ? rc : profile_add_profile(b, &row, &name, column->name != NULL);
}

static int begin_batch(struct batch_build *k, enum varve_profile kind)
{
	struct keyvalue shown = {STR("pprof.scope.default_sample_type"),
				 VALUE_OF_STR(STR("inuse_space"))};
	int rc = profile_builder_init(&k->builder, k->out);

	rc = rc ? rc : map_init(&k->locations, &k->out->arena, 1024);
	rc = rc ? rc : map_init(&k->mappings, &k->out->arena, 64);
	rc = rc ? rc : map_init(&k->stacks, &k->out->arena, 1024);
	rc = rc ? rc : profile_add_resource(&k->builder, k->m->resource, k->m->resource_count);
	return rc ? rc
		  : profile_add_scope(&k->builder, STR("varve"), STR(""), &shown,
				      kind == VARVE_HEAP);
}

int profile_make(const struct profile_maker *m, const struct window *w, enum varve_profile kind,
		 uint64_t now_ns, struct profile_batch *out)
{
	struct batch_build k = {.m = m, .w = w, .out = out};
	int rc;

	k.unix_offset_ns = w->start_unix_ns - w->start_ns;
	rc = begin_batch(&k, kind);
	for (size_t i = 0; !rc && i < countof(columns); i++) {
		if (columns[i].kind != kind)
			continue;
		rc = begin_column(&k, &columns[i], now_ns - w->start_ns);
		if (rc)
			break;
		if (columns[i].source == FROM_LIVE_OBJECTS || columns[i].source == FROM_LIVE_BYTES)
			rc = add_live_heap(&k, &columns[i]);
		else
			rc = add_window_samples(&k, &columns[i], w);
	}
	return rc;
}

size_t profile_name_address(const struct profile_maker *m, uint64_t address, char *out, size_t size)
{
	struct symbol_frame frames[SYMBOL_INLINE_MAX];
	char unknown[256];
	uint32_t n =
		symbolize_address(m, modules_find(m->modules, address), address, unknown, frames);
	struct str name = str_head(frames[n - 1].name, size - 1);

	memcpy(out, name.p, name.n);
	out[name.n] = 0;
	return name.n;
}
