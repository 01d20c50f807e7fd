#!/bin/sh
# Loads the library into a program that is linked with musl, and calls each of its functions there.
#
#     check_musl.sh LIBRARY PROGRAM_SOURCE INCLUDE_DIRECTORY
#
# Exit code 0: all work; 1: a fault, printed; 77: musl's compiler is missing, not checked.
set -eu

if ! command -v musl-gcc >/dev/null 2>&1; then
    echo "skipped: musl-gcc not found (Debian's package musl-tools)"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

musl-gcc -std=c11 -Wall -Wextra -Werror -I "$3" -o "$scratch/probe" "$2" -ldl
if ! grep -a -q 'ld-musl-' "$scratch/probe"; then
    echo "$scratch/probe does not ask for musl's loader"
    exit 1
fi
"$scratch/probe" "$1"
