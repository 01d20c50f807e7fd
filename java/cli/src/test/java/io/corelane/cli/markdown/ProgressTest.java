// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgressTest {
    @Test
    void barShowsHowFarItIs() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Progress progress = new Progress.Bar("markdown", 4, new PrintStream(out, true, UTF_8))) {
            progress.run();
            progress.run();
        }
        assertThat(out.toString(UTF_8)).contains("markdown", "50%", "2/4").endsWith(System.lineSeparator());
    }

    @ParameterizedTest
    @CsvSource({
        "/dev/pts/0,xterm,true",
        "/dev/tty1,linux,true",
        "/dev/console,vt100,true",
        "/dev/pts/0,dumb,false",
        "/dev/null,xterm,false",
        "pipe:[123],xterm,false",
        "/tmp/pts/0,xterm,false"
    })
    void onlyATerminalIsATerminal(String device, String term, boolean terminal) {
        assertThat(Progress.Terminal.isTerminal(device, term)).isEqualTo(terminal);
    }
}
