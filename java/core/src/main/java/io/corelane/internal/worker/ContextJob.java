// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Jobs that see the context class loader of the thread that submitted them. */
final class ContextJob extends Wrapper {
    private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();

    ContextJob(Runnable body) {
        super(body);
    }

    @Override
    public void run() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            body.run();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    static <T extends @Nullable Object> Callable<T> around(Callable<T> body) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        return () -> {
            Thread thread = Thread.currentThread();
            ClassLoader before = thread.getContextClassLoader();
            thread.setContextClassLoader(loader);
            try {
                return body.call();
            } finally {
                thread.setContextClassLoader(before);
            }
        };
    }
}
