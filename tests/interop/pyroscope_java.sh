#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A JVM with the agent io.pyroscope:agent sends JFR with label snapshots to the server.
set -eu
for tool in java javac mvn; do
	command -v $tool >/dev/null || {
		echo "no $tool"
		exit 77
	}
done
# shellcheck source=tests/server/server.sh
. tests/server/server.sh
cache=${XDG_CACHE_HOME:-$HOME/.cache}/varve/maven
version=2.1.2
agent=$cache/io/pyroscope/agent/$version/agent-$version.jar
[ -f "$agent" ] || timeout 120 mvn -q -B -Dmaven.repo.local="$cache" dependency:get -Dtransitive=false \
	-Dartifact="io.pyroscope:agent:$version" >"$SCRATCH/mvn.log" 2>&1 || {
	echo 'io.pyroscope:agent cannot be downloaded from Maven'
	exit 77
}
start_server
trap 'stop_server' EXIT
cat >"$SCRATCH/App.java" <<'END_JAVA'
public class App {
    static volatile byte[] kept;
    static long spinForTheTest(long ms) {
        long n = 0;
        for (long end = System.currentTimeMillis() + ms; System.currentTimeMillis() < end;) {
            for (int i = 0; i < 10000; i++)
                n = n * 31 + 7;
            kept = new byte[4096];
        }
        return n;
    }
    public static void main(String[] args) throws Exception {
        System.out.println(spinForTheTest(9000));
        Thread.sleep(3000);
    }
}
END_JAVA
javac -d "$SCRATCH" "$SCRATCH/App.java"
PYROSCOPE_APPLICATION_NAME=java.app PYROSCOPE_SERVER_ADDRESS=$URL PYROSCOPE_LABELS=env=test \
	PYROSCOPE_UPLOAD_INTERVAL=2s PYROSCOPE_PROFILER_EVENT=itimer PYROSCOPE_PROFILER_ALLOC=64k PYROSCOPE_FORMAT=jfr \
	java -javaagent:"$agent" -cp "$SCRATCH" App >"$SCRATCH/app.log" 2>&1

query() { "$VARVE" query "$@" --url "$URL" --from now-1h; }
query types 'java.app{env="test"}' >"$SCRATCH/types"
for type in process_cpu:cpu:nanoseconds:cpu:nanoseconds memory:alloc_in_new_tlab_bytes:bytes:space:bytes; do
	grep -q "$type" "$SCRATCH/types" || {
		cat "$SCRATCH/types" "$SCRATCH/app.log"
		echo "no $type"
		exit 1
	}
done
query top java.app --type cpu --sort total -n 30 >"$SCRATCH/top"
grep -q 'App.spinForTheTest' "$SCRATCH/top" || {
	cat "$SCRATCH/top"
	echo 'the hot function is not in the table'
	exit 1
}
