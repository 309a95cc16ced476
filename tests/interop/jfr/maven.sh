# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# jar NAME: print the path of async-profiler's jar of that name (async-profiler, jfr-converter),
# downloaded once into a cache outside the tree. Fails if the download fails.
jar() {
	cache=${XDG_CACHE_HOME:-$HOME/.cache}/varve/maven
	found=$cache/tools/profiler/$1/4.2/$1-4.2.jar
	if [ ! -f "$found" ]; then
		command -v mvn >/dev/null || return 1
		timeout 120 mvn -q -B -Dmaven.repo.local="$cache" dependency:get -Dtransitive=false \
			-Dartifact="tools.profiler:$1:4.2" >/dev/null 2>&1 || return 1
	fi
	echo "$found"
}

# agent DIRECTORY: unpack async-profiler's library for this machine there and print its path.
agent() {
	case $(uname -m) in
	x86_64) platform=linux-x64 ;;
	aarch64) platform=linux-arm64 ;;
	*) return 1 ;;
	esac
	archive=$(jar async-profiler) || return 1
	(cd "$1" && "$(dirname "$(readlink -f "$(command -v javac)")")/jar" xf "$archive" \
		"$platform/libasyncProfiler.so") || return 1
	echo "$1/$platform/libasyncProfiler.so"
}
