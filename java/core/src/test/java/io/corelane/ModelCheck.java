// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import io.corelane.internal.stack.StackReserve;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/**
 * Support for tests with Lincheck, which runs calls of a class in many orders of their steps. There are too many to
 * try all; {@code -Dcorelane.stress=20} tries twenty times as many.
 *
 * <p>Lincheck's seeds are fixed: what failed fails again in the same way.
 */
public final class ModelCheck {
    private final Class<?> subject;
    private final Class<?> specification;
    private final int loopBound;

    private ModelCheck(Class<?> subject, Class<?> specification, int loopBound) {
        this.subject = subject;
        this.specification = specification;
        this.loopBound = loopBound;
    }

    /**
     * Prepares checks of a class.
     *
     * @param subject a public class whose operations are called
     * @param specification has the same operations; the results must be those of these, called in some order
     */
    public static ModelCheck of(Class<?> subject, Class<?> specification) {
        return new ModelCheck(subject, specification, 50);
    }

    /** Lets loops turn so many times before that counts as a hang. */
    public ModelCheck withLoopBound(int turns) {
        return new ModelCheck(subject, specification, turns);
    }

    /**
     * Runs a scenario. Operations are names separated by spaces; a digit at the end of a name is its argument.
     *
     * @param orders how many orders of steps to try, times the scale
     * @param before what the first thread does before the others start
     * @param after what it does when they have ended
     * @param threads what each thread does
     */
    public ModelCheck run(int orders, String before, String after, String... threads) {
        List<List<Actor>> parallel = new ArrayList<>();
        for (String thread : threads) {
            parallel.add(actors(thread));
        }
        check(
                options(0, Stress.scaled(orders))
                        .addCustomScenario(new ExecutionScenario(actors(before), parallel, actors(after), null)),
                Stress.scaled(orders) + " orders");
        return this;
    }

    /**
     * Draws scenarios and runs them.
     *
     * @param scenarios how many, times the scale
     * @param orders how many orders of steps to try in each
     * @param threads the number of threads
     * @param operations the number of operations of each, and of those before they start and after they end
     */
    public void draw(int scenarios, int orders, int threads, int operations) {
        check(
                options(Stress.scaled(scenarios), orders)
                        .threads(threads)
                        .actorsPerThread(operations)
                        .actorsBefore(operations)
                        .actorsAfter(operations),
                Stress.scaled(scenarios) + " scenarios of " + threads + " threads with " + operations
                        + " operations, drawn from a fixed seed, " + orders + " orders each");
    }

    private ModelCheckingOptions options(int scenarios, int orders) {
        return new ModelCheckingOptions()
                .sequentialSpecification(specification)
                .iterations(scenarios)
                .invocationsPerIteration(orders)
                .loopBound(loopBound)
                .addGuarantee(
                        forClasses(StackReserve.class.getName()).allMethods().ignore());
    }

    private void check(ModelCheckingOptions options, String limits) {
        try {
            options.check(subject);
        } catch (LincheckAssertionError failure) {
            throw new AssertionError(
                    subject.getSimpleName() + ", " + limits + ", loops of at most " + loopBound + " turns\n"
                            + failure.getMessage(),
                    failure);
        }
    }

    private List<Actor> actors(String operations) {
        List<Actor> actors = new ArrayList<>();
        for (String operation : operations.split(" ")) {
            if (!operation.isEmpty()) {
                actors.add(actor(operation));
            }
        }
        return actors;
    }

    private Actor actor(String operation) {
        int argument = Character.digit(operation.charAt(operation.length() - 1), 10);
        String name = argument < 0 ? operation : operation.substring(0, operation.length() - 1);
        for (Method method : subject.getMethods()) {
            if (method.getName().equals(name)) {
                return new Actor(method, argument < 0 ? List.of() : List.of(argument));
            }
        }
        throw new IllegalArgumentException(
                operation + " (expected one of " + Arrays.toString(subject.getMethods()) + ")");
    }
}
