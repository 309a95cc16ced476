/* SPDX-License-Identifier: Apache-2.0 */
#include "format/jfr/events.h"

#include <errno.h>

#define DEFAULT_INTERVAL 10000000 /* nanoseconds: async-profiler's own */
#define DEFAULT_WALL (5 * DEFAULT_INTERVAL)

enum event_kind {
	EVENT_EXECUTION, /* on a processor, or wherever it was when sampled by the wall clock */
	EVENT_WALL,
	EVENT_AMOUNT,	/* counts one; the field `size` says how much */
	EVENT_LOCK,	/* counts one; its duration says how long */
	EVENT_CPU_TIME, /* the field `size` says for how long it stands */
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

/* Fields that mean the same wherever they are; `size` of the table above comes first. */
static const struct jfr_want sample_wants[] = {
	{STR_INIT("startTime"), JFR_TIME},     {STR_INIT("duration"), JFR_DURATION},
	{STR_INIT("eventThread"), JFR_THREAD}, {STR_INIT("sampledThread"), JFR_THREAD},
	{STR_INIT("stackTrace"), JFR_STACK},   {STR_INIT("state"), JFR_STATE},
	{STR_INIT("objectClass"), JFR_CLASS},  {STR_INIT("monitorClass"), JFR_CLASS},
	{STR_INIT("parkedClass"), JFR_CLASS},  {STR_INIT("samples"), JFR_SAMPLES},
	{STR_INIT("contextId"), JFR_CONTEXT},  {STR_INIT("spanId"), JFR_SPAN},
	{STR_INIT("spanName"), JFR_SPAN_NAME}, {{0}, 0},
};
static const struct jfr_want setting_wants[] = {{STR_INIT("id"), JFR_ID},
						{STR_INIT("name"), JFR_NAME},
						{STR_INIT("value"), JFR_VALUE},
						{{0}, 0}};
static const struct jfr_want jvm_wants[] = {{STR_INIT("jvmName"), JFR_NAME},
					    {STR_INIT("jvmVersion"), JFR_VALUE},
					    {STR_INIT("pid"), JFR_ID},
					    {{0}, 0}};

enum {
	NEAR_TYPES = 4096,   /* type ids up to here are found by one look */
	EVENT_INTEGERS = 24, /* of an event that is read the fast way */
	RECENT = 1 << 10,    /* identities that are found by one look */
	SAMPLE_SLOTS = JFR_SPAN_NAME + 1,
	WAITING = 16, /* samples between being read and being added */
};

/* An event of the table as this chunk lays it out. */
struct event_type {
	const struct event_row *row;
	uint64_t id;
	struct jfr_layout layout;
	uint8_t slots[EVENT_INTEGERS]; /* the same, when it is integers only */
	unsigned integers;
	double nanos;  /* in one unit of its timespan */
	bool left_out; /* whatever it would add to */
	struct jfr_record record;
};

/* Who an event was of, by the ids of the chunk: most events are of somebody met before. */
struct recent {
	const struct event_type *type; /* NULL: free */
	uint64_t stack, thread, state, class, context;
	struct jfr_identity who;
	bool sleeping, runnable;
	enum jfr_group group;
	uint32_t ids[2]; /* + 1: in the event's group, and in the other one of cpu and wall */
};

/* A sample that was read. What it needs is on its way into the cache, while others are read. */
struct waiting {
	const struct event_type *type;
	uint64_t number[SAMPLE_SLOTS];
};

struct reader {
	struct jfr_samples *samples;
	struct jfr_settings *settings;
	struct jfr_resolver *resolver;
	const struct jfr_chunk *chunk;
	struct event_type types[countof(event_table)];
	uint32_t type_count;
	uint8_t near[NEAR_TYPES]; /* index in types + 1; 0: not wanted */
	struct recent *recent;	  /* RECENT of them */
	struct waiting waiting[WAITING];
	uint32_t waiting_count;
	bool by_wall; /* async-profiler samples by the wall clock */
};

/* Nanoseconds in the unit that the class says its timespan is in. */
static double timespan_unit(const struct reader *r, const struct jfr_class *class, struct str name)
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

/* A sample of cpu or wall may be one of the other, too. */
static bool is_left_out(const struct jfr_samples *s, const struct event_row *row)
{
	bool clock = row->kind == EVENT_EXECUTION || row->kind == EVENT_WALL;

	if (row->kind == EVENT_SETTING || row->kind == EVENT_JVM)
		return false;
	return s->group[row->group].left_out &&
	       (!clock || (s->group[JFR_CPU].left_out && s->group[JFR_WALL].left_out));
}

static int compile_event(struct reader *r, const struct event_row *row,
			 const struct jfr_class *class, struct err *e)
{
	struct jfr_want wants[countof(sample_wants) + 1];
	struct event_type *type = &r->types[r->type_count];
	const struct jfr_want *list = row->kind == EVENT_SETTING ? setting_wants
				      : row->kind == EVENT_JVM	 ? jvm_wants
								 : wants;
	bool sized = row->size.n;

	wants[0] = (struct jfr_want){row->size, JFR_SIZE};
	memcpy(wants + sized, sample_wants, sizeof(sample_wants));
	*type = (struct event_type){.row = row, .id = class->id};
	type->left_out = is_left_out(r->samples, row);
	type->nanos = timespan_unit(r, class, sized ? row->size : STR("duration"));
	r->type_count++;
	if (class->id < NEAR_TYPES)
		r->near[class->id] = (uint8_t)r->type_count;

	int rc = jfr_layout_compile(&type->layout, r->resolver->pools->arena,
				    r->resolver->pools->metadata, class, list, r->chunk->compressed,
				    e);

	if (!rc)
		type->integers = jfr_layout_integers(&type->layout, type->slots, EVENT_INTEGERS);
	return rc;
}

static int compile_events(struct reader *r, struct err *e)
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

static struct event_type *wanted_type(struct reader *r, uint64_t id)
{
	if (likely(id < NEAR_TYPES))
		return r->near[id] ? &r->types[r->near[id] - 1] : NULL;
	for (uint32_t i = 0; i < r->type_count; i++)
		if (r->types[i].id == id)
			return &r->types[i];
	return NULL;
}

static int64_t scaled(double nanos, uint64_t value)
{
	double product = (double)(int64_t)value * nanos;

	return product > -9e18 && product < 9e18 ? (int64_t)product : 0;
}

/* settings */

/* "10 ms" and the like: nanoseconds, or 0 for anything else ("everyChunk"). */
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

static int read_setting(struct reader *r, const struct jfr_record *record)
{
	struct jfr_settings *s = r->settings;
	struct jfr_pools *pools = r->resolver->pools;
	struct str name, value;
	int64_t number = 0;
	int rc = jfr_record_text(pools, record, JFR_NAME, &name);

	if (!rc)
		rc = jfr_record_text(pools, record, JFR_VALUE, &value);
	if (rc)
		return rc;

	bool is_number = str_to_i64(value, &number) == 0 && number >= 0;

	if (str_eq(name, STR("event"))) {
		r->by_wall = str_eq(value, STR("wall"));
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

static int read_jvm(struct reader *r, const struct jfr_record *record)
{
	struct jfr_settings *s = r->settings;
	struct jfr_pools *pools = r->resolver->pools;
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

/* What one sample of each clock stands for. */
static void scale_samples(const struct reader *r)
{
	const struct jfr_settings *s = r->settings;
	bool by_wall = r->by_wall;
	int64_t clock = by_wall ? DEFAULT_WALL : DEFAULT_INTERVAL;
	int64_t interval = s->interval ? s->interval : clock;
	int64_t wall = s->wall > 0 ? s->wall : s->wall == 0 || !by_wall ? DEFAULT_WALL : interval;

	if (jfr_counted_event(s).n && !s->interval)
		interval = 1;
	jfr_samples_scale(r->samples, JFR_CPU, s->execution ? s->execution : interval);
	jfr_samples_scale(r->samples, JFR_WALL, wall);
	jfr_samples_scale(r->samples, JFR_NATIVE, s->native ? s->native : 2 * DEFAULT_INTERVAL);
	r->samples->group[JFR_IN_TLAB].period = s->alloc;
	r->samples->group[JFR_OUTSIDE_TLAB].period = s->alloc;
}

/* samples */

static int resolve(struct reader *r, const uint64_t *number, struct recent *recent)
{
	struct jfr_correlation correlation = {number[JFR_CONTEXT], number[JFR_SPAN],
					      number[JFR_SPAN_NAME]};
	struct jfr_identity *who = &recent->who;
	struct jfr_thread thread;
	struct jfr_state state;
	int rc = jfr_resolve_thread(r->resolver, number[JFR_THREAD], &thread);

	if (!rc)
		rc = jfr_resolve_state(r->resolver, number[JFR_STATE], &state);
	if (!rc && number[JFR_CLASS])
		rc = jfr_resolve_class(r->resolver, number[JFR_CLASS], &who->class);
	if (!rc && (correlation.context || correlation.span || correlation.span_name))
		rc = jfr_samples_correlate(r->samples, &correlation, &who->correlation);
	if (rc)
		return rc;
	who->stack = jfr_stack_of(r->resolver, number[JFR_STACK]);
	who->thread_name = thread.name;
	who->thread_id = thread.id;
	who->state = state.attribute;
	recent->sleeping = state.sleeping;
	recent->runnable = state.runnable;
	return 0;
}

/* Where the one who this event is of is kept, or would be. */
static struct recent *recent_of(const struct reader *r, const uint64_t *number)
{
	uint64_t mix =
		number[JFR_STACK] * 0x9e3779b97f4a7c15u + number[JFR_THREAD] * 0xbf58476d1ce4e5b9u +
		number[JFR_CLASS] * 0x94d049bb133111ebu + number[JFR_CONTEXT] + number[JFR_STATE];

	return &r->recent[(mix ^ mix >> 29) >> 20 & (RECENT - 1)];
}

/* Who it is of: known, or resolved now. Spans are too many to be kept. */
static int identify(struct reader *r, const struct event_type *type, const uint64_t *number,
		    struct recent **found)
{
	struct recent *recent = recent_of(r, number);
	bool spans = number[JFR_SPAN] || number[JFR_SPAN_NAME];

	*found = recent;
	if (likely(recent->type == type && recent->stack == number[JFR_STACK] &&
		   recent->thread == number[JFR_THREAD] && recent->state == number[JFR_STATE] &&
		   recent->class == number[JFR_CLASS] && recent->context == number[JFR_CONTEXT] &&
		   !spans))
		return 0;
	*recent = (struct recent){
		.type = spans ? NULL : type,
		.stack = number[JFR_STACK],
		.thread = number[JFR_THREAD],
		.state = number[JFR_STATE],
		.class = number[JFR_CLASS],
		.context = number[JFR_CONTEXT],
		.group = type->row->group,
	};

	int rc = resolve(r, number, recent);

	if (rc)
		recent->type = NULL;
	return rc;
}

static int add(struct reader *r, struct recent *recent, enum jfr_group group, uint64_t time,
	       int64_t value)
{
	uint32_t *id = &recent->ids[group != recent->group];

	r->samples->group[group].seen = true;
	if (r->samples->group[group].left_out)
		return 0;
	if (unlikely(!*id)) {
		int rc = jfr_samples_identify(r->samples, group, &recent->who, id);

		if (rc)
			return rc;
		++*id;
	}
	return jfr_samples_add(r->samples, group, *id - 1,
			       (struct jfr_observation){.time = time, .value = value});
}

/*
 * Pyroscope's rules, so that sums agree: a sample of the wall clock is on the processor unless it
 * sleeps (async-profiler 2) or when it is runnable (3 and later).
 */
static int add_sample(struct reader *r, const struct event_type *type, const uint64_t *number)
{
	enum jfr_group group = type->row->group;
	uint64_t time = jfr_time(r->chunk, number[JFR_TIME]);
	int64_t samples = (int32_t)number[JFR_SAMPLES];
	struct recent *who;
	int rc = identify(r, type, number, &who);

	if (rc)
		return rc;
	switch (type->row->kind) {
	case EVENT_EXECUTION:
		if (!who->sleeping)
			rc = add(r, who, JFR_CPU, time, 1);
		if (!rc && r->by_wall)
			rc = add(r, who, JFR_WALL, time, 1);
		return rc;
	case EVENT_WALL:
		if (who->runnable && r->by_wall)
			rc = add(r, who, JFR_CPU, time, samples);
		return rc ? rc : add(r, who, JFR_WALL, time, samples);
	case EVENT_LOCK:
		return add(r, who, group, time, scaled(type->nanos, number[JFR_DURATION]));
	case EVENT_CPU_TIME:
		return add(r, who, group, time, scaled(type->nanos, number[JFR_SIZE]));
	case EVENT_AMOUNT:
		return add(r, who, group, time, type->row->size.n ? (int64_t)number[JFR_SIZE] : 1);
	default:
		return 0;
	}
}

static int add_waiting(struct reader *r)
{
	int rc = 0;

	for (uint32_t i = 0; i < r->waiting_count && !rc; i++)
		rc = add_sample(r, r->waiting[i].type, r->waiting[i].number);
	r->waiting_count = 0;
	return rc;
}

/* Samples in the order they came in, and settings between those that they stand between. */
static int read_event(struct reader *r, const struct event_type *type)
{
	enum event_kind kind = type->row->kind;
	bool setting = kind == EVENT_SETTING || kind == EVENT_JVM;
	int rc = setting || r->waiting_count == WAITING ? add_waiting(r) : 0;

	if (rc)
		return rc;
	if (unlikely(setting))
		return kind == EVENT_JVM ? read_jvm(r, &type->record)
					 : read_setting(r, &type->record);

	struct waiting *w = &r->waiting[r->waiting_count++];

	w->type = type;
	memcpy(w->number, type->record.number, sizeof(w->number));
	jfr_expect_stack(r->resolver, w->number[JFR_STACK]);
	__builtin_prefetch(recent_of(r, w->number));
	return 0;
}

/*
 * The fields of one event. The cursor may run on into the next event, so that integers are read
 * eight bytes at a time up to the last; only then is it seen whether the event was long enough.
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

/* What is wrong with events is said when they are read. */
static void want_stacks(struct reader *r)
{
	const struct jfr_chunk *chunk = r->chunk;
	struct jfr_cursor c =
		jfr_cursor_of(chunk->start + JFR_HEADER, chunk->end, chunk->compressed);
	struct jfr_event event;

	while (jfr_next_event(&c, &event)) {
		struct event_type *type = wanted_type(r, event.type);

		if (type && !type->left_out && read_fields(type, &event, chunk->end))
			jfr_want_stack(r->resolver, type->record.number[JFR_STACK]);
	}
}

static int read_events(struct reader *r, struct err *e)
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
		if (type->left_out) {
			r->samples->group[type->row->group].seen = true;
			continue;
		}
		if (unlikely(!read_fields(type, &event, chunk->end))) {
			jfr_fail_at(&c, event.at, "an event as long as its fields");
			break;
		}
		rc = read_event(r, type);
	}
	if (!rc)
		rc = add_waiting(r);
	if (!rc && !c.expected && c.at < c.end)
		jfr_fail_at(&c, c.at, "an event: the chunk goes on");
	return rc || !c.expected ? rc : jfr_chunk_error(chunk, &c, e);
}

int jfr_events_read(struct jfr_samples *samples, struct jfr_settings *settings,
		    struct jfr_resolver *resolver, struct err *e)
{
	struct arena *arena = resolver->pools->arena;
	struct reader r = {.samples = samples,
			   .settings = settings,
			   .resolver = resolver,
			   .chunk = resolver->pools->chunk,
			   .recent = arena_zalloc(arena, RECENT, sizeof(*r.recent)),
			   .by_wall = str_eq(settings->event, STR("wall"))};
	bool some = samples->some_left_out;
	int rc = r.recent ? compile_events(&r, e) : -ENOMEM;

	if (!rc && some)
		want_stacks(&r);
	if (!rc)
		rc = jfr_resolve_stacks(resolver, some);
	if (!rc)
		rc = read_events(&r, e);
	scale_samples(&r);
	return rc;
}
