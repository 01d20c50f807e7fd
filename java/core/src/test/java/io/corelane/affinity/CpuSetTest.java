// SPDX-License-Identifier: Apache-2.0
package io.corelane.affinity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CpuSetTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''              | ''",
                "0               | 0",
                "0-3,8           | 0-3,8",
                "8,0-3           | 0-3,8",
                "0,1,2,3         | 0-3",
                "5-5             | 5",
                "0-3,2-6         | 0-6",
                "63,64,127,128   | 63-64,127-128",
                "255,256,8191    | 255-256,8191",
                "65535           | 65535",
                "0-7:2/4         | 0-1,4-5",
                "1-10:1/3        | 1,4,7,10",
            })
    void parsesTheKernelsListFormatAndPrintsItCanonically(String text, String printed) {
        CpuSet set = CpuSet.parse(text);
        assertThat(set).hasToString(printed);
        assertThat(CpuSet.parse(set.toString())).isEqualTo(set);
    }

    @Test
    void parsesTheContentOfAFileWithItsNewline() {
        assertThat(CpuSet.parse("0-1\n")).isEqualTo(CpuSet.of(0, 1));
        assertThat(CpuSet.parse("\n")).isEqualTo(CpuSet.empty());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0-3,x     | expected a CPU number, found 'x' at position 4",
                "0,        | expected a CPU number, found the end at position 2",
                ",0        | expected a CPU number, found ',' at position 0",
                "3-1       | the range 3-1 runs backwards, found '3' at position 0",
                "-1        | expected a CPU number, found '-' at position 0",
                "1-        | expected a CPU number, found the end at position 2",
                "0 1       | expected ',' or the end, found ' ' at position 1",
                "65536     | the number is above 65535, found '6' at position 0",
                "99999999999999999999 | the number is above 65535, found '9' at position 0",
                "0-7:0/4   | the stride 0/4 takes none or more than a group, found '0' at position 4",
                "0-7:5/4   | the stride 5/4 takes none or more than a group, found '5' at position 4",
                "0-7:2     | expected '/' and the size of a group, found the end at position 5",
                "0x3       | expected ',' or the end, found 'x' at position 1",
                "٣         | expected a CPU number, found '٣' at position 0",
            })
    void rejectsNonsenseWithTheTextAndThePosition(String text, String message) {
        assertThatThrownBy(() -> CpuSet.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("CPU list \"" + text + "\": " + message);
    }

    @Test
    void refusesNumbersOutOfRange() {
        assertThatThrownBy(() -> CpuSet.of(-1)).hasMessage("cpu=-1 (expected 0..65535)");
        assertThatThrownBy(() -> CpuSet.of(65536)).hasMessage("cpu=65536 (expected 0..65535)");
        assertThatThrownBy(() -> CpuSet.range(3, 2)).hasMessage("last=2 (expected at least first=3)");
        assertThatThrownBy(() -> CpuSet.of(1).limit(-1)).hasMessage("count=-1 (expected at least 0)");
        assertThatThrownBy(() -> CpuSet.fromMask(new byte[] {0, 0, 0, 1}).union(CpuSet.fromMask(tooWide())))
                .hasMessageContaining("expected 0..65535");
    }

    private static byte[] tooWide() {
        byte[] mask = new byte[8193];
        mask[8192] = 1;
        return mask;
    }

    @Test
    void setAlgebraAgreesWithBitSetOnRandomSets() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 1000; round++) {
            BitSet a = randomBits(random);
            BitSet b = randomBits(random);
            CpuSet left = CpuSet.of(a.stream().toArray());
            CpuSet right = CpuSet.of(b.stream().toArray());
            assertThat(left.union(right).toArray()).as("seed %d", seed).isEqualTo(or(a, b));
            assertThat(left.intersect(right).toArray()).as("seed %d", seed).isEqualTo(and(a, b));
            assertThat(left.minus(right).toArray()).as("seed %d", seed).isEqualTo(andNot(a, b));
            assertThat(left.containsAll(left.intersect(right))).isTrue();
            assertThat(CpuSet.fromMask(left.toMask())).isEqualTo(left).hasSameHashCodeAs(left);
            assertThat(CpuSet.parse(left.toString())).isEqualTo(left);
        }
    }

    private static BitSet randomBits(SplittableRandom random) {
        BitSet bits = new BitSet();
        int count = random.nextInt(40);
        int range = 1 << random.nextInt(1, 14);
        for (int i = 0; i < count; i++) {
            bits.set(random.nextInt(range));
        }
        return bits;
    }

    private static int[] or(BitSet a, BitSet b) {
        BitSet result = (BitSet) a.clone();
        result.or(b);
        return result.stream().toArray();
    }

    private static int[] and(BitSet a, BitSet b) {
        BitSet result = (BitSet) a.clone();
        result.and(b);
        return result.stream().toArray();
    }

    private static int[] andNot(BitSet a, BitSet b) {
        BitSet result = (BitSet) a.clone();
        result.andNot(b);
        return result.stream().toArray();
    }

    @Test
    void answersQuestionsAboutItsMembers() {
        CpuSet set = CpuSet.parse("2-4,9");
        assertThat(set.contains(3)).isTrue();
        assertThat(set.contains(5)).isFalse();
        assertThat(set.contains(-1)).isFalse();
        assertThat(set.contains(Integer.MAX_VALUE)).isFalse();
        assertThat(set.size()).isEqualTo(4);
        assertThat(set.first()).isEqualTo(2);
        assertThat(set.last()).isEqualTo(9);
        assertThat(set.limit(2)).hasToString("2-3");
        assertThat(set.limit(99)).isEqualTo(set);
        assertThat(CpuSet.empty().first()).isEqualTo(-1);
        assertThat(CpuSet.empty().last()).isEqualTo(-1);
        assertThat(CpuSet.empty().isEmpty()).isTrue();
        assertThat(CpuSet.empty().toMask()).hasSize(1);
        assertThat(set.containsAll(CpuSet.empty())).isTrue();
        assertThat((Object) set).isNotEqualTo("2-4,9");
    }
}
