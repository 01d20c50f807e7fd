// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.parking;

import io.corelane.Layouts;
import org.junit.jupiter.api.Test;

class EventCountLayoutTest {
    @Test
    void hotWordsHave128BytesForThemselves() {
        Layouts.assertPadded(EventCount.class, "control");
        Layouts.assertPadded(ParkSlot.class, "state");
    }
}
