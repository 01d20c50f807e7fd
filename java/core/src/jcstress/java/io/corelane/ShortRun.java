// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.infra.StateCase;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.TestInfo;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.runners.ForkedTestConfig;
import org.openjdk.jcstress.infra.runners.Runner;
import org.openjdk.jcstress.infra.runners.SpinLoopStyle;
import org.openjdk.jcstress.infra.runners.TestList;

/**
 * Runs jcstress tests one after the other in this JVM, where jcstress itself starts one for each: a test takes a second
 * then, of which it measures a third. Reports as jcstress does.
 */
public final class ShortRun {
    private static final int FOOTPRINT_MEGABYTES = 48;

    private ShortRun() {}

    /**
     * Runs the tests; exits with 1 unless all have passed.
     *
     * @param arguments a regular expression for the names of the tests, and for how many milliseconds each runs
     * @throws ReflectiveOperationException if a test cannot be started
     * @throws IOException never
     */
    public static void main(String[] arguments) throws ReflectiveOperationException, IOException {
        Pattern selected = Pattern.compile(arguments[0]);
        int planned = 0;
        int passed = 0;
        boolean stale = false;
        for (String name : new TreeSet<>(TestList.tests())) {
            if (selected.matcher(name).find()) {
                planned++;
                TestInfo test = TestList.getInfo(name);
                Runner<?> runner = (Runner<?>) Class.forName(test.generatedRunner())
                        .getConstructor(ForkedTestConfig.class)
                        .newInstance(config(test, Integer.parseInt(arguments[1])));
                if (!stale) {
                    System.out.println("# " + name); // the last one, if it never ends
                    passed += report(test, runner.run()) ? 1 : 0;
                    stale = runner.forceExit(); // its threads would disturb the next
                }
            }
        }
        System.out.println("RUN RESULTS:");
        System.out.println("(Results: " + planned + " planned; " + passed + " passed, " + (planned - passed)
                + " failed, 0 soft errs, 0 hard errs)");
        System.exit(passed == planned ? 0 : 1);
    }

    /** In the order in which ForkedTestConfig reads it; it has no other public constructor for one test. */
    private static ForkedTestConfig config(TestInfo test, int milliseconds) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(SpinLoopStyle.THREAD_SPIN_WAIT.ordinal());
        out.writeInt(milliseconds);
        out.writeInt(1); // iterations
        out.writeUTF(test.generatedRunner());
        out.writeInt(FOOTPRINT_MEGABYTES);
        out.writeInt(256); // stride size, as jcstress has it
        out.writeInt(10); // strides: a quarter of what it has, because a state may be a whole pool of 43 KiB
        out.writeBoolean(false); // no affinity: the system spreads two threads by itself
        return new ForkedTestConfig(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    }

    private static boolean report(TestInfo test, TestResult result) {
        boolean passed = result.status() == Status.NORMAL && result.getTotalCount() > 0;
        StringBuilder states = new StringBuilder();
        for (String state : new TreeSet<>(result.getStateKeys())) {
            StateCase found = caseOf(test, state);
            boolean forbidden = found.expect() == Expect.FORBIDDEN;
            passed &= !forbidden;
            states.append(String.format(
                    "  %20s %,12d %7.3f%% %s %s%n",
                    state,
                    result.getCount(state),
                    100.0 * result.getCount(state) / result.getTotalCount(),
                    forbidden ? "Forbidden" : "Acceptable",
                    found.description()));
        }
        System.out.println(".......... [" + (passed ? "OK" : "FAILED") + "] " + test.name());
        System.out.print(states);
        result.getMessages().forEach(message -> System.out.println("  " + message));
        return passed;
    }

    private static StateCase caseOf(TestInfo test, String state) {
        for (StateCase exact : test.cases()) {
            if (exact.matchesExactly(state)) {
                return exact;
            }
        }
        for (StateCase other : test.cases()) {
            if (other.matches(state)) {
                return other;
            }
        }
        return test.unmatched();
    }
}
