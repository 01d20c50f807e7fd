// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.deque;

import io.corelane.Layouts;
import org.junit.jupiter.api.Test;

class WorkDequeLayoutTest {
    @Test
    void ownerAndThievesWriteAtLeast128BytesApart() {
        Layouts.assertApart(FifoWorkDeque.class, "bottom", "top");
        Layouts.assertApart(FifoWorkDeque.class, "buffer", "top");
        Layouts.assertApart(LifoWorkDeque.class, "bottom", "top");
        Layouts.assertPadded(FifoWorkDeque.class, "bottom", "top");
        Layouts.assertPadded(LifoWorkDeque.class, "bottom", "top");
    }
}
