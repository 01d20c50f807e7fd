// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether everything that a class loader has brought in can be collected once its schedulers are closed. */
class ClassLoaderCollectionIT {
    @ParameterizedTest
    @ValueSource(strings = {"OFF", "REQUIRED"})
    void aLoaderThatHasUsedAndClosedASchedulerIsCollected(String pinning) throws Exception {
        String output = ChildJvm.run(List.of(), List.of(), ClassLoaderProgram.class, pinning);
        assertThat(output).contains("collected");
    }
}
