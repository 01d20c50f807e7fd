// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import io.corelane.Layouts;
import org.junit.jupiter.api.Test;

class LoneJobLayoutTest {
    @Test
    void whatIdleWorkersWriteHas128BytesForItself() {
        Layouts.assertPadded(LoneJob.class, "taken", "since");
    }
}
