// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PageJobTest {
    private final Map<String, String> written = new HashMap<>();
    private final StopSignal stop = new StopSignal(Thread.currentThread());

    private PageJob job(long bytes, boolean named, PageContent content) {
        Page page = new Page("a.html", new Location("", "a.html"), "a.md", bytes, named, content);
        return new PageJob(
                page,
                new PageConverter(new LinkIndex(List.of(page))),
                (target, markdown) -> written.put(target, new String(markdown, UTF_8)),
                stop);
    }

    @Test
    void pageIsReadConvertedAndWritten() throws IOException {
        Ending ending = job(0, false, () -> "<p>\u00fc".getBytes(UTF_8)).call();

        String markdown = written.getOrDefault("a.md", "");
        assertThat(markdown).endsWith("\n\u00fc\n");
        assertThat(ending).isEqualTo(new Ending.Converted(5, markdown.getBytes(UTF_8).length));
    }

    @Test
    void binaryPageIsSkippedUnlessTheUserNamedIt() throws IOException {
        assertThat(job(0, false, () -> new byte[10]).call()).isEqualTo(new Ending.Skipped());
        assertThatThrownBy(() -> job(0, true, () -> new byte[10]).call()).hasMessage("is binary (expected HTML text)");
        assertThat(written).isEmpty();
    }

    @Test
    void pageThatCannotFitTheHeapIsRefusedBeforeItIsRead() {
        PageJob job = job(Runtime.getRuntime().maxMemory(), false, () -> {
            throw new AssertionError("was read");
        });
        assertThatThrownBy(job::call)
                .isInstanceOf(PageException.class)
                .hasMessageContaining("has " + Runtime.getRuntime().maxMemory() + " bytes, which may take ")
                .hasMessageContaining("give java a larger -Xmx");
    }

    @Test
    void pageOfMoreTagsThanFitTheHeapIsRefusedBeforeItIsParsed() {
        byte[] tags = new byte[(int) (Runtime.getRuntime().maxMemory() / 500)];
        Arrays.fill(tags, (byte) '<');
        assertThatThrownBy(() -> job(0, false, () -> tags).call())
                .isInstanceOf(PageException.class)
                .hasMessageContaining("has " + tags.length + " bytes and " + tags.length + " tags, which may take ");
    }

    @Test
    void nothingStartsOnceTheCommandIsToldToStop() throws IOException {
        stop.request();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(job(0, false, () -> "<p>x".getBytes(UTF_8)).call()).isEqualTo(new Ending.Dropped());
        assertThat(written).isEmpty();
    }
}
