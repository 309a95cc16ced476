/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_JFR_RECORDING_H
#define VARVE_TEST_JFR_RECORDING_H

#include "format/jfr/jfr_make.h"

/* A small recording with all supported events, in a layout that no real recorder uses. */

enum {
	T_LONG = 10,
	T_INT,
	T_STRING,
	T_BOOLEAN,
	T_FLOAT,
	T_DOUBLE,
	T_BYTE,
	T_SHORT,
	T_CHAR,
	T_THREAD = 20,
	T_CLASS,
	T_METHOD,
	T_SYMBOL,
	T_STACK,
	T_FRAME,
	T_FRAME_TYPE,
	T_STATE,
	T_EXTRA,
	T_OTHER,
	T_EXECUTION = 100,
	T_IN_TLAB,
	T_MONITOR,
	T_SETTING,
	T_WALL,
	T_JVM,
	T_PARK = 500000, /* far from the other ids */
};

/* clang-format off */
static const struct make_type recording_types[] = {
	{"long", T_LONG, {{0}}}, {"int", T_INT, {{0}}}, {"java.lang.String", T_STRING, {{0}}},
	{"boolean", T_BOOLEAN, {{0}}}, {"float", T_FLOAT, {{0}}}, {"double", T_DOUBLE, {{0}}},
	{"byte", T_BYTE, {{0}}}, {"short", T_SHORT, {{0}}}, {"char", T_CHAR, {{0}}},
	{"java.lang.Thread", T_THREAD, {{"group", T_EXTRA}, {"osName", T_STRING},
		{"osThreadId", T_LONG},
		{"javaName", T_STRING}, {"javaThreadId", T_LONG}}},
	{"java.lang.Class", T_CLASS, {{"modifiers", T_INT}, {"name", T_SYMBOL, .constant = true}}},
	{"jdk.types.Method", T_METHOD, {{"hidden", T_BOOLEAN}, {"name", T_SYMBOL, .constant = true},
		{"type", T_CLASS, .constant = true}}},
	{"jdk.types.Symbol", T_SYMBOL, {{"string", T_STRING}}},
	{"jdk.types.StackTrace", T_STACK, {{"truncated", T_BOOLEAN},
		{"frames", T_FRAME, .array = true}}},
	{"jdk.types.StackFrame", T_FRAME, {{"bytecodeIndex", T_INT}, {"lineNumber", T_INT},
		{"type", T_FRAME_TYPE, .constant = true}, {"method", T_METHOD, .constant = true}}},
	{"jdk.types.FrameType", T_FRAME_TYPE, {{"description", T_STRING}}},
	{"jdk.types.ThreadState", T_STATE, {{"name", T_STRING}}},
	{"test.Extra", T_EXTRA, {{"short", T_SHORT}, {"double", T_DOUBLE}, {"text", T_STRING},
		{"char", T_CHAR}}},
	{"test.Other", T_OTHER, {{"list", T_LONG, .array = true}, {"bytes", T_BYTE, .array = true},
		{"extras", T_EXTRA, .array = true}}},
	{"jdk.ExecutionSample", T_EXECUTION, {{"noise", T_FLOAT}, {"extra", T_EXTRA},
		{"tags", T_STRING, .array = true}, {"startTime", T_LONG},
		{"sampledThread", T_THREAD, .constant = true},
		{"stackTrace", T_STACK, .constant = true},
		{"state", T_STATE, .constant = true}, {"contextId", T_LONG}, {"spanId", T_LONG}}},
	{"jdk.ObjectAllocationInNewTLAB", T_IN_TLAB, {{"startTime", T_LONG},
		{"eventThread", T_THREAD, .constant = true},
		{"stackTrace", T_STACK, .constant = true},
		{"objectClass", T_CLASS, .constant = true},
		{"allocationSize", T_LONG}, {"tlabSize", T_LONG}}},
	{"jdk.JavaMonitorEnter", T_MONITOR, {{"startTime", T_LONG},
		{"duration", T_LONG, .unit = "TICKS"},
		{"eventThread", T_THREAD, .constant = true},
		{"stackTrace", T_STACK, .constant = true},
		{"monitorClass", T_CLASS, .constant = true}}},
	{"jdk.ThreadPark", T_PARK, {{"startTime", T_LONG},
		{"duration", T_LONG, .unit = "MICROSECONDS"},
		{"eventThread", T_THREAD, .constant = true},
		{"stackTrace", T_STACK, .constant = true}}},
	{"jdk.ActiveSetting", T_SETTING, {{"startTime", T_LONG}, {"id", T_LONG}, {"name", T_STRING},
		{"value", T_STRING}}},
	{"profiler.WallClockSample", T_WALL, {{"startTime", T_LONG},
		{"sampledThread", T_THREAD, .constant = true},
		{"stackTrace", T_STACK, .constant = true}, {"state", T_STATE, .constant = true},
		{"samples", T_INT}}},
	{"jdk.JVMInformation", T_JVM, {{"startTime", T_LONG}, {"jvmName", T_STRING},
		{"jvmVersion", T_STRING}, {"pid", T_LONG}}},
	{"jdk.jfr.Timespan", MAKE_TIMESPAN, {{"value", T_STRING}}},
	{NULL, 0, {{0}}},
};
/* clang-format on */

#define FAR_ID 0xfedcba9876543210u /* takes all nine bytes */
#define START_NANOS 1700000000000000000u
#define START_TICKS 5000000u

static inline void make_extra(struct jfr_make *m)
{
	make_int(m, 7); /* short: as an int when compressed */
	if (!m->compressed)
		m->out.n -= 2; /* two bytes, not four */
	make_fixed(m, 0x4000000000000000, 8);
	make_byte(m, 1);
	m->compressed ? make_varint(m, 'x') : make_fixed(m, 'x', 2);
}

static inline void make_symbol(struct jfr_make *m, uint64_t id, const char *text)
{
	make_long(m, id);
	make_utf8(m, text);
}

static inline void make_class(struct jfr_make *m, uint64_t id, uint64_t symbol)
{
	make_long(m, id);
	make_int(m, 1);
	make_long(m, symbol);
}

static inline void make_method(struct jfr_make *m, uint64_t id, uint64_t class, uint64_t name)
{
	make_long(m, id);
	make_byte(m, 0);
	make_long(m, name);
	make_long(m, class);
}

static inline void make_thread(struct jfr_make *m, uint64_t id, const char *os, uint64_t tid,
			       const char *java)
{
	make_long(m, id);
	make_extra(m);
	make_utf8(m, os);
	make_long(m, tid);
	if (java)
		make_utf8(m, java);
	else
		make_byte(m, 0);
	make_long(m, 1);
}

static inline void make_stack(struct jfr_make *m, uint64_t id, uint32_t frames)
{
	make_long(m, id);
	make_byte(m, 0);
	make_int(m, frames);
}

static inline void make_frame(struct jfr_make *m, uint64_t method, int32_t line, uint64_t type)
{
	make_int(m, 3);
	make_int(m, (uint32_t)line);
	make_long(m, type);
	make_long(m, method);
}

/*
 * app/Main.main is method 1, app/Main.work FAR_ID, a lambda 3, a native one 4. `work` names method
 * FAR_ID.
 */
static inline void make_pools(struct jfr_make *m, const char *work)
{
	make_checkpoint_begin(m, 4);
	make_pool(m, T_SYMBOL, 8);
	make_symbol(m, 1, "app/Main");
	make_symbol(m, 2, "main");
	make_symbol(m, 3, work);
	make_symbol(m, 4, "app/Main$$Lambda$7.0x0000000800c22a28");
	make_symbol(m, 5, "run");
	make_symbol(m, 6, "libjvm.so");
	make_symbol(m, 7, "JVM_Sleep");
	make_symbol(m, 8, "[B");
	make_pool(m, T_OTHER, 1);
	make_long(m, 77);
	make_int(m, 2);
	make_long(m, FAR_ID);
	make_long(m, 300);
	make_int(m, 3);
	make_fixed(m, 0xffffff, 3);
	make_int(m, 2);
	make_extra(m);
	make_extra(m);
	make_pool(m, T_FRAME_TYPE, 3);
	make_symbol(m, 0, "Interpreted");
	make_symbol(m, 1, "JIT compiled");
	make_symbol(m, 2, "Native");
	make_pool(m, T_STRING, 1);
	make_symbol(m, 5, "interval");
	make_event_end(m);

	make_checkpoint_begin(m, 5);
	make_pool(m, T_CLASS, 4);
	make_class(m, 1, 1);
	make_class(m, 2, 4);
	make_class(m, 3, 6);
	make_class(m, 4, 8);
	make_pool(m, T_METHOD, 4);
	make_method(m, 1, 1, 2);
	make_method(m, FAR_ID, 1, 3);
	make_method(m, 3, 2, 5);
	make_method(m, 4, 3, 7);
	make_pool(m, T_STACK, 2);
	make_stack(m, 1, 3);
	make_frame(m, FAR_ID, 12, 1);
	make_frame(m, 3, -1, 0);
	make_frame(m, 1, 5, 0);
	make_stack(m, 2, 2);
	make_frame(m, 4, 0, 2);
	make_frame(m, 1, 6, 0);
	make_pool(m, T_THREAD, 2);
	make_thread(m, 1, "java", 4242, "main");
	make_thread(m, 2, "GC Thread", 4243, NULL);
	make_pool(m, T_STATE, 2);
	make_symbol(m, 1, "STATE_RUNNABLE");
	make_symbol(m, 2, "STATE_SLEEPING");
	make_event_end(m);
}

static inline void make_setting(struct jfr_make *m, uint64_t id, const char *name,
				const char *value)
{
	make_event_begin(m, T_SETTING);
	make_long(m, START_TICKS);
	make_long(m, id);
	make_utf8(m, name);
	make_utf8(m, value);
	make_event_end(m);
}

static inline void make_execution(struct jfr_make *m, uint64_t ticks, uint64_t stack,
				  uint64_t state, uint64_t context)
{
	make_event_begin(m, T_EXECUTION);
	make_fixed(m, 0x3f800000, 4);
	make_extra(m);
	make_int(m, 2);
	make_utf8(m, "a tag");
	make_byte(m, 0);
	make_long(m, START_TICKS + ticks);
	make_long(m, 1);
	make_long(m, stack);
	make_long(m, state);
	make_long(m, context);
	make_long(m, context ? 0xabcdef : 0);
	make_event_end(m);
}

static inline void make_wall(struct jfr_make *m, uint64_t ticks, uint64_t state, uint32_t samples)
{
	make_event_begin(m, T_WALL);
	make_long(m, START_TICKS + ticks);
	make_long(m, 2);
	make_long(m, 2);
	make_long(m, state);
	make_int(m, samples);
	make_event_end(m);
}

static inline void make_allocation(struct jfr_make *m, uint64_t ticks, uint64_t size)
{
	make_event_begin(m, T_IN_TLAB);
	make_long(m, START_TICKS + ticks);
	make_long(m, 1);
	make_long(m, 1);
	make_long(m, 4);
	make_long(m, 16);
	make_long(m, size);
	make_event_end(m);
}

static inline void make_lock(struct jfr_make *m, uint64_t type, uint64_t duration)
{
	make_event_begin(m, type);
	make_long(m, START_TICKS + 4000);
	make_long(m, duration);
	make_long(m, 1);
	make_long(m, 2);
	if (type == T_MONITOR)
		make_long(m, 1);
	make_event_end(m);
}

static inline void make_jvm(struct jfr_make *m)
{
	make_event_begin(m, T_JVM);
	make_long(m, START_TICKS);
	make_utf8(m, "Test VM");
	make_utf8(m, "1.2.3");
	make_long(m, 321);
	make_event_end(m);
}

/* The clock of the header: two ticks per nanosecond. */
static inline void make_clock(struct jfr_make *m)
{
	m->start_nanos = START_NANOS;
	m->duration_nanos = 1000000;
	m->start_ticks = START_TICKS;
	m->frequency = 2000000000;
}

/* Write a complete chunk without its end. */
static inline void make_recording_chunk(struct jfr_make *m, const char *work)
{
	make_clock(m);
	make_chunk_begin(m);
	make_metadata(m, recording_types);
	make_setting(m, 0, "version", "3.0");
	make_setting(m, 0, "event", "cpu");
	make_setting(m, T_EXECUTION, "interval", "10000000");
	make_setting(m, T_EXECUTION, "wall", "20000000");
	make_jvm(m);
	make_execution(m, 1000, 1, 1, 0);
	make_execution(m, 2000, 1, 1, 0);
	make_execution(m, 2500, 1, 1, 7);
	make_execution(m, 2600, 1, 2, 0); /* sleeps: uses no CPU */
	make_wall(m, 3000, 2, 5);
	make_allocation(m, 3100, 512);
	make_allocation(m, 3200, 1024);
	make_lock(m, T_MONITOR, 3000);
	make_lock(m, T_PARK, 40);
	make_pools(m, work);
}

static inline void make_recording(struct jfr_make *m)
{
	make_recording_chunk(m, "work");
	make_chunk_end(m);
}

#endif
