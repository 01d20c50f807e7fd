// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;

/**
 * The job of one page: read, convert, write. Throws what goes wrong, for the scheduler to hand to whoever asks how the
 * job ended.
 *
 * @param page what to convert
 * @param converter how
 * @param sink where to
 * @param stop whether to start at all
 */
record PageJob(Page page, PageConverter converter, MarkdownSink sink, StopSignal stop) implements Callable<Ending> {
    @Override
    public Ending call() throws IOException {
        if (stop.requested()) {
            return new Ending.Dropped();
        }
        HeapEstimate.check(page.bytes());
        byte[] html = page.content().read();
        HeapEstimate.check(html);
        String text = PageText.decode(html);
        if (PageText.looksBinary(text)) {
            if (page.named()) {
                throw new PageException("is binary (expected HTML text)");
            }
            return new Ending.Skipped();
        }
        byte[] markdown = converter.convert(page, text).getBytes(StandardCharsets.UTF_8);
        sink.write(page.target(), markdown);
        return new Ending.Converted(html.length, markdown.length);
    }
}
