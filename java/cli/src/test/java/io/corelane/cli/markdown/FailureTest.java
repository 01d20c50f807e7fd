// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.util.zip.ZipException;
import org.junit.jupiter.api.Test;

class FailureTest {
    private static String reason(Throwable cause) {
        return Failure.of("page", cause).reason();
    }

    @Test
    void errorsOfTheMachineNameTheRemedy() {
        assertThat(reason(new StackOverflowError()))
                .startsWith("StackOverflowError")
                .contains("-Xss");
        assertThat(reason(new OutOfMemoryError("Java heap space")))
                .isEqualTo("OutOfMemoryError: Java heap space (give java a larger -Xmx)");
    }

    @Test
    void errorsOfFilesSayWhatTheyAre() {
        assertThat(reason(new NoSuchFileException("f")))
                .startsWith("does not exist")
                .endsWith(": f");
        assertThat(reason(new AccessDeniedException("f"))).isEqualTo("permission denied: f");
        assertThat(reason(new ZipException("invalid code"))).startsWith("is damaged: invalid code");
        assertThat(reason(new IOException("disk on fire"))).isEqualTo("IOException: disk on fire");
        assertThat(reason(new UncheckedIOException(new AccessDeniedException("f"))))
                .isEqualTo("permission denied: f");
        assertThat(reason(new InvalidPathException("\u00fc", "unmappable"))).contains("LC_ALL=C.UTF-8");
    }

    @Test
    void anythingElseKeepsItsType() {
        assertThat(reason(new IllegalStateException())).isEqualTo("IllegalStateException: no message");
    }
}
