/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_FILES_H
#define VARVE_API_FILES_H

#include <pthread.h>

#include "api/request.h"
#include "format/format.h"
#include "store/batch/batch_store.h"

/*
 * Profiles that somebody looks at without keeping them: the bytes as they came, in memory, the least recently used
 * ones let go when there are too many. Each can be asked as if it were a store. A file belongs to a tenant, and is
 * found by a digest of its bytes, so that the same file twice is one.
 *
 * Decoding is done once for all who look at the same time. The file that was looked at last stays decoded, if it is not too
 * large. Bytes and what is decoded are charged to the budget. Any thread.
 */
enum { FILE_ID_SIZE = 16, FILES_MAX = 256 };

/* One of them. What a user may read does not change while he has it. */
struct file {
	uint8_t id[FILE_ID_SIZE];
	struct str tenant, name, bytes;
	const struct format *format; /* that was said or found */
	uint64_t received; /* nanoseconds since 1970: the time of profiles that have none */
	struct profile_batch batch;
	struct series_map map;
	struct batch_store store;

	/* private to files.c */
	struct arena text; /* name and tenant */
	struct file *next; /* used before this one; guarded by files.mu, as is what follows */
	unsigned users;
	bool listed;
	pthread_mutex_t mu; /* guards: */
	bool decoded;
};

struct files {
	struct budget *budget; /* borrowed; NULL: any amount */
	size_t limit;	       /* of bytes as they came; one file is kept whatever its size */
	pthread_mutex_t mu;    /* guards what follows */
	struct file *list;     /* the last one used first */
	size_t used;	       /* bytes of those */
	unsigned count;
	struct file *warm; /* has no user and is decoded */
};

void files_init(struct files *f, struct budget *budget, size_t limit);

/* No file may have a user. */
void files_fini(struct files *f);

/*
 * Keep these bytes (copied) if they can be decoded, as `wanted` if that is not NULL. *out is in use, until files_release(). 0; -EBADMSG or
 * -EINVAL with the decoder's reason; -ENOMEM.
 */
MUST_USE int files_put(struct files *f, const struct request *r, struct str name,
		       const struct format *wanted, struct file **out, struct err *e);

/* The file with that id, in hex, of the request's tenant. 0; -EINVAL: not an id; -ENOENT: it was let go; or as above. */
MUST_USE int files_open(struct files *f, const struct request *r, struct str id, struct file **out,
			struct err *e);

/* Takes NULL. */
void files_release(struct files *f, struct file *file);

/* The profile type that is meant when nobody says one; empty: there is none. */
struct str file_default_type(const struct file *file);

#endif
