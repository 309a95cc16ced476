/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_OTLP_PAYLOAD_H
#define VARVE_SIGNAL_OTLP_PAYLOAD_H

#include "base/budget.h"
#include "base/buf.h"
#include "signal/signal_kind.h"
#include "wire/proto.h"

/*
 * A payload is one OTLP message (an ExportTraceServiceRequest or its counterpart of another
 * signal) in protobuf, with the number of its items. It is immutable and reference-counted.
 *
 * Its bytes are a sequence of slices, because protobuf messages concatenate: several requests
 * become one batch without a copy (not profiles: each message has its own dictionary). Each slice
 * is a message of its own: no field of the request spans two slices. Slices share reference-counted
 * blocks of memory. A payload on the stack can borrow the memory of somebody
 * else, for example the body of a request; payload_keep() copies such memory.
 */
struct payload_block {
	_Atomic uint32_t refs;
	struct budget *budget; /* the block is charged to it; may be NULL */
	size_t charged;
	char *p;
};

struct payload_slice {
	struct str bytes;
	struct payload_block *block; /* NULL: borrowed */
};

struct payload {
	enum signal_kind signal;
	uint32_t items; /* spans, data points, log records or samples */
	size_t bytes;	/* of the message */
	uint32_t slice_count;
	struct payload_slice *slices;
	_Atomic uint32_t refs; /* 0: on the stack, not counted */
};

/* Fill `p` with borrowed bytes; `slice` and `message` have to outlive it. */
void payload_borrow(struct payload *p, struct payload_slice *slice, enum signal_kind signal,
		    uint32_t items, struct str message);

/* Return a payload with a copy of the message, or NULL without memory. */
struct payload *payload_copy(enum signal_kind signal, uint32_t items, struct str message,
			     struct budget *budget);

/*
 * Return a payload that takes over the memory of `message`, which is empty afterwards; or NULL
 * without memory, also if writing `message` had failed. The memory stays charged to the buffer's
 * budget.
 */
struct payload *payload_take(enum signal_kind signal, uint32_t items, struct buf *message);

/*
 * The same for a message that is a part of `buffer`, charged to `budget` from now on. If the
 * message is not in the buffer, or is less than half of its memory, the payload is a copy, and the
 * buffer is unchanged.
 */
struct payload *payload_take_part(enum signal_kind signal, uint32_t items, struct buf *buffer,
				  struct str message, struct budget *budget);

/* Like payload_take() for a message that was written back to front. */
struct payload *payload_take_written(enum signal_kind signal, uint32_t items,
				     struct proto_writer *message);

/*
 * Return a reference that stays valid until payload_release(): to `p` itself, or to a copy if it
 * borrows its memory. NULL without memory.
 */
struct payload *payload_keep(const struct payload *p, struct budget *budget);

/* Drop a reference. `p` may be NULL. */
void payload_release(struct payload *p);

/*
 * Return one payload with the items of all parts, in order, without copying bytes; or NULL without
 * memory. The parts must not borrow, and be of one signal that is not profiles.
 */
struct payload *payload_concat(struct payload *const *parts, uint32_t count);

/*
 * Return a payload of these slices, which shares their blocks; or NULL without memory. No slice
 * borrows.
 */
struct payload *payload_of_slices(enum signal_kind signal, uint32_t items,
				  const struct payload_slice *slices, uint32_t count);

/*
 * Return the whole message as one string: that of the only slice, or a copy in `scratch`. An empty
 * string without memory, which a payload of more than 0 bytes tells apart.
 */
struct str payload_str(const struct payload *p, struct buf *scratch);

#endif
