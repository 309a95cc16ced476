#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A Python program with pyroscope-io (the Rust core) pushes to the server.
set -eu
command -v python3 >/dev/null || {
	echo 'no python3'
	exit 77
}
# shellcheck source=tests/server/server.sh
. tests/server/server.sh
{ python3 -m venv "$SCRATCH/venv" && "$SCRATCH/venv/bin/pip" install -q pyroscope-io==1.4.0; } >"$SCRATCH/pip.log" 2>&1 || {
	echo 'pyroscope-io cannot be installed'
	exit 77
}
start_server
trap 'stop_server' EXIT
cat >"$SCRATCH/app.py" <<'END_PYTHON'
import sys, time
import pyroscope

pyroscope.configure(application_name='python.app', server_address=sys.argv[1], tags={'env': 'test'},
                    upload_interval=2, oncpu=True, gil_only=False)

def spin_for_the_test(seconds):
    end = time.time() + seconds
    n = 0
    while time.time() < end:
        n = n * 31 + 7 & 0xffffffff
    return n

with pyroscope.tag_wrapper({'handler': '/pay'}):
    spin_for_the_test(7)
pyroscope.shutdown()
END_PYTHON
"$SCRATCH/venv/bin/python" "$SCRATCH/app.py" "$URL" >"$SCRATCH/app.log" 2>&1

"$VARVE" query top 'python.app{env="test",handler="/pay"}' --url "$URL" --from now-1h --type cpu --sort total -n 30 >"$SCRATCH/top" || true
grep -q spin_for_the_test "$SCRATCH/top" || {
	cat "$SCRATCH/top" "$SCRATCH/app.log"
	"$VARVE" query types --url "$URL" --from now-1h
	echo 'the hot function is not in the table'
	exit 1
}
