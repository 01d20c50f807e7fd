// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.io.IOException;

/** Takes the Markdown of pages. */
@FunctionalInterface
interface MarkdownSink {
    /** Drops everything, for runs that are only measured. */
    MarkdownSink NOWHERE = (target, markdown) -> {};

    /** Writes one file, whole or not at all; called by many workers at once. */
    void write(String target, byte[] markdown) throws IOException;
}
