#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A Go service with net/http/pprof is scraped by varve: what the store has allocated, and how often
# locks were contended, is the difference of the first and the last profile that the service has
# served, as go tool pprof counts them; and it has CPU time of the function that uses it.
set -eu
for tool in go jq curl; do
	command -v $tool >/dev/null || {
		echo "no $tool"
		exit 77
	}
done
cd "$SCRATCH"
cat >main.go <<'END_GO'
package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"path"
	"runtime"
	"sync"
	"time"
)

var kept [][]byte
var mu sync.Mutex

func burn() {
	for n := uint(0); ; n = n*31 + 7 {
		if n%1000003 == 5 {
			time.Sleep(time.Millisecond)
		}
	}
}

func allocate() {
	for {
		mu.Lock()
		kept = append(kept, make([]byte, 10000))
		if len(kept) > 100 {
			kept = nil
		}
		time.Sleep(time.Millisecond)
		mu.Unlock()
	}
}

// A copy of the response body.
type copied struct {
	http.ResponseWriter
	body bytes.Buffer
}

func (c *copied) Write(p []byte) (int, error) {
	c.body.Write(p)
	return c.ResponseWriter.Write(p)
}

var served = map[string]int{}
var served_mu sync.Mutex

// Keep each profile that is served: memory-1.pb.gz, ...
func keep(w http.ResponseWriter, r *http.Request) {
	c := copied{ResponseWriter: w}
	http.DefaultServeMux.ServeHTTP(&c, r)
	served_mu.Lock()
	defer served_mu.Unlock()
	name := path.Base(r.URL.Path)
	served[name]++
	os.WriteFile(fmt.Sprintf("%s-%d.tmp", name, served[name]), c.body.Bytes(), 0o644)
	os.Rename(fmt.Sprintf("%s-%d.tmp", name, served[name]), fmt.Sprintf("%s-%d.pb.gz", name, served[name]))
}

func main() {
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	runtime.MemProfileRate = 4096
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	os.WriteFile("address.tmp", []byte(l.Addr().String()), 0o644)
	os.Rename("address.tmp", "address")
	go burn()
	go allocate()
	go allocate()
	http.Serve(l, http.HandlerFunc(keep))
}
END_GO
go build -o app main.go
./app &
app=$!
server=
trap 'kill $app $server 2>/dev/null || true' EXIT

# wait_for SECONDS CONDITION...
wait_for() {
	tries=$(($1 * 5))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || {
			echo "waited in vain: $*"
			cat server.log
			exit 1
		}
		sleep 0.2
	done
}

wait_for 60 test -s address
"$VARVE" server --data data --listen 127.0.0.1:0 --otlp-grpc 127.0.0.1:0 --otlp-http 127.0.0.1:0 --no-self-profile \
	--set "receivers.pprof.scrape_configs=[{job_name: shop, scrape_interval: 3s, static_configs: [{targets: ['$(cat address)']}]}]" \
	--set 'service.pipelines.profiles.receivers=[otlp, pprof]' 2>server.log &
server=$!
wait_for 60 grep -q msg=ready server.log
url=http://$(sed -n 's/.*msg=ready.* http=\([^ ]*\).*/\1/p' server.log)
wait_for 120 test -e allocs-4.pb.gz
wait_for 120 test -e mutex-4.pb.gz
wait_for 120 test -e profile-2.pb.gz

kill $app
wait $app || true

# Print the sum of one sample type by go tool pprof.
go_total() {
	go tool pprof -symbolize=none -raw "$1" 2>/dev/null |
		awk -v type="$2" '/^Locations/ { exit }
			!column && /\// { for (i = 1; i <= NF; i++) { name = $i; sub(/\[dflt\]/, "", name); if (name == type) column = i }; next }
			column && /^ *-?[0-9][0-9 -]*: / { value = $column; sub(/:.*/, "", value); sum += value }
			END { printf "%.0f\n", sum }'
}

last_of() { # shellcheck disable=SC2012 # the names are ours
	ls "$1"-*.pb.gz | sed 's/.*-\([0-9]*\)\..*/\1/' | sort -n | tail -1
}
stored() { "$VARVE" query top shop --type "$1" --url "$url" --json | jq .total; }
# is_stored TYPE TOTAL OTHER: the last profile may have been served, and not received
is_stored() {
	total=$(stored "$1")
	[ "$total" = "$2" ] || [ "$total" = "$3" ]
}

for type in allocs:alloc_space/bytes:memory:alloc_space:bytes:space:bytes \
	allocs:alloc_objects/count:memory:alloc_objects:count:space:bytes \
	mutex:contentions/count:mutex:contentions:count:contentions:count \
	block:delay/nanoseconds:block:delay:nanoseconds:contentions:count; do
	page=${type%%:*}
	rest=${type#*:}
	last=$(last_of "$page")
	first=$(go_total "$page-1.pb.gz" "${rest%%:*}")
	theirs=$(($(go_total "$page-$last.pb.gz" "${rest%%:*}") - first))
	before=$(($(go_total "$page-$((last - 1)).pb.gz" "${rest%%:*}") - first))
	[ "$before" -gt 0 ] || {
		echo "$page: go counts $before"
		exit 1
	}
	wait_for 20 is_stored "${rest#*:}" "$theirs" "$before"
done
"$VARVE" query top shop --type process_cpu:cpu:nanoseconds:cpu:nanoseconds --url "$url" | grep -q main.burn || {
	echo 'no CPU time of main.burn'
	exit 1
}
kill $server
wait $server
