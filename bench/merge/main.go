// SPDX-License-Identifier: Apache-2.0

// Writes N heap profiles of itself to a directory while it works: real files of Go's runtime/pprof,
// similar but not equal, like those of many instances of one service.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"sort"
	"strconv"
	"strings"
	"text/template"
)

var live [][]byte

func keep(n int) {
	live = append(live, make([]byte, 64+n%900))
	if len(live) > 4000 {
		live = live[1000:]
	}
}

func parse(depth, n int) any {
	if depth == 0 {
		keep(n)
		return map[string]any{"n": n, "s": strings.Repeat("x", n%64)}
	}
	switch n % 4 {
	case 0:
		return []any{parse(depth-1, n/4), n}
	case 1:
		return map[string]any{"a": parse(depth-1, n/4)}
	case 2:
		return render(depth-1, n/4)
	}
	return match(depth-1, n/4)
}

func render(depth, n int) any {
	t := template.Must(template.New("t").Parse("{{range .}}{{.}},{{end}}" + strconv.Itoa(n)))
	var b bytes.Buffer
	t.Execute(&b, []int{n, depth})
	if depth == 0 {
		return b.String()
	}
	return []any{b.String(), parse(depth-1, n/2)}
}

func match(depth, n int) any {
	re := regexp.MustCompile(fmt.Sprintf("a(b|c){%d}d*", 1+n%7))
	out := re.FindAllString(strings.Repeat("abcd", n%16), -1)
	sort.Strings(out)
	if depth == 0 {
		return out
	}
	return parse(depth-1, n/3)
}

func work(seed int) {
	for i := 0; i < 12; i++ {
		text, _ := json.Marshal(parse(2+(seed+i)%7, seed*7919+i*104729))
		var back any
		json.Unmarshal(text, &back)
	}
}

func main() {
	runtime.MemProfileRate = 16 * 1024
	count, _ := strconv.Atoi(os.Args[2])
	for i := 0; i < count; i++ {
		work(i)
		f, err := os.Create(filepath.Join(os.Args[1], fmt.Sprintf("heap%04d.pb.gz", i)))
		if err != nil {
			panic(err)
		}
		runtime.GC()
		pprof.Lookup("heap").WriteTo(f, 0)
		f.Close()
	}
}
