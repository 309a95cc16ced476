#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A Rust program with the crate pyroscope (pprof-rs) pushes to the server.
set -eu
command -v cargo >/dev/null || {
	echo 'no cargo'
	exit 77
}
# shellcheck source=tests/server/server.sh
. tests/server/server.sh
mkdir -p "$SCRATCH/app/src"
cat >"$SCRATCH/app/Cargo.toml" <<'END_TOML'
[package]
name = "app"
version = "0.1.0"
edition = "2021"

[dependencies]
pyroscope = { version = "=2.1.5", default-features = false, features = ["backend-pprof-rs", "native-tls"] }

[profile.dev]
debug = 1
END_TOML
cat >"$SCRATCH/app/src/main.rs" <<'END_RUST'
use pyroscope::backend::{pprof_backend, BackendConfig, PprofConfig};
use pyroscope::pyroscope::PyroscopeAgentBuilder;
use std::time::{Duration, Instant};

#[inline(never)]
fn spin_for_the_test(time: Duration) -> u64 {
    let start = Instant::now();
    let mut n: u64 = 0;
    while start.elapsed() < time {
        n = n.wrapping_mul(31).wrapping_add(7);
    }
    n
}

fn main() {
    let url = std::env::args().nth(1).unwrap();
    let backend = pprof_backend(PprofConfig::default(), BackendConfig::default());
    let agent = PyroscopeAgentBuilder::new(url, "rust.app", 100, "pyroscope-rs", "2", backend)
        .tags(vec![("env", "test")])
        .build()
        .unwrap()
        .start()
        .unwrap();
    println!("{}", spin_for_the_test(Duration::from_secs(6)));
    agent.stop().unwrap().shutdown();
}
END_RUST
# crates are cached between builds outside the tree
CARGO_TARGET_DIR=${XDG_CACHE_HOME:-$HOME/.cache}/varve/rust
export CARGO_TARGET_DIR
(cd "$SCRATCH/app" && cargo fetch) >"$SCRATCH/fetch.log" 2>&1 || {
	echo 'the crate pyroscope cannot be downloaded'
	exit 77
}
(cd "$SCRATCH/app" && cargo build) >"$SCRATCH/build.log" 2>&1 || {
	tail -40 "$SCRATCH/build.log"
	echo 'the program does not build'
	exit 1
}
start_server
trap 'stop_server' EXIT
"$CARGO_TARGET_DIR/debug/app" "$URL" >"$SCRATCH/app.log" 2>&1
"$VARVE" query top 'rust.app{env="test"}' --url "$URL" --from now-1h --type cpu --sort total -n 30 >"$SCRATCH/top" || true
grep -q spin_for_the_test "$SCRATCH/top" || {
	cat "$SCRATCH/top" "$SCRATCH/app.log"
	"$VARVE" query types --url "$URL" --from now-1h
	echo 'the hot function is not in the table'
	exit 1
}
