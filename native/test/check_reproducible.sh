#!/bin/sh
# Builds the library anew from two copies of the sources, in directories of other names and lengths, and at another hour of
# another place, and compares all with the files that were built first: the bytes must be the same.
#
#     check_reproducible.sh SOURCE_DIRECTORY LIBRARY_DIRECTORY CMAKE [ARGUMENT...]
#
# Exit code 0: they are; 1: a fault, printed.
set -eu

source_directory=$1
library_directory=$2
shift 2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
faults=0

# build SOURCES BUILD_DIRECTORY CMAKE [ARGUMENT...]: a copy of the sources, and a build of it
build() {
    mkdir -p "$1"
    cp -r "$source_directory/CMakeLists.txt" "$source_directory/native" "$1"
    sources=$1
    build=$2
    cmake=$3
    shift 3
    if ! "$cmake" -S "$sources" -B "$build" -DBUILD_TESTING=OFF "$@" >"$scratch/log" 2>&1 \
            || ! "$cmake" --build "$build" >>"$scratch/log" 2>&1; then
        cat "$scratch/log"
        exit 1
    fi
}

build "$scratch/a" "$scratch/a/build" "$@"
(
    umask 077
    export TZ=Asia/Kathmandu LC_ALL=C SOURCE_DATE_EPOCH=1
    build "$scratch/another/and/longer/directory" "$scratch/out" "$@"
)

for library in "$library_directory"/*/libcorelane_affinity.so; do
    machine=$(basename "$(dirname "$library")")
    for other in "$scratch/a/build" "$scratch/out"; do
        if ! cmp "$library" "$other/lib/$machine/libcorelane_affinity.so"; then
            faults=1
        fi
    done
    if grep -a -F -q -e "$source_directory" -e "$scratch" "$library"; then
        echo "$library names the directory in which it was built"
        faults=1
    fi
    sha256sum "$library"
done
exit $faults
