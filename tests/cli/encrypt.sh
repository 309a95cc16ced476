#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# varve encrypt and decrypt, and commands that read encrypted profiles.
. "$SOURCE_ROOT/tests/cli/lib.sh"
: >out
: >err
(umask 077 && openssl rand -hex 32 >key && openssl rand -hex 32 >other && cat other key >both)

# ---- files of all sizes around the border of a chunk ----
failures=0
for size in 0 1 65535 65536 65537 131072 1000000; do
	head -c $size /dev/urandom >plain
	for form in '' --base64; do
		rm -f plain.sealed again
		# shellcheck disable=SC2086
		"$VARVE" encrypt plain --key-file key $form && "$VARVE" decrypt plain.sealed --key-file both -o again &&
			cmp -s plain again || { failures=$((failures + 1)) && echo "# $size $form"; }
	done
done
expect_that 'files of all sizes are the same again' [ $failures = 0 ]
expect_that 'pipes work' [ "$(echo content | "$VARVE" encrypt - --key-file key | "$VARVE" decrypt - --key-file key)" = content ]

# ---- wrong keys, damage ----
printf 'planted {%s}\n' $(seq 30000) >plain
"$VARVE" encrypt plain --key-file key
expect_that 'nothing is readable' [ -z "$(grep -la planted plain.sealed)" ]
rm -f again
run decrypt plain.sealed --key-file other -o again
expect 'a wrong key is named' 2 'is encrypted with the key [0-9a-f]{16}, which other does not have'
expect_that 'nothing is written with a wrong key' [ ! -e again ]
size=$(wc -c <plain.sealed)
failures=0
for at in 20 50 100 112 5000 65700 $((size - 1)); do
	cp plain.sealed damaged
	byte=$(od -An -tu1 -j $at -N1 damaged)
	printf '%b' "\\0$(printf %o $((byte ^ 4)))" | dd of=damaged bs=1 seek=$at conv=notrunc 2>/dev/null
	run decrypt damaged --key-file key -o again
	[ "$code" = 2 ] && [ ! -e again ] || { failures=$((failures + 1)) && echo "# $at"; }
done
expect_that 'flipped bits are reported, and nothing is written' [ $failures = 0 ]
failures=0
for n in 0 50 111 112 113 65664 65663 131200 $((size - 16)) $((size - 1)); do
	head -c "$n" plain.sealed >damaged
	run decrypt damaged --key-file key -o again
	[ "$code" = 2 ] && [ ! -e again ] || { failures=$((failures + 1)) && echo "# $n"; }
done
expect_that 'incomplete files are reported, and nothing is written' [ $failures = 0 ]
# the second chunk in the place of the first one
{ head -c 112 plain.sealed && tail -c +$((112 + 65552 + 1)) plain.sealed | head -c 65552 && tail -c +$((112 + 65552 + 1)) plain.sealed; } >damaged
run decrypt damaged --key-file key -o again
expect 'a moved chunk is reported' 2 'damaged or incomplete, in the 64 KiB from byte 0'
run encrypt plain
expect 'a key is required' 2 '--key-file'
run decrypt plain --key-file key
expect 'the name of the output is required' 2 'name the output with -o'
run decrypt plain --key-file key -o again
expect 'a file that is not encrypted is rejected' 2 'is not encrypted'

# ---- text as other programs write it ----
if command -v python3 >/dev/null && python3 -c 'from cryptography.hazmat.primitives.ciphers.aead import AESGCM' 2>/dev/null; then
	python3 - <<'EOF' >text
import base64, os
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
key = bytes.fromhex(open("key").read().strip())
nonce = os.urandom(12)
print(base64.b64encode(nonce + AESGCM(key).encrypt(nonce, b"by another program", None)).decode())
EOF
	run decrypt text --key-file key -o -
	expect 'text of another program is decrypted' 0 '^by another program$'
fi
# made with the key 00 01 .. 1f, the nonce 00 .. 0b and OpenSSL's EVP_EncryptUpdate()
(umask 077 && printf '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f' >fixed)
"$VARVE" encrypt - --key-file fixed --base64 </dev/null >text
expect_that 'text is base64 of 28 bytes more' [ "$(openssl base64 -d -A <text | wc -c)" = 28 ]

# ---- commands that read profiles ----
printf 'main;planted_function 7\nmain;other 3\n' >a.folded
"$VARVE" convert a.folded -o a.pb.gz
for file in a.folded a.pb.gz; do
	"$VARVE" encrypt $file --key-file key
	run top $file.sealed --key-file both
	expect "top opens $file.sealed" 0 'planted_function'
	run top $file.sealed
	expect "without a key the reason is given for $file.sealed" 2 'is encrypted with the key' 'take --key-file'
done
"$VARVE" encrypt a.pb.gz --key-file key --base64 -o a.txt
run convert a.txt --key-file key -t folded
expect 'convert opens base64' 0 '^main;planted_function 7$'
run top a.folded --key-file key
expect 'a file in clear can be read with a key, too' 0 'planted_function'
run diff a.folded.sealed a.pb.gz.sealed --key-file key
expect 'diff opens both' 0
run check a.pb.gz.sealed --key-file key
expect 'check opens it' 0
finish
