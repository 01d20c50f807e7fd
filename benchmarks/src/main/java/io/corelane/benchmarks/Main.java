// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import io.corelane.benchmarks.macro.MacroCommand;
import io.corelane.benchmarks.report.ReportCommand;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** The jar's command: {@code report} and {@code macro} are ours, anything else is for JMH. */
public final class Main {
    private Main() {}

    /**
     * Runs a command.
     *
     * @param arguments the command line
     * @throws IOException if JMH cannot write
     */
    public static void main(String[] arguments) throws IOException {
        Object command = arguments.length == 0 ? null : commandOf(arguments[0]);
        if (command == null) {
            org.openjdk.jmh.Main.main(arguments);
        } else {
            System.exit(new CommandLine(command).execute(Arrays.copyOfRange(arguments, 1, arguments.length)));
        }
    }

    private static @Nullable Object commandOf(String name) {
        return switch (name) {
            case "report" -> new ReportCommand();
            case "macro" -> new MacroCommand();
            default -> null;
        };
    }
}
