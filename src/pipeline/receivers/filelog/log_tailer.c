/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of a receiver. */
#include "pipeline/receivers/filelog/log_tailer.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"

#define TURN_BYTES (16 * MIB)	     /* of one file, before the next one is read */
#define STORE_INTERVAL NS_PER_SECOND /* of the positions */
#define PRESSURE_WAIT (NS_PER_SECOND / 10)
#define STOP_GRACE (5 * NS_PER_SECOND) /* for results at the end */

static bool take_line(void *owner, struct tail_file *f, struct str text, uint64_t offset);
static void take_processed(void *owner, struct log_entry *entry);

int log_tailer_init(struct log_tailer *t, const struct component_env *env,
		    const struct filelog_settings *settings, const char *storage, struct err *e)
{
	const struct telemetry_label label = {"receiver", env->id};
	int rc;

	*t = (struct log_tailer){.env = env, .settings = settings, .has_storage = storage != NULL};
	arena_init(&t->entry_arena, NULL);
	t->run.arena = &t->entry_arena;
	t->run.log = env->log;
	t->run.emit = take_processed;
	t->run.owner = t;
	t->open_files = telemetry_get(&env->host->telemetry, TELEMETRY_GAUGE,
				      "otelcol_fileconsumer_open_files", "Number of open files.",
				      &label, 1);
	rc = log_flights_init(&t->flights, env, settings);
	rc = rc ? rc : tail_set_init(&t->set, settings, env->log, e);
	rc = rc ? rc : tail_reader_init(&t->reader, settings, &env->host->memory, e);
	rc = rc ? rc : filelog_batch_init(&t->batch, settings);
	if (!rc && settings->operators.n)
		rc = operators_new(&t->operators, &settings->operators, e);
	if (!rc && storage)
		rc = checkpoint_init(&t->checkpoint, storage, env->id);
	return rc ? err_errno(e, rc, "filelog") : 0;
}

void log_tailer_fini(struct log_tailer *t)
{
	log_flights_fini(&t->flights);
	operators_free(t->operators);
	filelog_batch_fini(&t->batch);
	tail_reader_fini(&t->reader);
	tail_set_fini(&t->set);
	checkpoint_fini(&t->checkpoint);
	arena_fini(&t->entry_arena);
	free(t->dirty);
}

int log_tailer_load(struct log_tailer *t, struct err *e)
{
	if (!t->has_storage)
		return 0;
	return checkpoint_load(&t->checkpoint, &t->set, e);
}

/* ---- positions ---- */

/* Remember that a file's position has to be noted. Return false without memory. */
static bool note_dirty(struct log_tailer *t, struct tail_file *f)
{
	if (f->dirty)
		return true;
	if (t->dirty_count == t->dirty_room) {
		uint32_t room = t->dirty_room ? 2 * t->dirty_room : 64;
		struct tail_file **at = realloc(t->dirty, room * sizeof(struct tail_file *));

		if (!at)
			return false;
		t->dirty = at;
		t->dirty_room = room;
	}
	t->dirty[t->dirty_count++] = f;
	f->dirty = true;
	return true;
}

/*
 * Return where the files are, and *count; files that operators keep entries of stay at the first of
 * those, and stay in the list.
 */
static struct file_position *take_positions(struct log_tailer *t, uint32_t *count)
{
	struct file_position *at = calloc(t->dirty_count + 1, sizeof(*at));
	uint32_t kept = 0;

	*count = 0;
	if (!at)
		return NULL;
	for (uint32_t i = 0; i < t->dirty_count; i++)
		t->dirty[i]->origin.held_from = UINT64_MAX;
	if (t->operators)
		operators_held(t->operators);
	for (uint32_t i = 0; i < t->dirty_count; i++) {
		struct tail_file *f = t->dirty[i];
		uint64_t offset = f->offset;

		if (f->origin.held && f->origin.held_from < offset)
			offset = f->origin.held_from;
		if (offset != f->noted)
			at[(*count)++] = (struct file_position){f, f->origin.id, offset};
		f->noted = offset;
		f->dirty = offset != f->offset;
		if (f->dirty)
			t->dirty[kept++] = f;
	}
	t->dirty_count = kept;
	return at;
}

/* Go back to the positions of the last message: what was read since then is read again. */
static void read_again(struct log_tailer *t)
{
	for (uint32_t i = 0; i < t->dirty_count; i++) {
		struct tail_file *f = t->dirty[i];

		f->offset = f->noted;
		f->read_size = UINT64_MAX;
		f->skipping = false;
		f->dirty = false;
		tail_reader_forget(&t->reader, f);
	}
	t->dirty_count = 0;
}

static void store_positions(struct log_tailer *t, bool now)
{
	uint64_t time = clock_monotonic_ns();
	struct err e = {0};

	t->set.changed |= t->flights.committed;
	t->flights.committed = false;
	if (!t->has_storage || !t->set.changed || (!now && time - t->stored < STORE_INTERVAL))
		return;
	t->stored = time;
	if (checkpoint_store(&t->checkpoint, &t->set, &e))
		log_error(t->env->log, "positions of files were not stored",
			  LOG_STR("receiver", str_from(t->env->id)), LOG_ERR(&e));
	else
		t->set.changed = false;
}

/* ---- messages ---- */

/* Return whether the next consumer takes a message of that size now. */
static bool is_admitted(struct log_tailer *t, size_t bytes)
{
	struct delivery_result why = {0};

	return consumer_admit(t->flights.next, bytes, &why);
}

/*
 * Return a copy of the message that is charged to the memory of all data in transit. Wait for memory,
 * for the next consumer, and for room among the flights. NULL if the receiver stops before that.
 */
static struct payload *admit_message(struct log_tailer *t, struct payload *p)
{
	uint64_t until = 0;
	struct payload *charged = NULL;
	struct buf scratch = {0};

	while (!charged) {
		bool full = log_flights_full(&t->flights);

		if (!full && is_admitted(t, p->bytes))
			charged = payload_copy(SIGNAL_LOGS, p->items, payload_str(p, &scratch),
					       &t->env->host->memory);
		if (charged)
			break;
		if (log_flights_stopping(&t->flights)) {
			uint64_t now = clock_monotonic_ns();

			until = until ? until : now + (t->has_storage ? 0 : STOP_GRACE);
			if (now >= until)
				break;
		}
		log_flights_wait(&t->flights,
				 clock_monotonic_ns() + (full ? NS_PER_SECOND : PRESSURE_WAIT));
		store_positions(t, false);
	}
	buf_fini(&scratch);
	return charged;
}

/*
 * Deliver the records of the batch, or note positions if there are none. Return false if that was not
 * possible: files are back at their positions before.
 */
static bool send_batch(struct log_tailer *t)
{
	uint32_t count;
	struct payload *p, *charged = NULL;
	struct file_position *positions;
	bool sent;

	if (!t->batch.builder.items && !t->dirty_count)
		return true;
	p = filelog_batch_finish(&t->batch);
	if (p && p->items)
		charged = admit_message(t, p);
	else
		while (log_flights_full(&t->flights) && !log_flights_stopping(&t->flights))
			log_flights_wait(&t->flights, clock_monotonic_ns() + NS_PER_SECOND);
	positions = p && (charged || !p->items) && !t->failed && !log_flights_full(&t->flights)
			    ? take_positions(t, &count)
			    : NULL;
	sent = positions != NULL;
	if (positions && !charged && !count) {
		free(positions); /* nothing to deliver, nothing to note */
	} else if (positions) {
		log_flights_send(&t->flights, charged, positions, count);
	} else {
		log_error(t->env->log,
			  t->has_storage ? "log records were not delivered; they will be read again"
					 : "log records were not delivered",
			  LOG_STR("receiver", str_from(t->env->id)),
			  LOG_U64("records", p ? p->items : 0));
		payload_release(charged);
		read_again(t);
	}
	t->failed = false;
	payload_release(p);
	return sent;
}

/* ---- entries ---- */

/* An entry at the end of the operators. */
static void take_processed(void *owner, struct log_entry *entry)
{
	struct log_tailer *t = owner;

	filelog_batch_add_entry(&t->batch, entry);
}

static void process_line(struct log_tailer *t, struct tail_file *f, struct str text,
			 uint64_t offset)
{
	struct log_entry entry;

	arena_reset(&t->entry_arena);
	if (filelog_batch_make_entry(&t->batch, f, text, offset, t->run.now, &t->entry_arena,
				     &entry))
		t->failed = true;
	else
		operators_process(t->operators, &t->run, &entry);
}

static bool take_line(void *owner, struct tail_file *f, struct str text, uint64_t offset)
{
	struct log_tailer *t = owner;
	bool sent;

	f->record_number++;
	if (!note_dirty(t, f))
		t->failed = true;
	if (t->operators)
		process_line(t, f, text, offset);
	else
		filelog_batch_add_line(&t->batch, f, text, offset, t->run.now);
	if (!filelog_batch_is_full(&t->batch))
		return true;
	sent = send_batch(t);
	log_flights_collect(&t->flights);
	store_positions(t, false);
	t->run.now = clock_realtime_ns();
	t->run.monotonic = clock_monotonic_ns();
	return sent && !log_flights_stopping(&t->flights);
}

/* ---- files ---- */

/* Update a file after it was read. */
static void note_read(struct log_tailer *t, struct tail_file *f, int end, uint64_t size)
{
	if (end == TAIL_AT_END) {
		f->read_size = size;
		f->partial = t->reader.n > 0;
	}
	if (f->offset != f->noted && !note_dirty(t, f))
		t->failed = true;
	if (!f->is_gzip && f->before_at != f->offset) {
		f->before = tail_bytes_before(f->fd, f->offset);
		f->before_at = f->offset;
	}
}

/* Open a file that was closed because of the limit. Return false if it has to wait. */
static bool open_file(struct log_tailer *t, struct tail_file *f)
{
	int rc = tail_set_open(&t->set, f);

	if (rc == -EMFILE) { /* files can be closed when what was read of them is accepted */
		send_batch(t);
		log_flights_collect(&t->flights);
		rc = tail_set_open(&t->set, f);
	}
	if (rc && rc != -EMFILE)
		f->read_size = f->size; /* it is found again when it changes */
	return !rc;
}

/* Read a file. Return whether there is more to read. */
static bool read_file(struct log_tailer *t, struct tail_file *f, bool flush)
{
	const struct tail_sink sink = {take_line, t};
	uint64_t size = f->size;
	int rc;

	if (f->fd < 0 && !open_file(t, f))
		return false;
	rc = tail_reader_run(&t->reader, f, flush, f->is_gzip ? UINT64_MAX : TURN_BYTES, &sink);
	if (rc < 0 && rc != -ENOMEM) {
		log_warn(t->env->log, "cannot read file", LOG_STR("path", f->origin.path),
			 LOG_STR("err",
				 str_from(rc == -EBADMSG ? "damaged gzip data" : strerror(-rc))));
		f->read_size = size;
		tail_reader_forget(&t->reader, f);
		return false;
	}
	if (rc < 0) {
		tail_reader_forget(&t->reader, f);
		return false;
	}
	note_read(t, f, rc, size);
	return rc == TAIL_MORE;
}

/* Read the files that have something new: those that are gone first, because they are older. */
static bool read_files(struct log_tailer *t, uint64_t now)
{
	uint64_t batches = (uint64_t)t->settings->max_batches;
	uint64_t most =
		batches ? batches * (uint64_t)t->settings->max_concurrent_files : UINT64_MAX;
	uint32_t count = t->set.count, begin = t->set.cursor < count ? t->set.cursor : 0;
	bool more = false, flush;

	for (unsigned pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < count && most; i++) {
			uint32_t at = (begin + i) % count;
			struct tail_file *f = t->set.files[at];

			if ((f->gone_since != 0) == pass ||
			    !tail_set_wants(&t->set, f, now, &flush))
				continue;
			if (log_flights_stopping(&t->flights))
				return false;
			more |= read_file(t, f, flush);
			if (!--most)
				t->set.cursor = at + 1;
		}
	return more;
}

bool log_tailer_poll(struct log_tailer *t)
{
	uint64_t now = clock_monotonic_ns();
	bool more;

	t->run.now = clock_realtime_ns();
	t->run.monotonic = now;
	if (tail_set_search(&t->set, now))
		log_error(t->env->log, "search for files: out of memory",
			  LOG_STR("receiver", str_from(t->env->id)));
	filelog_batch_forget_file(&t->batch);
	more = read_files(t, now);
	if (t->operators) {
		arena_reset(&t->entry_arena);
		operators_flush(t->operators, &t->run, false);
	}
	send_batch(t);
	log_flights_collect(&t->flights);
	tail_set_sweep(&t->set, now);
	telemetry_set(t->open_files, t->set.open);
	store_positions(t, false);
	return more;
}

/* At the end: without storage, what operators keep would be lost. */
static void finish_tailing(struct log_tailer *t)
{
	uint64_t given_up;

	if (t->operators && !t->has_storage) {
		arena_reset(&t->entry_arena);
		operators_flush(t->operators, &t->run, true);
	}
	send_batch(t);
	given_up =
		log_flights_drain(&t->flights, clock_monotonic_ns() + STOP_GRACE, !t->has_storage);
	if (given_up)
		log_warn(t->env->log,
			 t->has_storage
				 ? "log records were refused; they are read again at the next start"
				 : "log records were refused at the end and are lost",
			 LOG_STR("receiver", str_from(t->env->id)), LOG_U64("records", given_up));
	store_positions(t, true);
}

void log_tailer_run(struct log_tailer *t)
{
	while (!log_flights_stopping(&t->flights)) {
		uint64_t due = clock_monotonic_ns() + t->settings->poll_interval;

		if (log_tailer_poll(t))
			continue;
		while (!log_flights_stopping(&t->flights) && clock_monotonic_ns() < due)
			log_flights_wait(&t->flights, due);
	}
	finish_tailing(t);
}

void log_tailer_stop(struct log_tailer *t)
{
	log_flights_stop(&t->flights);
}
