#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The web UI in headless Chromium; ui/bench/*.bench.ts contain the measurements.
set -eu
. bench/bench.sh
if [ ! -x "${CHROMIUM:-/usr/bin/chromium}" ]; then
	bench_skip ui_flame 'chromium is not installed'
	exit 0
fi
SOURCE_ROOT=$PWD node ui/test/run.mjs bench "$SCRATCH" >"$SCRATCH/ui_flame" || {
	cat "$SCRATCH/ui_flame"
	exit 1
}
tab=$(printf '\t')
grep "$tab" "$SCRATCH/ui_flame" | while IFS=$tab read -r name value unit method; do
	bench_report "$name" "$value" "$unit" less '' '' "$method"
done
