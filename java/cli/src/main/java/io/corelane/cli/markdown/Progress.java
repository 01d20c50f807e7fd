// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** A progress bar on standard error, if that is a terminal. */
interface Progress extends Runnable, AutoCloseable {
    /** Takes one step; any thread may. */
    @Override
    void run();

    @Override
    void close();

    /** Returns a bar of so many steps, or, where nobody would see it, nothing to look at. */
    static Progress of(String title, int steps) {
        return Terminal.isStandardError() ? new Bar(title, steps, System.err) : new Hidden();
    }

    /** Tells terminals from files and pipes. */
    final class Terminal {
        private static final Pattern DEVICES = Pattern.compile("/dev/(pts/\\d+|tty\\w*|console)");

        private Terminal() {}

        /*
         * System.console() is no help: it asks for standard input and output, not error, and from JDK 22 on it is there
         * even without a terminal.
         */
        static boolean isStandardError() {
            try {
                Path device = Files.readSymbolicLink(Path.of("/proc/self/fd/2"));
                return isTerminal(device.toString(), System.getenv("TERM"));
            } catch (IOException | UnsupportedOperationException e) {
                return false; // no /proc: then no bar; the report says everything anyway
            }
        }

        static boolean isTerminal(String device, @Nullable String term) {
            return DEVICES.matcher(device).matches() && !"dumb".equals(term);
        }
    }

    /** The bar. */
    final class Bar implements Progress {
        private static final int COLUMNS = 79;
        private final PrintStream out;
        private final ProgressBar bar;

        Bar(String title, int steps, PrintStream out) {
            this.out = out;
            bar = new ProgressBarBuilder()
                    .setTaskName(title)
                    .setInitialMax(steps)
                    .setUpdateIntervalMillis(200)
                    .setStyle(ProgressBarStyle.ASCII)
                    .setConsumer(new OpenLine(out))
                    .build();
        }

        @Override
        public void run() {
            bar.step();
        }

        @Override
        public void close() {
            bar.close();
            out.println();
        }
    }

    /** Leaves the end of the line to {@link Bar}: a bar that is closed before its first tick would not write it. */
    final class OpenLine extends ConsoleProgressBarConsumer {
        OpenLine(PrintStream out) {
            super(out, Bar.COLUMNS);
        }

        @Override
        public void close() {}
    }

    /** No bar. */
    final class Hidden implements Progress {
        @Override
        public void run() {}

        @Override
        public void close() {}
    }
}
