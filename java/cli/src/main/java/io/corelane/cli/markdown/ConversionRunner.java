// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.List;

/** A way to run the jobs of a conversion. */
interface ConversionRunner {
    /**
     * Runs jobs until all have ended or the command is told to stop.
     *
     * @param progress called once for each job that has run, by whichever thread ran it
     * @return how each ended, in their order
     */
    List<Ending> run(List<PageJob> jobs, StopSignal stop, Runnable progress);
}
