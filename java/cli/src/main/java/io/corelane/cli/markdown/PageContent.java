// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.io.IOException;

/** Reads one page; called by the job that converts it, so that no more pages are in memory than jobs run. */
@FunctionalInterface
interface PageContent {
    byte[] read() throws IOException;
}
