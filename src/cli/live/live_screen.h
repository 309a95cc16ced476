/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_LIVE_LIVE_SCREEN_H
#define VARVE_CLI_LIVE_LIVE_SCREEN_H

#include "cli/live/live_data.h"

/* What an interactive view shows, and how it is drawn. Nothing here reads or writes the terminal. */
enum live_mode {
	LIVE_TABLE,
	LIVE_FILTER, /* the filter is being typed */
	LIVE_PICK_SERVICE,
	LIVE_PICK_TYPE,
	LIVE_HELP,
};

enum { LIVE_TEXT_MAX = 128, LIVE_ZOOM_MAX = 32 };

struct live_state {
	enum live_mode mode;
	enum live_sort sort;
	bool paused, waiting;
	char title[512], type[256];	 /* selector or URL; profile type */
	char filter[LIVE_TEXT_MAX];	 /* of the table */
	char list_filter[LIVE_TEXT_MAX]; /* of a list */
	char message[ERR_TEXT_MAX];	 /* shown in the last line until the next key */
	char *zoom[LIVE_ZOOM_MAX];	 /* functions that were entered; owned */
	unsigned zoom_n;
	uint32_t selected, first;   /* rows of the table or lines of the list */
	struct buf list;	    /* lines to choose from */
	uint64_t window_s, time_ns; /* length and end of the data; 0: none yet */
};

/* Return the number of rows that the body of the screen has. */
uint32_t live_screen_body(const struct live_state *s, unsigned rows);

/* Return line `index` of those that match list_filter in *out, and their number. */
uint32_t live_screen_line(const struct live_state *s, uint32_t index, struct str *out);

/* Append a frame: all lines of the screen, from its upper left corner on. */
void live_screen_draw(struct buf *out, const struct live_state *s, const struct live_data *d,
		      const struct terminal *terminal, unsigned rows);

#endif
