#!/bin/sh
# Runs a program of the aarch64 build under qemu.
#
#     run_aarch64.sh PROGRAM
#
# Exit code: that of the program; 77: there is no qemu for it, not run.
for qemu in qemu-aarch64 qemu-aarch64-static; do
    if command -v "$qemu" >/dev/null 2>&1; then
        exec "$qemu" -L /usr/aarch64-linux-gnu "$1"
    fi
done
echo "skipped: qemu-aarch64 not found (Debian's package qemu-user)"
exit 77
