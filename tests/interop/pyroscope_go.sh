#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A Go program with github.com/grafana/pyroscope-go sends all profile types to the server; go tool
# pprof reads them back.
set -eu
command -v go >/dev/null || {
	echo 'no go'
	exit 77
}
# shellcheck source=tests/server/server.sh
. tests/server/server.sh
start_server
trap 'stop_server' EXIT
here=$PWD
mkdir "$SCRATCH/app"
cd "$SCRATCH/app"
cat >main.go <<'END_GO'
package main

import (
	"context"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/grafana/pyroscope-go"
)

var kept [][]byte

//go:noinline
func spinForTheTest(until time.Time) (n uint) {
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
	p, err := pyroscope.Start(pyroscope.Config{
		ApplicationName: "go.app",
		ServerAddress:   os.Args[1],
		Tags:            map[string]string{"env": "test"},
		UploadRate:      2 * time.Second,
		Logger:          pyroscope.StandardLogger,
		ProfileTypes: []pyroscope.ProfileType{
			pyroscope.ProfileCPU, pyroscope.ProfileInuseObjects, pyroscope.ProfileAllocObjects,
			pyroscope.ProfileInuseSpace, pyroscope.ProfileAllocSpace, pyroscope.ProfileGoroutines,
			pyroscope.ProfileMutexCount, pyroscope.ProfileMutexDuration,
			pyroscope.ProfileBlockCount, pyroscope.ProfileBlockDuration,
		},
	})
	if err != nil {
		panic(err)
	}
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
		kept = append(kept, make([]byte, 1<<16))
		pyroscope.TagWrapper(context.Background(), pyroscope.Labels("handler", "/pay"), func(context.Context) {
			spinForTheTest(time.Now().Add(200 * time.Millisecond))
		})
		contend()
	}
	if err := p.Stop(); err != nil {
		panic(err)
	}
}
END_GO
go mod init app >/dev/null 2>&1
go get github.com/grafana/pyroscope-go@v1.4.3 >get.log 2>&1 || {
	tail -1 get.log
	echo 'github.com/grafana/pyroscope-go cannot be downloaded'
	exit 77
}
go build -o app .
./app "$URL" 2>app.log
! grep -i error app.log
cd "$here"

query() { "$VARVE" query "$@" --url "$URL" --from now-1h; }
query types 'go.app{env="test"}' --json >"$SCRATCH/types.json"
for type in process_cpu:cpu:nanoseconds:cpu:nanoseconds memory:inuse_space:bytes:space:bytes \
	memory:alloc_objects:count:space:bytes goroutines:goroutine:count:goroutine:count \
	mutex:delay:nanoseconds:contentions:count block:contentions:count:contentions:count; do
	grep -q "\"$type\"" "$SCRATCH/types.json" || {
		cat "$SCRATCH/types.json"
		echo "no $type"
		exit 1
	}
done
query top 'go.app{handler="/pay"}' --type cpu --sort total -n 20 >"$SCRATCH/top"
grep -q 'main.spinForTheTest' "$SCRATCH/top" || {
	cat "$SCRATCH/top"
	echo 'the hot function is not in the table'
	exit 1
}
query flame go.app --type cpu -o "$SCRATCH/out.pb.gz"
go tool pprof -top "$SCRATCH/out.pb.gz" 2>/dev/null | grep -q main.spinForTheTest
