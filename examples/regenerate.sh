#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Creates examples/checkout.pb.gz and checkout-slow.pb.gz again (needs Go). The profiles are part of
# the tree, so that they can be viewed without Go.
set -eu
cd "$(dirname "$0")"
program=/usr/local/bin/checkout # the profile contains this path
trap 'rm -f "$program"' EXIT
(cd checkout && go build -trimpath -o "$program" .)
export GODEBUG=asyncpreemptoff=1 # so that the profile does not depend on other load
"$program" -o checkout.pb.gz
"$program" -o checkout-slow.pb.gz -slow
