/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the events of a chunk by compiled layouts (layout.h). An event refers to constants by id;
 * the combination of its ids is looked up in a small cache of identities, because most events
 * repeat a cached combination. Samples pass a short queue between decoding and lookup, so that the
 * memory they need is prefetched while others are decoded.
 */
#include "format/jfr/events.h"

#include <errno.h>

#define DEFAULT_INTERVAL 10000000 /* nanoseconds: async-profiler's default */
#define DEFAULT_WALL (5 * DEFAULT_INTERVAL)

enum event_kind {
	EVENT_EXECUTION, /* a sample of a running thread, or of any thread by the wall clock */
	EVENT_WALL,
	EVENT_AMOUNT,	/* counts one; its amount is the field `size` */
	EVENT_LOCK,	/* counts one; its amount is its duration */
	EVENT_CPU_TIME, /* the field `size` is the CPU time that it stands for */
	EVENT_SETTING,
	EVENT_JVM,
};

static const struct event_row {
	struct str name;
	enum event_kind kind;
	enum jfr_group group;
	struct str size;
} event_table[] = {
	{STR_INIT("jdk.ExecutionSample"), EVENT_EXECUTION, JFR_CPU, {0}},
	{STR_INIT("jdk.NativeMethodSample"), EVENT_AMOUNT, JFR_NATIVE, {0}},
	{STR_INIT("jdk.CPUTimeSample"), EVENT_CPU_TIME, JFR_CPU_TIME, STR_INIT("samplingPeriod")},
	{STR_INIT("profiler.WallClockSample"), EVENT_WALL, JFR_WALL, {0}},
	{STR_INIT("jdk.ObjectAllocationInNewTLAB"), EVENT_AMOUNT, JFR_IN_TLAB,
	 STR_INIT("tlabSize")},
	{STR_INIT("jdk.ObjectAllocationOutsideTLAB"), EVENT_AMOUNT, JFR_OUTSIDE_TLAB,
	 STR_INIT("allocationSize")},
	{STR_INIT("jdk.ObjectAllocationSample"), EVENT_AMOUNT, JFR_ALLOC_SAMPLE,
	 STR_INIT("weight")},
	{STR_INIT("profiler.LiveObject"), EVENT_AMOUNT, JFR_LIVE, STR_INIT("allocationSize")},
	{STR_INIT("jdk.OldObjectSample"), EVENT_AMOUNT, JFR_LIVE, STR_INIT("objectSize")},
	{STR_INIT("jdk.JavaMonitorEnter"), EVENT_LOCK, JFR_MUTEX, {0}},
	{STR_INIT("jdk.ThreadPark"), EVENT_LOCK, JFR_BLOCK, {0}},
	{STR_INIT("profiler.Malloc"), EVENT_AMOUNT, JFR_MALLOC, STR_INIT("size")},
	{STR_INIT("jdk.ActiveSetting"), EVENT_SETTING, 0, {0}},
	{STR_INIT("jdk.JVMInformation"), EVENT_JVM, 0, {0}},
};

/* Fields with the same meaning in all events; `size` of the table above comes before them. */
static const struct jfr_wanted_field wanted_sample_fields[] = {
	{STR_INIT("startTime"), JFR_TIME},     {STR_INIT("duration"), JFR_DURATION},
	{STR_INIT("eventThread"), JFR_THREAD}, {STR_INIT("sampledThread"), JFR_THREAD},
	{STR_INIT("stackTrace"), JFR_STACK},   {STR_INIT("state"), JFR_STATE},
	{STR_INIT("objectClass"), JFR_CLASS},  {STR_INIT("monitorClass"), JFR_CLASS},
	{STR_INIT("parkedClass"), JFR_CLASS},  {STR_INIT("samples"), JFR_SAMPLES},
	{STR_INIT("contextId"), JFR_CONTEXT},  {STR_INIT("spanId"), JFR_SPAN},
	{STR_INIT("spanName"), JFR_SPAN_NAME}, {{0}, 0},
};
static const struct jfr_wanted_field wanted_setting_fields[] = {{STR_INIT("id"), JFR_ID},
								{STR_INIT("name"), JFR_NAME},
								{STR_INIT("value"), JFR_VALUE},
								{{0}, 0}};
static const struct jfr_wanted_field wanted_jvm_fields[] = {{STR_INIT("jvmName"), JFR_NAME},
							    {STR_INIT("jvmVersion"), JFR_VALUE},
							    {STR_INIT("pid"), JFR_ID},
							    {{0}, 0}};

enum {
	DIRECT_TYPES = 4096,	       /* type ids below this one are looked up in an array */
	EVENT_INTEGERS = 24,	       /* maximum number of fields of an event on the fast path */
	IDENTITY_CACHE_SIZE = 1 << 10, /* entries of the identity cache; a power of two */
	SAMPLE_SLOTS = JFR_SPAN_NAME + 1,
	QUEUE_SIZE = 16, /* samples that are decoded but not added yet */
};

/* An event of the table as this chunk defines it. */
struct event_type {
	const struct event_row *row;
	uint64_t id;
	struct jfr_layout layout;
	uint8_t slots[EVENT_INTEGERS]; /* slots of its fields if all of them are integers */
	unsigned integers;
	double nanos;  /* nanoseconds in one unit of its timespan */
	bool excluded; /* all groups that it adds to are excluded */
	struct jfr_record record;
};

/* An entry of the identity cache: the ids of an event in this chunk, and what they resolve to. */
struct cached_identity {
	const struct event_type *type; /* NULL: free */
	uint64_t stack, thread, state, class, context;
	struct jfr_identity identity;
	bool sleeping, runnable;
	enum jfr_group group;
	uint32_t ids[2]; /* + 1: in the event's group, and in the other one of CPU and wall */
};

/* A decoded sample whose memory is being prefetched. */
struct queued_sample {
	const struct event_type *type;
	uint64_t number[SAMPLE_SLOTS];
};

struct event_reader {
	struct jfr_samples *samples;
	struct jfr_settings *settings;
	struct jfr_resolver *resolver;
	const struct jfr_chunk *chunk;
	struct event_type types[countof(event_table)];
	uint32_t type_count;
	/* Index in `types` + 1 by type id; 0: not a known type. */
	uint8_t type_by_id[DIRECT_TYPES];
	struct cached_identity *identity_cache;
	struct queued_sample queue[QUEUE_SIZE];
	uint32_t queued;
	bool wall_clock; /* async-profiler samples by the wall clock */
};

/* Return the nanoseconds in one unit of a timespan field, as its annotation declares it. */
static double timespan_unit(const struct event_reader *r, const struct jfr_class *class,
			    struct str name)
{
	static const struct {
		struct str name;
		double nanos;
	} units[] = {{STR_INIT("NANOSECONDS"), 1},
		     {STR_INIT("MICROSECONDS"), 1e3},
		     {STR_INIT("MILLISECONDS"), 1e6},
		     {STR_INIT("SECONDS"), 1e9}};
	const struct jfr_metadata *m = r->resolver->pools->metadata;

	for (uint32_t i = 0; i < class->field_count; i++) {
		const struct jfr_field *field = &m->fields.at[class->first_field + i];

		for (size_t k = 0; str_eq(field->name, name) && k < countof(units); k++)
			if (str_eq(field->unit, units[k].name))
				return units[k].nanos;
	}
	return r->chunk->nanos_per_tick;
}

/* Return whether an event adds to excluded groups only. A CPU or wall sample may add to both. */
static bool is_excluded(const struct jfr_samples *s, const struct event_row *row)
{
	bool clock = row->kind == EVENT_EXECUTION || row->kind == EVENT_WALL;

	if (row->kind == EVENT_SETTING || row->kind == EVENT_JVM)
		return false;
	return s->group[row->group].excluded &&
	       (!clock || (s->group[JFR_CPU].excluded && s->group[JFR_WALL].excluded));
}

static int compile_event(struct event_reader *r, const struct event_row *row,
			 const struct jfr_class *class, struct err *e)
{
	struct jfr_wanted_field wanted[countof(wanted_sample_fields) + 1];
	struct event_type *type = &r->types[r->type_count];
	const struct jfr_wanted_field *list = row->kind == EVENT_SETTING ? wanted_setting_fields
					      : row->kind == EVENT_JVM	 ? wanted_jvm_fields
									 : wanted;
	bool sized = row->size.n;

	wanted[0] = (struct jfr_wanted_field){row->size, JFR_SIZE};
	memcpy(wanted + sized, wanted_sample_fields, sizeof(wanted_sample_fields));
	*type = (struct event_type){.row = row, .id = class->id};
	type->excluded = is_excluded(r->samples, row);
	type->nanos = timespan_unit(r, class, sized ? row->size : STR("duration"));
	r->type_count++;
	if (class->id < DIRECT_TYPES)
		r->type_by_id[class->id] = (uint8_t)r->type_count;

	int rc = jfr_layout_compile(&type->layout, r->resolver->pools->arena,
				    r->resolver->pools->metadata, class, list, r->chunk->compressed,
				    e);

	if (!rc)
		type->integers =
			jfr_layout_integer_slots(&type->layout, type->slots, EVENT_INTEGERS);
	return rc;
}

static int compile_events(struct event_reader *r, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < countof(event_table) && !rc; i++) {
		const struct jfr_class *class =
			jfr_class_by_name(r->resolver->pools->metadata, event_table[i].name);

		if (class)
			rc = compile_event(r, &event_table[i], class, e);
	}
	return rc;
}

static struct event_type *wanted_type(struct event_reader *r, uint64_t id)
{
	if (likely(id < DIRECT_TYPES))
		return r->type_by_id[id] ? &r->types[r->type_by_id[id] - 1] : NULL;
	for (uint32_t i = 0; i < r->type_count; i++)
		if (r->types[i].id == id)
			return &r->types[i];
	return NULL;
}

static int64_t to_nanoseconds(double nanos, uint64_t value)
{
	double product = (double)(int64_t)value * nanos;

	return product > -9e18 && product < 9e18 ? (int64_t)product : 0;
}

/* Parse "10 ms" and the like into nanoseconds; return 0 for anything else ("everyChunk"). */
static int64_t parse_period(struct str text)
{
	static const struct {
		struct str unit;
		int64_t nanos;
	} units[] = {{STR_INIT("ns"), 1},	   {STR_INIT("us"), 1000},
		     {STR_INIT("ms"), 1000000},	   {STR_INIT("s"), 1000000000},
		     {STR_INIT("m"), 60000000000}, {STR_INIT("h"), 3600000000000}};
	size_t digits = 0;
	int64_t number, nanos;

	while (digits < text.n && text.p[digits] >= '0' && text.p[digits] <= '9')
		digits++;
	if (str_to_i64(str_head(text, digits), &number))
		return 0;

	struct str unit = str_trim(str_from_at(text, digits));

	for (size_t i = 0; i < countof(units); i++)
		if (str_eq(unit, units[i].unit))
			return __builtin_mul_overflow(number, units[i].nanos, &nanos) ? 0 : nanos;
	return 0;
}

static int read_active_setting(struct event_reader *r, const struct jfr_record *record)
{
	struct jfr_settings *s = r->settings;
	struct jfr_constant_pools *pools = r->resolver->pools;
	struct str name, value;
	int64_t number = 0;
	int rc = jfr_record_text(pools, record, JFR_NAME, &name);

	if (!rc)
		rc = jfr_record_text(pools, record, JFR_VALUE, &value);
	if (rc)
		return rc;

	bool is_number = str_to_i64(value, &number) == 0 && number >= 0;

	if (str_eq(name, STR("event"))) {
		r->wall_clock = str_eq(value, STR("wall"));
		return arena_copy_str(r->samples->arena, value, &s->event);
	}
	if (str_eq(name, STR("version")))
		return arena_copy_str(r->samples->arena, value, &s->version);
	if (str_eq(name, STR("interval")) && is_number)
		s->interval = number;
	if (str_eq(name, STR("wall")) && is_number)
		s->wall = number;
	if (str_eq(name, STR("alloc")) && is_number)
		s->alloc = number;
	if (str_eq(name, STR("period"))) {
		const struct event_type *type = wanted_type(r, record->number[JFR_ID]);

		if (type && type->row->kind == EVENT_EXECUTION)
			s->execution = parse_period(value);
		else if (type && type->row->group == JFR_NATIVE)
			s->native = parse_period(value);
	}
	return 0;
}

static int read_jvm(struct event_reader *r, const struct jfr_record *record)
{
	struct jfr_settings *s = r->settings;
	struct jfr_constant_pools *pools = r->resolver->pools;
	struct str name, version;
	int rc = jfr_record_text(pools, record, JFR_NAME, &name);

	if (!rc)
		rc = jfr_record_text(pools, record, JFR_VALUE, &version);
	if (!rc)
		rc = arena_copy_str(r->samples->arena, name, &s->jvm_name);
	if (!rc)
		rc = arena_copy_str(r->samples->arena, version, &s->jvm_version);
	s->pid = (int64_t)record->number[JFR_ID];
	return rc;
}

struct str jfr_counted_event(const struct jfr_settings *s)
{
	static const struct str clocks[] = {STR_INIT("cpu"),	   STR_INIT("itimer"),
					    STR_INIT("ctimer"),	   STR_INIT("wall"),
					    STR_INIT("cpu-clock"), STR_INIT("task-clock"),
					    STR_INIT("alloc"),	   STR_INIT("lock")};

	for (size_t i = 0; i < countof(clocks); i++)
		if (str_eq(s->event, clocks[i]))
			return (struct str){0};
	return s->event;
}

/* Convert numbers of samples into nanoseconds. */
static void scale_samples(const struct event_reader *r)
{
	const struct jfr_settings *s = r->settings;
	bool wall_clock = r->wall_clock;
	int64_t clock = wall_clock ? DEFAULT_WALL : DEFAULT_INTERVAL;
	int64_t interval = s->interval ? s->interval : clock;
	int64_t wall = s->wall > 0		     ? s->wall
		       : s->wall == 0 || !wall_clock ? DEFAULT_WALL
						     : interval;

	if (jfr_counted_event(s).n && !s->interval)
		interval = 1;
	jfr_samples_scale(r->samples, JFR_CPU, s->execution ? s->execution : interval);
	jfr_samples_scale(r->samples, JFR_WALL, wall);
	jfr_samples_scale(r->samples, JFR_NATIVE, s->native ? s->native : 2 * DEFAULT_INTERVAL);
	r->samples->group[JFR_IN_TLAB].period = s->alloc;
	r->samples->group[JFR_OUTSIDE_TLAB].period = s->alloc;
}

static int resolve_identity(struct event_reader *r, const uint64_t *number,
			    struct cached_identity *cached)
{
	struct jfr_correlation correlation = {number[JFR_CONTEXT], number[JFR_SPAN],
					      number[JFR_SPAN_NAME]};
	struct jfr_identity *identity = &cached->identity;
	struct jfr_thread thread;
	struct jfr_state state;
	int rc = jfr_resolve_thread(r->resolver, number[JFR_THREAD], &thread);

	if (!rc)
		rc = jfr_resolve_state(r->resolver, number[JFR_STATE], &state);
	if (!rc && number[JFR_CLASS])
		rc = jfr_resolve_class(r->resolver, number[JFR_CLASS], &identity->class);
	if (!rc && (correlation.context || correlation.span || correlation.span_name))
		rc = jfr_samples_add_correlation(r->samples, &correlation, &identity->correlation);
	if (rc)
		return rc;
	identity->stack = jfr_stack_of(r->resolver, number[JFR_STACK]);
	identity->thread_name = thread.name;
	identity->thread_id = thread.id;
	identity->state = state.attribute;
	cached->sleeping = state.sleeping;
	cached->runnable = state.runnable;
	return 0;
}

/* Return the cache entry for the ids of an event. */
static struct cached_identity *cached_identity_of(const struct event_reader *r,
						  const uint64_t *number)
{
	uint64_t mix =
		number[JFR_STACK] * 0x9e3779b97f4a7c15u + number[JFR_THREAD] * 0xbf58476d1ce4e5b9u +
		number[JFR_CLASS] * 0x94d049bb133111ebu + number[JFR_CONTEXT] + number[JFR_STATE];

	return &r->identity_cache[(mix ^ mix >> 29) >> 20 & (IDENTITY_CACHE_SIZE - 1)];
}

/* Find the identity of an event in the cache or resolve it. Spans are too many to be cached. */
static int find_identity(struct event_reader *r, const struct event_type *type,
			 const uint64_t *number, struct cached_identity **found)
{
	struct cached_identity *cached = cached_identity_of(r, number);
	bool spans = number[JFR_SPAN] || number[JFR_SPAN_NAME];

	*found = cached;
	if (likely(cached->type == type && cached->stack == number[JFR_STACK] &&
		   cached->thread == number[JFR_THREAD] && cached->state == number[JFR_STATE] &&
		   cached->class == number[JFR_CLASS] && cached->context == number[JFR_CONTEXT] &&
		   !spans))
		return 0;
	*cached = (struct cached_identity){
		.type = spans ? NULL : type,
		.stack = number[JFR_STACK],
		.thread = number[JFR_THREAD],
		.state = number[JFR_STATE],
		.class = number[JFR_CLASS],
		.context = number[JFR_CONTEXT],
		.group = type->row->group,
	};

	int rc = resolve_identity(r, number, cached);

	if (rc)
		cached->type = NULL;
	return rc;
}

static int observe_identity(struct event_reader *r, struct cached_identity *cached,
			    enum jfr_group group, uint64_t time, int64_t value)
{
	uint32_t *id = &cached->ids[group != cached->group];

	r->samples->group[group].seen = true;
	if (r->samples->group[group].excluded)
		return 0;
	if (unlikely(!*id)) {
		int rc = jfr_samples_add_identity(r->samples, group, &cached->identity, id);

		if (rc)
			return rc;
		++*id;
	}
	return jfr_samples_add(r->samples, group, *id - 1,
			       (struct jfr_observation){.time = time, .value = value});
}

/*
 * Add a sample by Pyroscope's rules, so that sums agree: a wall clock sample also counts as CPU
 * unless it sleeps (async-profiler 2) or if it is runnable (3 and later).
 */
static int add_event_sample(struct event_reader *r, const struct event_type *type,
			    const uint64_t *number)
{
	enum jfr_group group = type->row->group;
	uint64_t time = jfr_time(r->chunk, number[JFR_TIME]);
	int64_t samples = (int32_t)number[JFR_SAMPLES];
	struct cached_identity *identity;
	int rc = find_identity(r, type, number, &identity);

	if (rc)
		return rc;
	switch (type->row->kind) {
	case EVENT_EXECUTION:
		if (!identity->sleeping)
			rc = observe_identity(r, identity, JFR_CPU, time, 1);
		if (!rc && r->wall_clock)
			rc = observe_identity(r, identity, JFR_WALL, time, 1);
		return rc;
	case EVENT_WALL:
		if (identity->runnable && r->wall_clock)
			rc = observe_identity(r, identity, JFR_CPU, time, samples);
		return rc ? rc : observe_identity(r, identity, JFR_WALL, time, samples);
	case EVENT_LOCK:
		return observe_identity(r, identity, group, time,
					to_nanoseconds(type->nanos, number[JFR_DURATION]));
	case EVENT_CPU_TIME:
		return observe_identity(r, identity, group, time,
					to_nanoseconds(type->nanos, number[JFR_SIZE]));
	case EVENT_AMOUNT:
		return observe_identity(r, identity, group, time,
					type->row->size.n ? (int64_t)number[JFR_SIZE] : 1);
	default:
		return 0;
	}
}

static int add_queued_samples(struct event_reader *r)
{
	int rc = 0;

	for (uint32_t i = 0; i < r->queued && !rc; i++)
		rc = add_event_sample(r, r->queue[i].type, r->queue[i].number);
	r->queued = 0;
	return rc;
}

/* Queue a sample or apply a setting. Samples before a setting are added before it is applied. */
static int read_event(struct event_reader *r, const struct event_type *type)
{
	enum event_kind kind = type->row->kind;
	bool setting = kind == EVENT_SETTING || kind == EVENT_JVM;
	int rc = setting || r->queued == QUEUE_SIZE ? add_queued_samples(r) : 0;

	if (rc)
		return rc;
	if (unlikely(setting))
		return kind == EVENT_JVM ? read_jvm(r, &type->record)
					 : read_active_setting(r, &type->record);

	struct queued_sample *w = &r->queue[r->queued++];

	w->type = type;
	memcpy(w->number, type->record.number, sizeof(w->number));
	jfr_prefetch_stack(r->resolver, w->number[JFR_STACK]);
	__builtin_prefetch(cached_identity_of(r, w->number));
	return 0;
}

/*
 * Read the fields of one event. The cursor may run into the next event, so that integers are read
 * eight bytes at a time up to the last one; the length of the event is checked afterwards.
 */
static bool read_fields(struct event_type *type, const struct jfr_event *event, const uint8_t *end)
{
	struct jfr_cursor c = jfr_cursor_of(event->body.at, end, event->body.compressed);

	if (likely(type->integers))
		for (unsigned i = 0; i < type->integers; i++)
			type->record.number[type->slots[i]] = jfr_varint(&c);
	else
		jfr_layout_read(&type->layout, &c, &type->record);
	return !c.expected && c.at <= event->body.end;
}

/* Mark the stacks of events that are not excluded. read_events() reports errors. */
static void mark_stacks(struct event_reader *r)
{
	const struct jfr_chunk *chunk = r->chunk;
	struct jfr_cursor c =
		jfr_cursor_of(chunk->start + JFR_HEADER, chunk->end, chunk->compressed);
	struct jfr_event event;

	while (jfr_next_event(&c, &event)) {
		struct event_type *type = wanted_type(r, event.type);

		if (type && !type->excluded && read_fields(type, &event, chunk->end))
			jfr_mark_stack(r->resolver, type->record.number[JFR_STACK]);
	}
}

static int read_events(struct event_reader *r, struct err *e)
{
	const struct jfr_chunk *chunk = r->chunk;
	struct jfr_cursor c =
		jfr_cursor_of(chunk->start + JFR_HEADER, chunk->end, chunk->compressed);
	struct jfr_event event;
	int rc = 0;

	while (!rc && jfr_next_event(&c, &event)) {
		struct event_type *type = wanted_type(r, event.type);

		if (!type)
			continue;
		if (type->excluded) {
			r->samples->group[type->row->group].seen = true;
			continue;
		}
		if (unlikely(!read_fields(type, &event, chunk->end))) {
			jfr_fail_at(&c, event.at, "an event that holds all of its fields");
			break;
		}
		rc = read_event(r, type);
	}
	if (!rc)
		rc = add_queued_samples(r);
	if (!rc && !c.expected && c.at < c.end)
		jfr_fail_at(&c, c.at, "an event or the end of the chunk");
	return rc || !c.expected ? rc : jfr_chunk_error(chunk, &c, e);
}

int jfr_events_read(struct jfr_samples *samples, struct jfr_settings *settings,
		    struct jfr_resolver *resolver, struct err *e)
{
	struct arena *arena = resolver->pools->arena;
	struct event_reader r = {.samples = samples,
				 .settings = settings,
				 .resolver = resolver,
				 .chunk = resolver->pools->chunk,
				 .identity_cache = arena_zalloc(arena, IDENTITY_CACHE_SIZE,
								sizeof(*r.identity_cache)),
				 .wall_clock = str_eq(settings->event, STR("wall"))};
	bool some = samples->some_excluded;
	int rc = r.identity_cache ? compile_events(&r, e) : -ENOMEM;

	if (!rc && some)
		mark_stacks(&r);
	if (!rc)
		rc = jfr_resolve_stacks(resolver, some);
	if (!rc)
		rc = read_events(&r, e);
	scale_samples(&r);
	return rc;
}
