#!/bin/sh
# Checks the built library from outside: what it exports, what it needs, and that it keeps nothing.
#
#     check_library.sh LIBRARY OBJDUMP NM
#
# Exit code 0: as it should be; 1: a fault, printed; 77: a tool is missing, not checked.
set -u
export LC_ALL=C

library=$1
objdump=$2
nm=$3
faults=0

fault() {
    echo "$1"
    faults=1
}

for tool in "$objdump" "$nm"; do
    if ! command -v "$tool" >/dev/null 2>&1; then
        echo "skipped: '$tool' not found"
        exit 77
    fi
done
if ! dynamic_symbols=$("$objdump" -T "$library") || ! sections=$("$objdump" -h "$library") \
        || ! private_header=$("$objdump" -p "$library") || ! symbols=$("$nm" "$library"); then
    echo "$library cannot be read"
    exit 1
fi

# equal NAME FOUND EXPECTED: lists of words, in any order
equal() {
    found=$(printf '%s\n' $2 | sort)
    expected=$(printf '%s\n' $3 | sort)
    if [ "$found" != "$expected" ]; then
        fault "$1:"
        printf 'found: %s\nexpected: %s\n' "$(echo $found)" "$(echo $expected)"
    fi
}

# none NAME FOUND
none() {
    if [ -n "$2" ]; then
        fault "$1: $(echo $2)"
    fi
}

# The symbols that Java binds. A change here is a change of the ABI version. _init and _fini come from musl's start-up
# files.
exported=$(echo "$dynamic_symbols" | awk 'NF > 5 && $2 != "l" && !/\*UND\*/ { print $NF }' \
    | grep -v -x -E '_init|_fini')
equal "exported symbols" "$exported" "
    corelane_abi_version
    corelane_current_cpu
    corelane_current_node
    corelane_file_lock
    corelane_file_unlock
    corelane_thread_get_affinity
    corelane_thread_get_name
    corelane_thread_get_timer_slack
    corelane_thread_id
    corelane_thread_set_affinity
    corelane_thread_set_name
    corelane_thread_set_timer_slack"

# What glibc 2.17 and musl both have. Weak symbols are the business of the compiler's start-up files and may be missing.
# memcpy and memset appear only where the compiler does not expand them.
imported=$(echo "$dynamic_symbols" | awk '/\*UND\*/ && $2 != "w" { print $NF }')
none "imported symbols that were not checked against musl" "$(printf '%s\n' $imported | grep -v -x -E \
    '__errno_location|close|flock|memcpy|memset|open|prctl|sched_getcpu|strnlen|syscall')"

none "symbol versions newer than GLIBC_2.17" "$(echo "$private_header $dynamic_symbols" | grep -o 'GLIBC_[0-9.]*' \
    | sort -u | awk -F '[_.]' '$2 > 2 || $3 > 17')"

# The loader of musl answers to the name libc.so.6, too; any other name would not be found there.
needed=$(echo "$private_header" | awk '$1 == "NEEDED" { print $2 }')
case $needed in
libc.so.6 | libc.so | libc.musl-*.so.1) ;;
*) fault "needed libraries: $(echo $needed) (expected libc alone)" ;;
esac

# No statics: what is writable comes from the compiler's start-up files and from the linker.
none "writable variables" "$(echo "$symbols" | awk 'NF == 3 && $2 ~ /^[bBdDcCsSgGuVv]$/ { print $3 }' | grep -v -x -E \
    'completed\.[0-9]+|__dso_handle|__TMC_END__|__bss_start__?|__bss_end__|_bss_end__|__end__|_edata|_end|_DYNAMIC'\
'|_GLOBAL_OFFSET_TABLE_|__(frame_dummy|do_global_dtors_aux_fini)_(init_)?array_entry|object\.[0-9]+')"
size_of() {
    echo "$sections" | awk -v name="$1" '$2 == name { size = $3 } END { print size == "" ? "0" : size }'
}
for section in .data .bss; do
    size=$((0x$(size_of $section)))
    [ "$size" -le 64 ] || fault "$section: $size bytes (expected 64 at most, from the start-up files)"
done
for section in .tdata .tbss .preinit_array .ctors; do
    none "section that should not be there" "$(echo "$sections" | awk -v name=$section '$2 == name { print name }')"
done

# No constructor: one entry, which is the start-up files' own.
size=$((0x$(size_of .init_array)))
[ "$size" -le 8 ] || fault ".init_array: $size bytes (expected 8 at most: no constructors)"

for section in .eh_frame .note.gnu.build-id; do
    [ "$(size_of $section)" != 0 ] || fault "$section is missing"
done

exit $faults
