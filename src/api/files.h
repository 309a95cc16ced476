/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_FILES_H
#define VARVE_API_FILES_H

#include <pthread.h>

#include "api/request.h"
#include "format/format.h"
#include "store/batch/batch_store.h"

/*
 * Opened files: profiles that a user views without storing them. The original bytes are held in
 * memory and evicted least recently used first. Each file can be queried like a store. A file
 * belongs to a tenant and is identified by a digest of its bytes, so equal files are held once.
 *
 * Concurrent users of a file share one decoded batch. The most recently released file stays decoded
 * if it is not too large. Bytes and decoded batches are charged to the budget. Any thread.
 */
enum { FILE_ID_SIZE = 16, FILES_MAX = 256 };

/* An opened file. The public fields do not change while a user holds it. */
struct file {
	uint8_t id[FILE_ID_SIZE];
	struct str tenant, name, bytes;
	const struct format *format; /* given or detected */
	uint64_t received;	     /* nanoseconds since 1970; the time of profiles without one */
	struct profile_batch batch;
	struct series_map map;
	struct batch_store store;

	/* private to files.c */
	struct arena text; /* name and tenant */
	struct file *next; /* less recently used; `next`, `users`, `listed`: guarded by files.mu */
	unsigned users;
	bool listed;
	pthread_mutex_t mu; /* guards `decoded` */
	bool decoded;
};

struct files {
	struct budget *budget; /* borrowed; NULL: unlimited */
	size_t limit;	       /* of the original bytes; one file is held whatever its size */
	pthread_mutex_t mu;    /* guards the following fields */
	struct file *list;     /* most recently used first */
	size_t used;	       /* original bytes of all listed files */
	unsigned count;
	struct file *warm; /* decoded file without users, or NULL */
};

void files_init(struct files *f, struct budget *budget, size_t limit);

/* Free all files; none may have a user. */
void files_fini(struct files *f);

/*
 * Hold a copy of the request's body if it can be decoded, as format `wanted` unless NULL. On
 * success
 * *out is in use until files_release(). Return 0, -EBADMSG or -EINVAL with the decoder's reason, or
 * -ENOMEM.
 */
MUST_USE int files_put(struct files *f, const struct request *r, struct str name,
		       const struct format *wanted, struct file **out, struct err *e);

/*
 * Get the file with that id, in hex, of the request's tenant; it is in use until files_release().
 * Return 0, -EINVAL (not an id), -ENOENT (unknown or evicted), or an error of decoding.
 */
MUST_USE int files_open(struct files *f, const struct request *r, struct str id, struct file **out,
			struct err *e);

/* End the use of a file, which may be NULL. */
void files_release(struct files *f, struct file *file);

/* Return the default profile type of a file, or an empty string. */
struct str file_default_type(const struct file *file);

#endif
