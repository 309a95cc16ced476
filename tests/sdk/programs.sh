#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Real programs under `varve run`, with load: output and exit status are unchanged, and the
# profiles show the functions that are known to be busy. Programs that are not installed are
# reported as skipped.
. "$SOURCE_ROOT/tests/cli/lib.sh"

skip() { # name why
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

# profiled directory program...: run the program and write its profiles to the directory
profiled() {
	directory=$1
	shift
	"$VARVE" run --all -o "$directory" -- "$@" >out 2>err </dev/null
	code=$?
}

# shows name file type regex: the profile has a function that matches the regex
shows() {
	"$VARVE" top -n 0 --type "$3" "$2" >out 2>err </dev/null
	code=$?
	expect "$1" 0 "$4"
}

# ends name status regex...
ends() { expect "$@"; }

# -- output and exit status are those of the program -----------------------------------------------

profiled status sh -c 'echo to-stdout; echo to-stderr >&2; exit 41'
ends 'the exit status is the program'"'"'s' 41 '^to-stdout$' '^to-stderr$'
"$VARVE" run --no-summary -o quiet -- sh -c 'echo only-this' >out 2>err
code=$?
if [ "$(cat out)" = only-this ] && [ ! -s err ]; then report ok '--no-summary adds no output'; else report 'not ok' '--no-summary adds no output'; fi
"$VARVE" run -o killed -- sh -c 'kill -TERM $$' >out 2>err
code=$?
ends 'the signal that ended the program is the status' 143

# the program is not started if the profiles cannot be written
: >a-file
run run -o a-file -- sh -c 'echo started'
expect 'an output path that is not a directory is an error' 2 'a-file: is not a directory'
expect_not 'the program was not started' grep -q started out
run run --locks -o nothing -- sleep 0 # waits for no lock
expect 'a run without samples writes no profile' 0 'no profile was written to nothing'
printf 'profiling:\n  cpu: { sample_rte: 50 }\n' >typo.yaml
run run -c typo.yaml -- sh -c 'cd / && echo started'
expect 'a typo in the options is reported, and the program runs' 0 '^started$' \
	'typo.yaml:2: unknown option "profiling.cpu.sample_rte"; did you mean "profiling.cpu.sample_rate"'

# a shell ends with _exit(), or replaces itself by exec: its samples are written in both cases
busy='i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done'
run run -o shell -- sh -c "$busy"
expect 'a shell itself is profiled' 0 '^CPU: ' 'varve flame shell/cpu.pb.gz'
export VARVE_HEAP_INTERVAL=16384 # small, so that an allocation of 1 MiB is always sampled
run run -o exec -- sh -c "$busy; exec python3 -c '
import os
x = sum(range(5000000))
kept = [bytes(1000000) for _ in range(64)]
os._exit(0)'"
expect 'a program that calls exec is profiled before and after' 0 '^CPU: ' 'varve flame exec/cpu.pb.gz'
unset VARVE_HEAP_INTERVAL
run top exec/cpu.pb.gz -n 1000 --json
expect_that 'the profile has the shell and the program after exec' sh -c "grep -q '/python3\|libpython\|_PyEval' out && grep -q 'dash\|/sh\|evaltree\|bash' out"
run top exec/heap.pb.gz --type inuse_space -n 5
expect 'heap in use is that of the program after exec' 0 '6[0-9]\.[0-9]* MiB'
run run --no-summary --cpu -o short -- sh -c 'for i in 1 2 3; do true | cat | cat; done'
expect_that 'children without samples leave no files' sh -c '! ls short | grep "metrics\.[0-9]"'
# children of vfork() are not profiled
run run -o vfork -- python3 -c 'import subprocess
for i in range(20): subprocess.run(["true"], check=True)
print("all ran")'
expect 'children of vfork() run' 0 '^all ran$'
run run -o failed -- python3 -c 'import os
for name in "/does/not/exist", "/etc/passwd":
	try: os.execv(name, [name])
	except OSError: pass
print("still here")'
expect 'a program survives a failed exec' 0 '^still here$'
wait_for() { # command...
	for _ in $(seq 300); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.1
	done
	return 1
}

# a signal sent to varve is forwarded to the program
"$VARVE" run -o forwarded -- sh -c 'trap "echo got-it; exit 5" TERM; : >trapped; while :; do sleep 0.1; done' >out 2>err &
pid=$!
wait_for test -e trapped
kill -TERM $pid
wait $pid
code=$?
ends 'signals are forwarded' 5 '^got-it$'

# a batch job: -o writes a file for each kind that has samples
"$VARVE" run --no-summary -o usual -- python3 -c '
import threading, time
lock = threading.Lock()
def wait():
    with lock: pass
with lock:
    t = threading.Thread(target=wait); t.start(); time.sleep(0.3)
t.join()
sum(i * i for i in range(3000000))' >out 2>err
code=$?
ls usual >out
ends '-o writes cpu, heap, block and wall' 0 '^cpu.pb.gz$' '^heap.pb.gz$' '^block.pb.gz$' '^wall.pb.gz$'

# -- programs that cannot be profiled: the reason is reported --------------------------------------

printf 'int main(void) { return 0; }\n' >static.c
if ${CC:-cc} -static -o static static.c 2>/dev/null; then
	run run -o no -- ./static
	ends 'a static program: the error says why and what to do' 2 'statically linked' 'libvarve'
else
	skip 'a static program' 'no static libc'
fi
if [ "$(id -u)" = 0 ]; then
	cp /bin/true owned && chown 65534 owned && chmod 4755 owned
	run run -o no -- ./owned
	ends 'a setuid program: the error says why' 2 'setuid'
else
	skip 'a setuid program' 'not root'
fi
run run -- ./does-not-exist
ends 'a nonexistent program' 2 'does-not-exist'

# -- sqlite3 ---------------------------------------------------------------------------------------

if command -v sqlite3 >/dev/null; then
	statement="WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<3000000) SELECT sum(x*x%7) FROM c;"
	plain=$(sqlite3 :memory: "$statement")
	profiled sqlite sqlite3 :memory: "$statement"
	ends 'sqlite3: the same result' 0 "^$plain\$" 'CPU: '
	shows 'sqlite3: CPU time is in the virtual machine' sqlite/cpu.pb.gz cpu 'sqlite3|libsqlite3'
else
	skip sqlite3 'not installed'
fi

# -- python3 ---------------------------------------------------------------------------------------

python=/usr/bin/python3
if [ -x $python ]; then
	cat >work.py <<'END'
import sys, threading, subprocess
def burn():
    return sum(i * i for i in range(1500000))
t = threading.Thread(target=burn); t.start(); burn(); t.join()
keep = [bytearray(100000) for _ in range(300)]
assert subprocess.run(["true"]).returncode == 0
print("python-done")
sys.exit(3)
END
	profiled python $python work.py
	ends 'python3: output and status' 3 '^python-done$'
	shows 'python3: CPU time is in the interpreter' python/cpu.pb.gz cpu '_PyEval|PyNumber|PyLong|long_|python3'
	shows 'python3: bytearrays are in the heap profile' python/heap.pb.gz alloc_space 'PyByteArray|bytearray'
else
	skip python3 'not installed'
fi

# -- redis -----------------------------------------------------------------------------------------

if command -v redis-server >/dev/null && command -v redis-benchmark >/dev/null; then
	free_port
	"$VARVE" run --all -o redis -- redis-server --port $port --save '' --appendonly no --dir "$work" >out 2>err </dev/null &
	pid=$!
	if wait_for redis-cli -p $port ping; then
		redis-benchmark -p $port -t set,get,lpush,lrange_100 -n 20000 -c 20 -q >bench 2>&1
		[ "$(redis-cli -p $port incr counter)" = 1 ] && report ok 'redis: it responds' || report 'not ok' 'redis: it responds'
		redis-cli -p $port bgsave >/dev/null # forks
		sleep 1
		kill -TERM $pid
	fi
	wait $pid
	code=$?
	ends 'redis: it exits normally' 0 'Redis is now ready to exit' 'CPU: '
	shows 'redis: CPU time is in commands' redis/cpu.pb.gz cpu 'processCommand|call|aeProcessEvents|readQueryFromClient'
	shows 'redis: allocations are in the heap profile' redis/heap.pb.gz alloc_space 'zmalloc|je_|sds|ztry'
	shows 'redis: waiting threads are in the wall profile' redis/wall.pb.gz wall 'epoll_wait|bioProcessBackgroundJobs'
else
	skip redis 'not installed'
fi

# -- nginx -----------------------------------------------------------------------------------------

nginx=$(command -v nginx || echo /usr/sbin/nginx)
if [ -x "$nginx" ]; then
	free_port
	mkdir -p www logs
	chmod 755 "$work" www
	head -c 300000 /dev/zero | tr '\0' x >www/file
	cat >nginx.conf <<END
daemon off; master_process off; pid $work/nginx.pid; error_log $work/logs/error.log;
events { worker_connections 256; }
http { access_log off; client_body_temp_path $work/b; proxy_temp_path $work/p; fastcgi_temp_path $work/f; uwsgi_temp_path $work/u; scgi_temp_path $work/s;
	gzip on; gzip_types *; gzip_comp_level 6;
	server { listen 127.0.0.1:$port; location / { root $work/www; } } }
END
	"$VARVE" run --all -o nginx -- "$nginx" -c "$work/nginx.conf" -p "$work" >out 2>err </dev/null &
	pid=$!
	if wait_for curl -sf -o /dev/null "http://127.0.0.1:$port/file"; then
		for _ in $(seq 60); do curl -sf --compressed -o got "http://127.0.0.1:$port/file"; done
		cmp -s got www/file && report ok 'nginx: responses are correct' || report 'not ok' 'nginx: responses are correct'
		kill -QUIT $pid
	fi
	wait $pid
	code=$?
	ends 'nginx: it exits normally' 0 'CPU: '
	shows 'nginx: CPU time is in compression' nginx/cpu.pb.gz cpu 'deflate|longest_match|libz'
	shows 'nginx: pools are in the heap profile' nginx/heap.pb.gz alloc_space 'ngx_|malloc|deflateInit'
else
	skip nginx 'not installed'
fi
finish
