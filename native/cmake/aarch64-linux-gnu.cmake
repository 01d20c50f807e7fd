# Builds for aarch64 with Debian's cross compiler (gcc-aarch64-linux-gnu, libc6-dev-arm64-cross); the tests run under
# qemu-aarch64 (qemu-user) if it is there:
#
#     cmake -S . -B build-aarch64 -DCMAKE_TOOLCHAIN_FILE=native/cmake/aarch64-linux-gnu.cmake -DCORELANE_SANITIZERS=OFF
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)

find_program(CORELANE_QEMU_AARCH64 NAMES qemu-aarch64 qemu-aarch64-static DOC "Runs the tests of the aarch64 library")
mark_as_advanced(CORELANE_QEMU_AARCH64)
if(CORELANE_QEMU_AARCH64)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${CORELANE_QEMU_AARCH64} -L /usr/aarch64-linux-gnu)
endif()
