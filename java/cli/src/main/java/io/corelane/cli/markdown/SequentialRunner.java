// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.ArrayList;
import java.util.List;

/** Runs one job after the other on the calling thread. */
final class SequentialRunner implements ConversionRunner {
    @Override
    public List<Ending> run(List<PageJob> jobs, StopSignal stop, Runnable progress) {
        List<Ending> endings = new ArrayList<>(jobs.size());
        for (PageJob job : jobs) {
            endings.add(Ending.of(job));
            progress.run();
        }
        return endings;
    }
}
