#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The bindings of examples/bindings: each example runs, and its spans, metrics, logs and profile are
# complete. Languages without a toolchain are reported as skipped.
. "$SOURCE_ROOT/tests/cli/lib.sh"

bindings=$SOURCE_ROOT/examples/bindings
skip() { # name why
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}
# complete name directory span log exception: the files have what the example made
expect_complete() {
	expect "$1: the example runs" 0 '^profile: [0-9]+ bytes$'
	expect_that "$1: spans" grep -aq "$3" "$2/traces.otlp"
	expect_that "$1: exceptions" grep -aq "$5" "$2/traces.otlp"
	expect_that "$1: the profile is named in the span" grep -aq 'profile.id' "$2/traces.otlp"
	expect_that "$1: metrics" sh -c "grep -aq shop.orders '$2/metrics.otlp' && grep -aq shop.order.size '$2/metrics.otlp'"
	expect_that "$1: logs" grep -aq "$4" "$2/logs.otlp"
}

if command -v python3 >/dev/null && python3 -c 'import ctypes' 2>/dev/null; then
	LIBVARVE=$LIBVARVE VARVE_DIRECTORY=$work/python VARVE_PROFILES=cpu PYTHONDONTWRITEBYTECODE=1 \
		python3 "$bindings/python/example.py" >out 2>err
	code=$?
	expect_complete Python python take-order 'refund failed' ValueError
else
	skip Python 'python3 with ctypes is not installed'
fi

if command -v rustc >/dev/null && rustc --version >/dev/null 2>&1; then
	if rustc -O --edition 2021 -L "$(dirname "$LIBVARVE")" -l varve -o example "$bindings/rust/example.rs" >out 2>err; then
		code=0
		LD_LIBRARY_PATH=$(dirname "$LIBVARVE") VARVE_DIRECTORY=$work/rust VARVE_PROFILES=cpu ./example >out 2>err
		code=$?
		expect_complete Rust rust take-order 'shipping failed' ShippingError
	else
		code=$?
		report 'not ok' 'Rust: the example compiles'
	fi
else
	skip Rust 'rustc is not installed'
fi
finish
