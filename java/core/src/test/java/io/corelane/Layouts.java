// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import org.openjdk.jol.info.ClassLayout;
import org.openjdk.jol.info.FieldLayout;

/** Asserts distances between fields on the running JVM. */
public final class Layouts {
    private static final int DISTANCE = 128;

    private Layouts() {}

    /** Asserts that two fields cannot share a pair of cache lines. */
    public static void assertApart(Class<?> type, String left, String right) {
        ClassLayout layout = ClassLayout.parseClass(type);
        long distance = Math.abs(offset(layout, left) - offset(layout, right));
        assertThat(distance)
                .as("%s.%s to .%s%n%s", type, left, right, layout.toPrintable())
                .isGreaterThanOrEqualTo(DISTANCE);
    }

    /** Asserts that the fields are as far from both ends of the object, and so from any neighbour on the heap. */
    public static void assertPadded(Class<?> type, String... fields) {
        ClassLayout layout = ClassLayout.parseClass(type);
        for (String field : fields) {
            long offset = offset(layout, field);
            assertThat(offset).as("%s.%s from the start", type, field).isGreaterThanOrEqualTo(DISTANCE);
            assertThat(layout.instanceSize() - offset - Long.BYTES)
                    .as("%s.%s to the end", type, field)
                    .isGreaterThanOrEqualTo(DISTANCE - Long.BYTES);
        }
    }

    private static long offset(ClassLayout layout, String name) {
        for (FieldLayout field : layout.fields()) {
            if (field.name().equals(name)) {
                return field.offset();
            }
        }
        throw new AssertionError("no field " + name + " in\n" + layout.toPrintable());
    }
}
