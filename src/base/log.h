/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_LOG_H
#define VARVE_BASE_LOG_H

#include <stdatomic.h>

#include "base/err.h"
#include "base/str.h"

/*
 * Structured logging. One record is one line and one write(2):
 *
 *	log_warn(log, "profile refused", LOG_STR("file", path), LOG_U64("bytes", n));
 *	ts=2026-11-15T09:37:00.123Z level=warn msg="profile refused" file=a.pb.gz bytes=17
 *
 * or with `json` an object: {"ts":"...","level":"warn","msg":"profile refused",...}. Values are
 * quoted and escaped where needed, so that input cannot forge a line. Lines longer than
 * LOG_LINE_MAX are truncated and marked. Each call site may write LOG_BURST records per second; the
 * others are counted and reported by the next record of the site (suppressed=N).
 *
 * The descriptor is immutable after initialization; any thread. A NULL log is silent.
 */
enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR, LOG_OFF };

struct log {
	int fd; /* borrowed */
	_Atomic(enum log_level) level;
	_Atomic bool json;
};

/* LOG_LINE_MAX is PIPE_BUF: writes to a pipe are atomic up to this size. */
enum { LOG_LINE_MAX = 4096, LOG_BURST = 10 };

struct log_field {
	const char *key;
	enum { LOG_TEXT, LOG_SIGNED, LOG_UNSIGNED } kind;
	union {
		struct str text;
		int64_t i;
		uint64_t u;
	};
};

#define LOG_STR(name, value) ((struct log_field){.key = (name), .kind = LOG_TEXT, .text = (value)})
#define LOG_I64(name, value) ((struct log_field){.key = (name), .kind = LOG_SIGNED, .i = (value)})
#define LOG_U64(name, value) ((struct log_field){.key = (name), .kind = LOG_UNSIGNED, .u = (value)})
#define LOG_ERR(e) LOG_STR("err", str_from((e)->text))

/* The rate limiter of a call site. */
struct log_site {
	_Atomic uint64_t second; /* of the monotonic clock; `count` is of this second */
	_Atomic uint32_t count;
	_Atomic uint64_t suppressed;
};

/* Write a record; called by the macros below. The first of the `count` fields is the message. */
void log_write(const struct log *log, enum log_level level, struct log_site *site,
	       const struct log_field *fields, size_t count);

/* Write a record. Fields are evaluated only if the level is enabled. */
#define log_at(log_, level_, msg_, ...)                                                            \
	do {                                                                                       \
		static struct log_site site_;                                                      \
		const struct log *to_ = (log_);                                                    \
		if (to_ && (level_) >= to_->level) {                                               \
			const struct log_field fields_[] = {LOG_STR("msg", str_from(msg_)),        \
							    ##__VA_ARGS__};                        \
			log_write(to_, (level_), &site_, fields_, countof(fields_));               \
		}                                                                                  \
	} while (0)

#define log_debug(log, ...) log_at(log, LOG_DEBUG, __VA_ARGS__)
#define log_info(log, ...) log_at(log, LOG_INFO, __VA_ARGS__)
#define log_warn(log, ...) log_at(log, LOG_WARN, __VA_ARGS__)
#define log_error(log, ...) log_at(log, LOG_ERROR, __VA_ARGS__)

#endif
