#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# varve watch and varve top --live in a pseudo terminal.
. "$SOURCE_ROOT/tests/cli/lib.sh"
unset VARVE_URL VARVE_TOKEN_FILE

mkfifo alive
"$QUERY_SERVER" <alive >port 2>server.err &
exec 3>alive # the server exits when this is closed
while [ ! -s port ]; do sleep 0.05; done
url=http://127.0.0.1:$(cat port)

cat >before.folded <<'END'
main;serve;parse 30
main;serve;write 10
END
cat >after.folded <<'END'
main;serve;parse 70
main;serve;write 10
main;load;parse 20
END
"$VARVE" push before.folded --service shop --time now-90s --url "$url" --quiet >out 2>err
"$VARVE" push after.folded --service shop --time now-5s --url "$url" --quiet >out 2>err
"$VARVE" push after.folded --service other --time now-5s --url "$url" --quiet >out 2>err

# Run a program by the commands of stdin in 24 rows of 80 columns; `out` has what pty prints.
in_terminal() {
	"$PTY" 24 80 "$@" >out 2>err
	code=$?
}

# Each line must occur in `out`, and no command of pty may have failed.
expect_lines() { # name line...
	name=$1
	shift
	if grep -q '^not ok' out; then
		report 'not ok' "$name"
		return
	fi
	for line in "$@"; do
		if ! grep -Fq -e "$line" out; then
			report 'not ok' "$name (missing: $line)"
			return
		fi
	done
	report ok "$name"
}

in_terminal "$VARVE" watch shop --window 60 --url "$url" --ascii <<'END'
wait parse
screen
keys q
end
END
expect_lines 'a table of functions with changes against the interval before' \
	'|     self      %     total      %     change function' \
	'|       90  90.0%        90  90.0%        +60 parse' \
	'|       10  10.0%        10  10.0%            write' \
	'|        0   0.0%        80  80.0%            serve' \
	'5 rows, by self' 'exit 0' 'terminal restored' 'screen left'

in_terminal "$VARVE" watch shop --window 60 --url "$url" --ascii <<'END'
wait parse
keys o
wait by total
keys o
wait by change
keys /
keys WRI
wait filter: WRI_
gone serve
keys \x7f\x7f\x7fpar\r
wait filter: par
screen
keys \r
wait callers and callees of parse
wait caller  serve
wait caller  load
keys \e
gone callers and callees
keys ?
wait page up and down
keys x
gone page up and down
keys p
wait paused
keys p
gone paused
keys q
end
END
expect_lines 'keys: order, filter, callers and callees, help, pause' '+60 parse' 'exit 0' 'terminal restored'

in_terminal "$VARVE" watch --window 60 --url "$url" --ascii <<'END'
wait Choose a service
wait shop
keys oth
gone shop
keys \r
wait other
wait parse
keys t
wait Choose a profile type
keys \r
wait parse
keys \e[B\e[B
size 8 40
wait parse
gone total
screen
keys \x03
end
END
expect_lines 'a service and a type are chosen from lists; the window is resized' 'exit 0' 'screen left'
expect_that 'no line is wider than the window' sh -c '! grep -E "^\|.{41}" out'

in_terminal "$VARVE" top --live shop --sort total --window 60 --url "$url" --ascii <<'END'
wait by total
wait parse
signal 15
end
END
expect_lines 'the terminal is restored by a signal' 'signal 15' 'terminal restored' 'screen left'

in_terminal "$VARVE" watch shop --url http://127.0.0.1:1 --ascii <<'END'
wait no server answers
keys q
end
END
expect_lines 'a server that does not answer is reported' 'exit 0'

in_terminal "$VARVE" watch nothing --url "$url" --ascii <<'END'
wait no data in this time
keys q
end
END
expect_lines 'a service without data is reported' 'exit 0'

in_terminal "$VARVE" watch http://127.0.0.1:1 --ascii <<'END'
wait 127.0.0.1:1/debug/pprof/profile?seconds=30
keys s
wait a URL has one service
keys q
end
END
expect_lines 'a URL is a profile of net/http/pprof' 'exit 0'

run watch shop --url "$url"
expect 'no terminal: an error with a hint' 2 'must be a terminal; for files and pipes: varve query top'
run top --live
expect 'top --live needs a service' 2 'needs one service or URL'
run watch shop --window 0
expect 'a window of no time' 2 '--window: expected 1 to'

exec 3>&-
wait
finish
