/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_PYROSCOPE_RENDER_H
#define VARVE_API_PYROSCOPE_RENDER_H

#include "api/request.h"

/*
 * Pyroscope's older API over plain GET: /pyroscope/render (JSON or DOT), /pyroscope/render-diff,
 * /pyroscope/label-values. Parameters are in the URL.
 */
api_answer render_profile, render_diff, render_label_values;

#endif
