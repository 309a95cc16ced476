#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Logs of unchanged programs under `varve run --logs`: lines of standard error and syslog(3), with
# the output and the exit status of the program unchanged; also with nginx, redis and sqlite3.
. "$SOURCE_ROOT/tests/cli/lib.sh"

skip() { # name why
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}
wait_for() { # command...
	for _ in $(seq 300); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.1
	done
	return 1
}
# logged name directory text...: the records in the directory have each text
logged() {
	name=$1 file=$2/logs.otlp
	shift 2
	for text; do
		grep -aqF -- "$text" "$file" 2>>err && continue
		echo "no \"$text\" in $file" >>err
		report 'not ok' "$name"
		return
	done
	report ok "$name"
}

cat >talk.c <<'END'
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	static char large[40000];
	(void)argv;
	fprintf(stderr, "ERROR: the disk is full\n");
	fprintf(stderr, "[warn] second line\nwithout a level\n\n");
	errno = ENOENT;
	syslog(LOG_DAEMON | LOG_CRIT, "from syslog: %d %m", 42);
	memset(large, 'x', sizeof(large) - 1);
	fprintf(stderr, "%s\n", large);
	puts("to stdout");
	fprintf(stderr, "the last line has no end");
	return argc > 1 ? 0 : 41;
}
END
${CC:-cc} -O1 -o talk talk.c 2>err && ${CC:-cc} -O2 -D_FORTIFY_SOURCE=2 -o fortified talk.c 2>err || exit 1
./talk 2>expected >expected.out
"$VARVE" run --cpu --no-summary --logs -o talk-out -- ./talk >out 2>err
code=$?
expect_that 'standard error and output are unchanged' sh -c 'cmp -s err expected && cmp -s out expected.out'
expect 'the exit status is the program'"'"'s' 41
logged 'lines are records with their severity' talk-out 'ERROR: the disk is full' '[warn] second line' \
	'without a level' 'the last line has no end' 'log.iostream' WARN ERROR
logged 'syslog(3) is logged' talk-out 'from syslog: 42 No such file or directory' 'syslog.facility.code'
logged 'the resource is the program'"'"'s' talk-out process.executable.path talk
expect_that 'a long line is kept, in parts' sh -c '[ $(tr -cd x <talk-out/logs.otlp | wc -c) -ge 39999 ]'
"$VARVE" run --cpu --no-summary --logs -o fortified-out -- ./fortified x >out 2>err
code=$?
expect 'a fortified program ends normally' 0 'to stdout'
logged 'its syslog(3) is logged' fortified-out 'from syslog: 42 No such file'
"$VARVE" run --cpu --no-summary -o quiet-out -- ./talk >out 2>err
expect_that 'without --logs nothing is logged' test ! -e quiet-out/logs.otlp

# a crash loses no line
"$VARVE" run --cpu --no-summary --logs -o crash -- sh -c 'echo last words >&2; kill -SEGV $$' >out 2>err
code=$?
expect 'a program that crashes' 139 'last words'
logged 'its last line is logged' crash 'last words'

# a process that stays behind can still write, and is not waited for
"$VARVE" run --cpu --no-summary --logs -o behind -- sh -c \
	'(while [ ! -e go ]; do sleep 0.05; done; echo late >&2; echo survived >survived) & echo early >&2' >out 2>err
code=$?
expect 'the end of the program is the end of varve run' 0 'early'
: >go
expect_that 'a process that stays behind is not killed by its standard error' wait_for test -e survived
expect_that 'its lines are still copied' wait_for grep -q late err

if command -v sqlite3 >/dev/null; then
	"$VARVE" run --no-summary --logs -o sqlite -- sqlite3 :memory: 'select 6*7; select no_such_column;' >out 2>err
	expect_that 'sqlite3: the result and the error' sh -c 'grep -qx 42 out && grep -q no_such_column err'
	logged 'sqlite3: the error is logged' sqlite no_such_column
else
	skip sqlite3 'not installed'
fi

if command -v redis-server >/dev/null && command -v redis-cli >/dev/null; then
	free_port
	"$VARVE" run --all --logs -o redis -- redis-server --port $port --save '' --dir "$work" \
		--syslog-enabled yes --syslog-ident varve-test >out 2>err </dev/null &
	pid=$!
	wait_for redis-cli -p $port ping && redis-cli -p $port bgsave >/dev/null && sleep 0.5
	kill -TERM $pid
	wait $pid
	code=$?
	expect 'redis: it exits normally' 0 'Redis is now ready to exit'
	logged 'redis: its messages to syslog are logged' redis 'Ready to accept connections' 'ready to exit'
else
	skip redis 'not installed'
fi

nginx=$(command -v nginx || echo /usr/sbin/nginx)
if [ -x "$nginx" ]; then
	free_port
	mkdir -p www logs
	chmod 755 "$work" www
	echo hello >www/index.html
	cat >nginx.conf <<END
daemon off; master_process on; worker_processes 2; pid $work/nginx.pid; error_log stderr notice;
events { worker_connections 64; }
http { access_log off; client_body_temp_path $work/b; proxy_temp_path $work/p; fastcgi_temp_path $work/f; uwsgi_temp_path $work/u; scgi_temp_path $work/s;
	server { listen 127.0.0.1:$port; location / { root $work/www; } } }
END
	"$VARVE" run --all --logs -o nginx -- "$nginx" -c "$work/nginx.conf" -p "$work" >out 2>err </dev/null &
	pid=$!
	wait_for curl -sf -o /dev/null "http://127.0.0.1:$port/"
	curl -s -o got "http://127.0.0.1:$port/missing"
	kill -QUIT $pid
	wait $pid
	code=$?
	expect 'nginx: it exits normally' 0 'start worker process'
	logged 'nginx: lines of master and workers are logged' nginx 'start worker process' 'www/missing'
else
	skip nginx 'not installed'
fi
finish
