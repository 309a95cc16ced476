#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# google.golang.org/grpc against our server: as in grpc_node.sh, and with pings during many calls.
set -eu
command -v go >/dev/null || {
	echo "no go"
	exit 77
}
[ -x "${ECHO_SERVER:-}" ] || {
	echo "no ECHO_SERVER"
	exit 77
}
cd "$SCRATCH"
cat >main.go <<'END_GO'
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"
)

type raw struct{}

func (raw) Name() string                       { return "proto" }
func (raw) Marshal(v any) ([]byte, error)      { return *v.(*[]byte), nil }
func (raw) Unmarshal(b []byte, v any) error    { *v.(*[]byte) = append([]byte(nil), b...); return nil }

var conn *grpc.ClientConn

func call(message []byte, more ...grpc.CallOption) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var reply []byte
	err := conn.Invoke(ctx, "/test.Echo/Echo", &message, &reply, append(more, grpc.ForceCodec(raw{}))...)
	return reply, err
}

func must(ok bool, what string, args ...any) {
	if !ok {
		log.Fatalf(what, args...)
	}
}

func main() {
	var err error
	conn, err = grpc.NewClient("127.0.0.1:"+os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20), grpc.MaxCallSendMsgSize(64<<20)))
	must(err == nil, "%v", err)
	large := bytes.Repeat([]byte("0123456789"), 500000)
	for _, m := range [][]byte{{}, []byte("hello"), large} {
		reply, err := call(m)
		must(err == nil && bytes.Equal(reply, m), "%d bytes: %v", len(m), err)
		reply, err = call(m, grpc.UseCompressor(gzip.Name))
		must(err == nil && bytes.Equal(reply, m), "%d bytes, gzip: %v", len(m), err)
	}
	_, err = call([]byte("fail"))
	must(status.Code(err) == codes.InvalidArgument && status.Convert(err).Message() == "bad \u00e4 %", "%v", err)
	_, err = call([]byte("later"))
	must(status.Code(err) == codes.Unavailable && len(status.Convert(err).Details()) == 1, "%v", err)
	var wait sync.WaitGroup
	for w := 0; w < 16; w++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := 0; i < 2000; i++ {
				m := []byte(fmt.Sprint(w, " ", i))
				reply, err := call(m)
				must(err == nil && bytes.Equal(reply, m), "call %d: %v", i, err)
			}
		}()
	}
	wait.Wait()
}
END_GO
{ go mod init test && go mod tidy && go build -o client .; } >go.log 2>&1 || {
	echo "no google.golang.org/grpc: go cannot fetch it"
	exit 77
}
mkfifo in
"$ECHO_SERVER" <in >port &
exec 3>in
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ -s port ] && break
	sleep 0.2
done
rc=0
./client "$(cat port)" || rc=$?
exec 3>&-
wait
exit $rc
