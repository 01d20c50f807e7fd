// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import java.text.MessageFormat;
import java.util.List;
import java.util.Queue;
import java.util.ResourceBundle;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** The logger of the tests: keeps what the library logs, for assertions, instead of printing it. */
public final class RecordedLog extends System.LoggerFinder {
    private static final Queue<String> LINES = new ConcurrentLinkedQueue<>();

    /** Returns the lines that contain a text, each starting with its level. */
    public static List<String> linesWith(String text) {
        return LINES.stream().filter(line -> line.contains(text)).toList();
    }

    @Override
    public System.Logger getLogger(String name, Module module) {
        return new Recorder(name);
    }

    private record Recorder(String name) implements System.Logger {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isLoggable(Level level) {
            return name.startsWith("io.corelane") && level.compareTo(Level.INFO) >= 0;
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
            LINES.add(level + " " + message + " " + thrown);
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object @Nullable ... parameters) {
            boolean plain = parameters == null || parameters.length == 0; // null from the JDK's own callers
            LINES.add(level + " " + (plain ? format : new MessageFormat(format).format(parameters)));
        }
    }
}
