#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes examples/checkout.pb.gz and checkout-slow.pb.gz again (needs Go). The profiles ship with the
# tree, so that nothing but a reader is needed to look at them.
set -eu
cd "$(dirname "$0")"
program=/usr/local/bin/checkout # its path is in the profile
trap 'rm -f "$program"' EXIT
(cd checkout && go build -trimpath -o "$program" .)
export GODEBUG=asyncpreemptoff=1 # how busy the machine is shall not show
"$program" -o checkout.pb.gz
"$program" -o checkout-slow.pb.gz -slow
