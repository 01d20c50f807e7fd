// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.fork;

/** Throws what a user's code has thrown, whatever it is: checked exceptions come only from code that does the same. */
public final class Sneaky {
    private Sneaky() {}

    /**
     * Throws.
     *
     * @param failure what to throw
     * @return never
     */
    public static RuntimeException thrown(Throwable failure) {
        Sneaky.<RuntimeException>throwAs(failure);
        throw new AssertionError("was thrown");
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void throwAs(Throwable failure) throws E {
        throw (E) failure;
    }
}
