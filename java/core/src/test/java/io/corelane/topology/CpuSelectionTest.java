// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.affinity.CpuSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CpuSelectionTest {
    private static final long SEED = Long.getLong("corelane.topology.seed", 20_261_130L);
    private static final int ROUNDS = 2000;

    @Test
    void whatIsPrintedIsReadAgain() {
        System.out.println("CpuSelectionTest: seed " + SEED);
        RandomSelection random = new RandomSelection(SEED);
        for (int i = 0; i < ROUNDS; i++) {
            CpuSelection selection = random.next(600);
            CpuSelection again = CpuSelection.parse(selection.toString());
            assertThat(again).as("round " + i).isEqualTo(selection).hasSameHashCodeAs(selection);
            assertThat(again.toString()).isEqualTo(selection.toString());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "allowed                        | allowed",
                "' \t allowed \n '              | allowed",
                "cpus:5,2-4                     | cpus:2-5",
                "0-3,8                          | cpus:0-3,8",
                "pack 8 isolated                | cpus:8 isolated pack",
                "isolated                       | allowed isolated",
                "class:efficiency,Performance   | allowed class:performance,efficiency",
                "class:low-power                | allowed class:low-power",
                "node:3,0-1                     | allowed node:0-1,3",
                "socket:1                       | allowed socket:1",
                "llc:15,14                      | allowed llc:14-15",
                "exclude:0,16                   | allowed exclude:0,16",
                "one-per-core                   | allowed one-per-core",
                "whole-cores                    | allowed whole-cores",
                "first:4 spread                 | allowed spread first:4",
                "at-least:2 first:2             | allowed first:2 at-least:2",
                "at-least:3 first:8 spread whole-cores exclude:0 llc:1 socket:0 node:0 class:performance isolated 0-9"
                        + " | cpus:0-9 isolated class:performance node:0 socket:0 llc:1 exclude:0 whole-cores spread first:8"
                        + " at-least:3"
            })
    void everyWordIsRead(String text, String printed) {
        assertThat(CpuSelection.parse(text)).hasToString(printed);
    }

    @Test
    void theBuilderWritesTheSameWords() {
        CpuSelection selection = CpuSelection.of(CpuSet.range(0, 9))
                .isolatedOnly()
                .classes(CoreClass.LOW_POWER, CoreClass.PERFORMANCE)
                .nodes(1, 0, 1)
                .sockets(0)
                .llcDomains(2)
                .excluding(CpuSet.of(1))
                .excluding(CpuSet.of(0))
                .wholeCores()
                .order(CpuSelection.Order.PACK)
                .first(3)
                .atLeast(3);
        assertThat(selection)
                .hasToString(
                        "cpus:0-9 isolated class:performance,low-power node:0-1 socket:0 llc:2 exclude:0-1 whole-cores"
                                + " pack first:3 at-least:3");
    }

    @Test
    void eachStepMakesANewSelection() {
        CpuSelection allowed = CpuSelection.allowed();
        CpuSelection one = allowed.onePerCore();
        one.nodes(1).first(2);
        assertThat(allowed).hasToString("allowed");
        assertThat(one).hasToString("allowed one-per-core");
    }

    @Test
    void selectionsOfTheSameWordsAreEqual() {
        CpuSelection selection = CpuSelection.allowed().nodes(1).first(2);
        assertThat(selection)
                .isEqualTo(CpuSelection.allowed().first(2).nodes(1, 1))
                .isNotEqualTo(CpuSelection.allowed().first(2).sockets(1))
                .isNotEqualTo(CpuSelection.allowed().first(3).nodes(1))
                .isNotEqualTo("allowed node:1 first:2");
        assertThat(CpuSelection.allowed().onePerCore())
                .isNotEqualTo(CpuSelection.allowed().wholeCores());
    }

    private static final String WORDS = "expected words of allowed, cpus:LIST, isolated, class:NAMES, node:LIST,"
            + " socket:LIST, llc:LIST, exclude:LIST, one-per-core, whole-cores, pack, spread, first:N, at-least:N";

    @ParameterizedTest
    @ValueSource(strings = {"everything", "Allowed", "nodes:1", ":", ":0", "-", "x:0-3", "\u00b2", ";pack"})
    void anUnknownWordIsNamedWithAllThatThereAre(String word) {
        assertRefused("pack " + word, "has the unknown word \"" + word + "\" (" + WORDS + ")");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\n"})
    void anEmptyTextIsRefused(String text) {
        assertRefused(text, "is empty (" + WORDS + ")");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "node       | node:0-1,4",
                "node:      | node:0-1,4",
                "cpus       | cpus:2-5,8",
                "cpus:      | cpus:2-5,8",
                "class:     | class:performance,efficiency",
                "socket:    | socket:0",
                "llc:       | llc:0-3",
                "exclude:   | exclude:0,16",
                "first      | first:4",
                "at-least:  | at-least:2"
            })
    void aWordThatLacksItsValueIsRefusedWithAnExample(String word, String example) {
        assertRefused(word, "has \"" + word + "\" without a value (expected one, as in " + example + ")");
    }

    @ParameterizedTest
    @ValueSource(strings = {"allowed", "isolated", "one-per-core", "whole-cores", "pack", "spread"})
    void aWordWithAValueThatItDoesNotTakeIsRefused(String word) {
        assertRefused(word + ":1", "has \"" + word + ":1\", which takes no value (expected " + word + " alone)");
        assertRefused(word + ":", "has \"" + word + ":\", which takes no value (expected " + word + " alone)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"cpus:x", "0-", "0,,1", "3-1", "node:-1", "socket:0,", "llc:65536", "exclude:all", "node:0;1"})
    void aWordThatIsNoListIsRefused(String word) {
        assertRefused(word, "has \"" + word + "\" (expected numbers and ranges, as in ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"first:x", "first:-1", "at-least:1.5", "at-least:9999999999", "first:1-2"})
    void aWordThatIsNoCountIsRefused(String word) {
        assertRefused(word, "has \"" + word + "\" (expected a number from 1 on, as in ");
    }

    @Test
    void aCountOfNoneIsRefused() {
        assertRefused("first:0", "has first:0 (expected 1..999999999)");
        assertRefused("at-least:0", "has at-least:0 (expected 1..999999999)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CpuSelection.allowed().first(0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CpuSelection.allowed().atLeast(-1));
    }

    @Test
    void anUnknownClassIsNamedWithThoseThatThereAre() {
        assertRefused(
                "class:performance,turbo",
                "has \"class:performance,turbo\" with the unknown class \"turbo\""
                        + " (expected names of performance, efficiency, low-power)");
        assertRefused("class:efficiency,", "has \"class:efficiency,\" with the unknown class \"\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "one-per-core | whole-cores  | (expected one of them)",
                "whole-cores  | whole-cores  | (expected one of them)",
                "pack         | spread       | (expected one of them)",
                "allowed      | 0-3          | (expected one of them, with all its values as in cpus:2-5,8)",
                "0-3          | allowed      | (expected one of them)",
                "cpus:0       | 4-7          | (expected one of them, with all its values as in cpus:2-5,8)",
                "node:0       | node:1       | (expected one of them, with all its values as in node:0-1,4)",
                "exclude:1    | exclude:2    | (expected one of them, with all its values as in exclude:0,16)",
                "first:1      | first:1      | (expected one of them, with all its values as in first:4)",
            })
    void wordsThatContradictEachOtherAreBothNamed(String one, String other, String expected) {
        assertRefused(one + " " + other, "has \"" + one + "\" and \"" + other + "\" " + expected);
    }

    @Test
    void moreAtLeastThanFirstIsRefused() {
        String problem = "first:2 and at-least:3 (expected at-least to be no more than first)";
        assertRefused("first:2 at-least:3", "has " + problem);
        assertRefused("at-least:3 first:2", "has " + problem);
        assertThatThrownBy(() -> CpuSelection.allowed().atLeast(3).first(2)).hasMessage(problem);
        assertThatThrownBy(() -> CpuSelection.allowed().first(2).atLeast(3)).hasMessage(problem);
    }

    @Test
    void aCpuThatIsNamedTwiceIsRefused() {
        assertRefused("cpus:0-3,8,2-4", "has \"cpus:0-3,8,2-4\", which names 2-3 twice (expected each CPU once)");
        assertRefused("7,7", "has \"7,7\", which names 7 twice (expected each CPU once)");
    }

    @Test
    void theBuilderRefusesWhatNoTextSays() {
        assertThatThrownBy(() -> CpuSelection.of(CpuSet.empty()))
                .hasMessage("cpus is empty (expected at least one CPU)");
        assertThatThrownBy(() -> CpuSelection.allowed().nodes())
                .hasMessage("nodes=[] (expected one or more numbers from 0 to 65535)");
        assertThatThrownBy(() -> CpuSelection.allowed().sockets(0, -1))
                .hasMessage("sockets=[0, -1] (expected one or more numbers from 0 to 65535)");
        assertThatThrownBy(() -> CpuSelection.allowed().llcDomains(65536))
                .hasMessage("llcs=[65536] (expected one or more numbers from 0 to 65535)");
    }

    /** Whatever is typed gives a selection or a message of ours. */
    @Test
    void noTextBreaksTheParser() {
        RandomSelection random = new RandomSelection(SEED);
        List<String> pieces = List.of(
                "allowed",
                "cpus",
                "node",
                "class",
                "first",
                "at-least",
                "pack",
                ":",
                ":",
                " ",
                " ",
                "0",
                "1-",
                "-3",
                ",",
                "performance",
                "99999999999",
                "\u0663",
                "\0",
                "exclude:",
                "one-per-core",
                "\n");
        for (int i = 0; i < ROUNDS; i++) {
            StringBuilder text = new StringBuilder();
            for (int j = random.number(8); j >= 0; j--) {
                text.append(pieces.get(random.number(pieces.size())));
            }
            try {
                CpuSelection selection = CpuSelection.parse(text.toString());
                assertThat(CpuSelection.parse(selection.toString())).isEqualTo(selection);
            } catch (IllegalArgumentException refused) {
                assertThat(refused)
                        .hasMessageStartingWith("selection \"" + text + "\" ")
                        .hasMessageContaining("(expected ");
            }
        }
    }

    private static void assertRefused(String text, String problem) {
        assertThatThrownBy(() -> CpuSelection.parse(text))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("selection \"" + text + "\" " + problem);
    }
}
