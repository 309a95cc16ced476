#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# py-spy record -f speedscope and -f raw: the sums equal those of the files.
set -eu
for tool in py-spy python3; do
	command -v $tool >/dev/null || {
		echo "no $tool"
		exit 77
	}
done
cd "$SCRATCH"

cat >app.py <<'END'
def leaf(n):
    return sum(i * i for i in range(n))


def main():
    for _ in range(1500):
        leaf(5000)


main()
END
py-spy record -r 200 -f speedscope -o app.speedscope.json -- python3 app.py >log 2>&1 || {
	echo "py-spy is not permitted to record: $(tail -n 1 log)"
	exit 77
}
py-spy record -r 200 -f raw -o app.folded -- python3 app.py >log 2>&1

sum() {
	awk '{ sum += $NF } END { printf "%.0f\n", sum }' "$1"
}

"$VARVE" convert app.folded -t folded -o folded
[ "$(sum folded)" = "$(sum app.folded)" ] || {
	echo "raw: sum $(sum folded), expected $(sum app.folded)"
	exit 1
}
grep -q 'main (app.py' folded || {
	echo "raw: no frame main"
	exit 1
}

# Seconds in the file, nanoseconds in ours; rounded to microseconds because awk adds doubles.
expected=$(python3 -c '
import json
factor = {"seconds": 1e9, "none": 1}
doc = json.load(open("app.speedscope.json"))
print(round(sum(sum(p["weights"]) * factor[p["unit"]] for p in doc["profiles"]) / 1000))')
"$VARVE" convert app.speedscope.json -t folded -o folded
ours=$(awk '{ sum += $NF } END { printf "%.0f\n", sum / 1000 }' folded)
[ "$ours" = "$expected" ] && [ "$expected" -gt 0 ] || {
	echo "speedscope: sum $ours, expected $expected"
	exit 1
}
"$VARVE" convert app.speedscope.json -t speedscope -o again.speedscope.json
"$VARVE" convert again.speedscope.json -t folded -o again
cmp folded again
