#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Go's runtime/pprof, binary and text: the totals equal those of go tool pprof, and the binary form
# round-trips through OTLP.
set -eu
for tool in go jq; do
	command -v $tool >/dev/null || {
		echo "no $tool"
		exit 77
	}
done
cd "$SCRATCH"
cat >main.go <<'END_GO'
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

var kept [][]byte

func write(name string, debug int) {
	suffix := [...]string{".pb.gz", ".txt"}[debug]
	f, err := os.Create(name + suffix)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if err := pprof.Lookup(name).WriteTo(f, debug); err != nil {
		panic(err)
	}
}

func burn(until time.Time) (n uint) {
	for time.Now().Before(until) {
		n = n*31 + 7
	}
	return n
}

func contend() {
	var mu sync.Mutex
	var wait sync.WaitGroup
	for i := 0; i < 8; i++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for k := 0; k < 20; k++ {
				mu.Lock()
				time.Sleep(time.Millisecond)
				mu.Unlock()
			}
		}()
	}
	wait.Wait()
}

func main() {
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	runtime.MemProfileRate = 4096
	f, _ := os.Create("cpu.pb.gz")
	pprof.StartCPUProfile(f)
	burn(time.Now().Add(time.Second))
	pprof.StopCPUProfile()
	f.Close()
	for i := 0; i < 2000; i++ {
		kept = append(kept, make([]byte, 1000+i))
	}
	contend()
	runtime.GC()
	for _, name := range []string{"heap", "mutex", "block", "goroutine", "threadcreate"} {
		write(name, 0)
		write(name, 1)
	}
}
END_GO
go build -o app main.go
./app

# Print the sum of one sample type by go tool pprof.
go_total() {
	go tool pprof -symbolize=none -raw "$1" 2>/dev/null |
		awk -v type="$2" '/^Locations/ { exit }
			!column && /\// { for (i = 1; i <= NF; i++) { name = $i; sub(/\[dflt\]/, "", name); if (name == type) column = i }; next }
			column && /^ *-?[0-9][0-9 -]*: / { value = $column; sub(/:.*/, "", value); sum += value }
			END { printf "%.0f\n", sum }'
}

compare() {
	theirs=$(go_total "$1" "$2")
	ours=$("$VARVE" top "$1" --type "$2" --json | jq .total)
	"$VARVE" convert "$1" -o trip.otlp
	"$VARVE" check -q trip.otlp
	trip=$("$VARVE" top trip.otlp --type "$2" --json | jq .total)
	if [ "$theirs" != "$ours" ] || [ "$ours" != "$trip" ]; then
		echo "$1 $2: go counts '$theirs', varve '$ours', through OTLP '$trip'"
		exit 1
	fi
}

compare cpu.pb.gz cpu/nanoseconds
for form in pb.gz txt; do
	compare heap.$form inuse_space/bytes
	compare heap.$form alloc_objects/count
	compare mutex.$form contentions/count
	compare block.$form contentions/count
done
compare mutex.pb.gz delay/nanoseconds
compare goroutine.pb.gz goroutine/count
compare threadcreate.pb.gz threadcreate/count
for name in goroutine threadcreate; do
	"$VARVE" top $name.txt --json | jq -e '.total > 0' >/dev/null || {
		echo "$name.txt: empty"
		exit 1
	}
done
