// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.corelane.benchmarks.Subjects;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class ForkTest {
    private static Profile profile(int repetitions) {
        Row a = new Row("a", "", Row.Kind.EXECUTE, 1, 1, 0, "", List.of("x", "y"));
        Row b = new Row("b", "", Row.Kind.SUBMIT, 1, 1, 0, "", List.of("x"));
        return new Profile("p", List.of(a, b), repetitions, 1, 1, 1, 64, 1, 0);
    }

    @Test
    void everyPassGoesTheOtherWay() {
        assertThat(Fork.plan(profile(4)).stream().map(Fork::id))
                .containsExactly(
                        "a.x.0", "a.y.0", "b.x.0", //
                        "b.x.1", "a.y.1", "a.x.1", //
                        "a.x.2", "a.y.2", "b.x.2", //
                        "b.x.3", "a.y.3", "a.x.3");
    }

    @Test
    void theProfilesNameEachForkOnceAndOnlyKnownSubjects() {
        for (Profile profile : List.of(Profile.quick(2), Profile.full(2), Profile.full(8), Profile.smoke())) {
            List<String> ids = Fork.plan(profile).stream().map(Fork::id).toList();
            assertThat(new HashSet<>(ids).size()).as(profile.name()).isEqualTo(ids.size());
            for (Row row : profile.rows()) {
                assertThat(row.ours()).startsWith("corelane");
                if (row.kind() == Row.Kind.EXECUTE) {
                    assertThat(row.subjects().contains("direct"))
                            .as("%s has a bound", row.id())
                            .isEqualTo(row.jobNanos() > 0);
                }
                assertThat(row.subjects())
                        .filteredOn(subject -> !subject.equals("direct")
                                && row.kind() != Row.Kind.KEYED
                                && row.kind() != Row.Kind.LOOP)
                        .isSubsetOf(Subjects.NAMES);
            }
        }
    }

    @Test
    void quickAndFullHaveTheRowsOfJobsWithWorkThatTheGoalsName() {
        for (Profile profile : List.of(Profile.quick(2), Profile.full(2))) {
            assertThat(profile.rows())
                    .as(profile.name())
                    .extracting(Row::id)
                    .contains("execute-1x2-1000", "execute-4x2-1000", "execute-64x2-1000", "execute-1x2-5000");
        }
    }

    @Test
    void fullHasPinsBesideANeighbourAndWithoutOne() {
        assertThat(Profile.full(2).rows())
                .filteredOn(row -> row.kind() == Row.Kind.NEIGHBOUR)
                .extracting(Row::variant, Row::subjects)
                .containsExactly(
                        tuple("noisy", List.of("corelane", "corelane-unpinned", "fjp-fifo", "tpe-lbq")),
                        tuple("none", List.of("corelane", "corelane-unpinned", "fjp-fifo", "tpe-lbq")));
    }

    @Test
    void theQuickProfileFitsIntoFiveMinutes() {
        Profile quick = Profile.quick(2);
        double seconds = Fork.plan(quick).size() * (quick.warmUpMillis() + quick.measureMillis() + 900) / 1e3;
        assertThat(quick.budgetSeconds())
                .as("after that, repetitions are left out")
                .isLessThan(300);
        assertThat(seconds / 2).as("the first repetition, which always runs").isLessThan(150);
    }
}
