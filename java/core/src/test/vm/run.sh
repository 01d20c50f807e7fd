#!/usr/bin/env bash
# Runs the pinning tests on a machine that is larger than the one at hand: a virtual one, emulated in software, with
# 2 sockets of 2 cores of 2 threads and 2 NUMA nodes, a Debian kernel, and a root of busybox, a JDK and our own jars in
# memory. Prints its topology and plans, then the tests. Takes four minutes of processor time. From the top of the repository, as root:
#
#     apt-get install -y --no-install-recommends qemu-system-x86 busybox-static cpio
#     mvn -DskipTests package && java/core/src/test/vm/run.sh
#
# SHAPE=1,4,2,1 gives another shape (sockets, cores, threads, nodes), TESTS other test classes. Exit code: 0 if all passed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../../../.." && pwd)
shape=${SHAPE:-2,2,2,2}
tests=${TESTS:-io.corelane.LargerMachineTest io.corelane.affinity.ThreadAffinityTest
    io.corelane.affinity.PinnedThreadFactoryTest io.corelane.topology.LiveTopologyTest
    io.corelane.internal.ownership.CpuClaimsTest}
work=$top/java/core/target/vm
root=$work/root
IFS=, read -r sockets cores threads nodes <<<"$shape"

for tool in qemu-system-x86_64 busybox cpio mvn; do
    command -v "$tool" >/dev/null || { echo "$tool is missing; the head of $0 says what to install"; exit 1; }
done
java_home=${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")}
mkdir -p "$work"

# The kernel of Debian's package, without installing it: nothing here needs a module.
if ! ls "$work"/kernel/boot/vmlinuz-* >/dev/null 2>&1; then
    package=$(apt-cache depends linux-image-amd64 | awk '$1 == "Depends:" && $2 ~ /^linux-image-/ { print $2; exit }')
    (cd "$work" && apt-get download -q "$package" && dpkg-deb -x linux-image-*.deb kernel)
fi
kernel=$(ls "$work"/kernel/boot/vmlinuz-* | tail -1)

rm -rf "$root"
mkdir -p "$root/bin" "$root/app/lib"
cp "$(command -v busybox)" "$root/bin/busybox"
cp "$here/init" "$root/init"
"$java_home/bin/jlink" --module-path "$java_home/jmods" --add-modules java.se,jdk.unsupported,jdk.management,jdk.zipfs \
    --no-man-pages --no-header-files --strip-java-debug-attributes --output "$root/jdk"
find "$root/jdk" -name '*.debuginfo' -delete

cp "$top/java/cli/target/corelane.jar" "$root/app/corelane.jar"
cp -r "$top/java/core/target/classes" "$top/java/core/target/test-classes" "$root/app/"
rm -rf "$root/app/test-classes/topologies"
junit=$(sed -n 's|.*<junit.version>\(.*\)</junit.version>.*|\1|p' "$top/pom.xml")
(cd "$top" && mvn -q -B -N dependency:copy "-DoutputDirectory=$work/lib" \
    "-Dartifact=org.junit.platform:junit-platform-console-standalone:$junit")
(cd "$top" && mvn -q -B -pl java/core dependency:build-classpath "-Dmdep.outputFile=$work/classpath")
cp "$work/lib/"*.jar "$root/app/lib/"
tr ':' '\n' <"$work/classpath" | grep -E '/(jna|jctools-core|assertj-core|byte-buddy|jimfs|guava|commons-compress|commons-io)-[0-9]' \
    | xargs -I{} cp {} "$root/app/lib/"
for test in $tests; do
    echo "--select-class $test"
done >"$root/app/tests"

# What the JDK and JNA are linked with.
find "$root/jdk" -type f \( -name '*.so' -o -path '*/bin/java' \) -print0 \
    | xargs -0 ldd 2>/dev/null | grep -oE '/[^ ]+\.so[^ ]*' | grep -v "^$root" | sort -u >"$work/libraries"
while read -r library; do
    case $library in *:) continue ;; esac
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
done <"$work/libraries"
(cd "$root" && find . | cpio --quiet -o -H newc | gzip -1) >"$work/initramfs.gz"

memory=2048
arguments=()
per_node=$((sockets * cores * threads / nodes))
for ((node = 0; node < nodes; node++)); do
    arguments+=(-object "memory-backend-ram,id=m$node,size=$((memory / nodes))M"
        -numa "node,nodeid=$node,cpus=$((node * per_node))-$(((node + 1) * per_node - 1)),memdev=m$node")
done
for ((a = 0; a < nodes; a++)); do
    for ((b = 0; b < nodes; b++)); do
        [ "$a" = "$b" ] || arguments+=(-numa "dist,src=$a,dst=$b,val=21")
    done
done
timeout "${LIMIT:-1800}" qemu-system-x86_64 -machine q35 -accel tcg,thread=multi -cpu Nehalem,l3-cache=on -m "$memory" \
    -smp "$((sockets * cores * threads)),sockets=$sockets,cores=$cores,threads=$threads" "${arguments[@]}" \
    -kernel "$kernel" -initrd "$work/initramfs.gz" -display none -serial stdio -monitor none -no-reboot \
    -append "console=ttyS0 quiet panic=-1 corelane.machine=$shape" </dev/null | sed -u 's|\r$||' | tee "$work/output.txt"
grep -qx '== exit code 0' "$work/output.txt"
