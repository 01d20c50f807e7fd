// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.injector;

import io.corelane.Layouts;
import org.junit.jupiter.api.Test;

class InjectorShardLayoutTest {
    @Test
    void producersAndConsumerWriteAtLeast128BytesApart() {
        Layouts.assertApart(InjectorShard.class, "producerIndex", "consumerIndex");
        Layouts.assertApart(InjectorShard.class, "producerIndex", "lock");
        Layouts.assertApart(InjectorShard.class, "producerChunk", "consumerIndex");
        Layouts.assertPadded(InjectorShard.class, "producerIndex", "consumerIndex");
    }
}
