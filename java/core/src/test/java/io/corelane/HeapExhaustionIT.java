// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeapExhaustionIT {
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aPoolSurvivesAFullHeapAndLosesNoAcceptedJob(int workers) throws Exception {
        String output =
                ChildJvm.run(List.of(), List.of("-Xmx24m"), HeapExhaustionProgram.class, Integer.toString(workers));
        assertThat(output).contains("all is as it should be");
    }

    @Test
    void aHandleThatIsRunByHandInAFullHeapEnds() throws Exception {
        String output = ChildJvm.run(List.of(), List.of("-Xmx24m", "-XX:-UseTLAB"), HeapExhaustionByHandProgram.class);
        assertThat(output).contains("all is as it should be");
    }

    @Test
    void aCancelThatHasNoMemoryForItsAlarmsIsComplete() throws Exception {
        String output = ChildJvm.run(List.of(), List.of("-Xmx24m", "-XX:-UseTLAB"), HeapExhaustionCancelProgram.class);
        assertThat(output).contains("all is as it should be");
    }

    @Test
    void aRepeatedJobThatCannotBeQueuedAgainFails() throws Exception {
        String output =
                ChildJvm.run(List.of(), List.of("-Xmx96m", "-XX:+UseSerialGC"), HeapExhaustionRepetitionProgram.class);
        assertThat(output).contains("all is as it should be");
    }
}
