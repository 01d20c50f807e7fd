// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * One JVM: a row, a subject, and the how-manieth of its repetitions.
 *
 * @param row the work
 * @param subject who
 * @param repetition from 0
 */
record Fork(Row row, String subject, int repetition) {
    String id() {
        return row.id() + "." + subject + "." + repetition;
    }

    /**
     * Orders the forks of a profile A B B A: each repetition goes through rows and subjects in the opposite direction of
     * the one before, so that a machine that grows slower or faster treats all alike.
     */
    static List<Fork> plan(Profile profile) {
        List<Fork> forks = new ArrayList<>();
        for (int repetition = 0; repetition < profile.repetitions(); repetition++) {
            List<Fork> pass = new ArrayList<>();
            for (Row row : profile.rows()) {
                for (String subject : row.subjects()) {
                    pass.add(new Fork(row, subject, repetition));
                }
            }
            if (repetition % 2 == 1) {
                Collections.reverse(pass);
            }
            forks.addAll(pass);
        }
        return forks;
    }
}
