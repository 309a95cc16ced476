#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node --cpu-prof and --heap-prof: self times by function as computed by the developer tools, and
# sizes by function.
set -eu
command -v node >/dev/null || {
	echo "no node"
	exit 77
}
cd "$SCRATCH"

cat >app.js <<'END'
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
const kept = []
function allocate() { for (let i = 0; i < 300000; i++) kept.push({ i, list: [i, i] }) }
fib(30)
allocate()
fib(31)
END
node --cpu-prof --cpu-prof-dir=. --cpu-prof-name=app.cpuprofile app.js
node --heap-prof --heap-prof-dir=. --heap-prof-interval=16384 --heap-prof-name=app.heapprofile app.js

# Print the sums by leaf frame, in nanoseconds or bytes: "name sum", sorted.
by_leaf() {
	awk '{ value = $NF; sub(/ [0-9]+$/, ""); n = split($0, frames, ";"); sums[frames[n]] += value }
	END { for (name in sums) printf "%s %.0f\n", name, sums[name] }' "$1" | LC_ALL=C sort
}

cat >expect.js <<'END'
const profile = JSON.parse(require('fs').readFileSync(process.argv[2]))
const sums = Object.create(null) // functions may be called toString
const add = (frame, value) => {
	const name = frame.functionName === '(root)' ? '[unknown]' : frame.functionName || '(anonymous)'
	if (value) sums[name] = (sums[name] || 0) + value
}
if (profile.head) {
	const walk = node => { add(node.callFrame, node.selfSize); node.children.forEach(walk) }
	walk(profile.head)
} else {
	const nodes = new Map(profile.nodes.map(n => [n.id, n]))
	let now = profile.startTime
	const samples = profile.samples.map((id, i) => ({ id, at: now += profile.timeDeltas[i] }))
	samples.sort((a, b) => a.at - b.at)
	const last = samples.length - 1
	const average = Math.floor((samples[last].at - samples[0].at) * 1000 / last)
	samples.forEach((s, i) =>
		add(nodes.get(s.id).callFrame, i < last ? (samples[i + 1].at - s.at) * 1000 : average))
}
for (const name in sums) console.log(name, sums[name])
END

# Our output gives the same sums by V8's rules.
"$VARVE" convert app.cpuprofile -o again.cpuprofile
node expect.js app.cpuprofile | LC_ALL=C sort >theirs
node expect.js again.cpuprofile | LC_ALL=C sort | diff theirs - || {
	echo "the written cpuprofile has different sums"
	exit 1
}

for kind in cpuprofile heapprofile; do
	"$VARVE" convert app.$kind -t folded -o folded
	by_leaf folded | grep -v ' 0$' >ours || true
	node expect.js app.$kind | LC_ALL=C sort >theirs
	[ -s theirs ] || {
		echo "$kind: nothing recorded"
		exit 1
	}
	diff theirs ours || {
		echo "$kind: different sums"
		exit 1
	}
done
