/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SIGNAL_DROP_H
#define VARVE_STORE_SQLITE_SIGNAL_DROP_H

#include "base/err.h"
#include "signal/signal_kind.h"

/*
 * Retention by signal: of a day that is older than the limit of a signal, the blocks of that signal
 * are deleted, and the file if nothing else is left in it. Dictionaries of profiles and label sets
 * of metrics stay until the file is dropped.
 */
struct partition;
struct directory;
struct sqlite_store_options;

/* Return the limit of the age of a signal in seconds: the lower one of both limits; 0: none. */
uint64_t retention_of(const struct sqlite_store_options *o, enum signal_kind signal);

/*
 * Return the signals (SIGNAL_ bits) whose limit the day exceeds and that may have data in it, with
 * the clock at `now` (seconds since 1970). Takes p->mu. Worker thread, or a test's.
 */
uint32_t signals_expired(struct partition *p, uint64_t now);

/*
 * Delete a bounded number of blocks of these signals, in one transaction. Set *more to whether there
 * was something to delete; call again until there was not. Return 0 or -errno. Worker thread, or a
 * test's.
 */
MUST_USE int signals_drop(struct partition *p, uint32_t signals, bool *more, struct err *e);

/* Return whether there is data of one of these signals. */
bool directory_has_signals(const struct directory *d, uint32_t signals);

#endif
