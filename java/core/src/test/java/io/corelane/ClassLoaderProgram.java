// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import io.corelane.affinity.Pinning;
import io.corelane.affinity.ThreadAffinity;
import java.io.File;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Run by {@link ClassLoaderCollectionIT}: loads the library afresh, as a container does, and lets go of it again. */
public final class ClassLoaderProgram {
    private ClassLoaderProgram() {}

    /** Takes a pinning. */
    public static void main(String[] arguments) throws Exception {
        WeakReference<ClassLoader> loader = use(arguments[0]);
        long deadline =
                System.nanoTime() + TimeUnit.SECONDS.toNanos(90); // JNA's thread ends 30 s after its last library
        while (loader.get() != null && System.nanoTime() - deadline < 0) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(100);
        }
        System.out.println(loader.get() == null ? "collected" : "still there");
        System.exit(loader.get() == null ? 0 : 1);
    }

    private static WeakReference<ClassLoader> use(String pinning) throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(path).toUri().toURL());
        }
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        URLClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
        try {
            Class<?> tenant = loader.loadClass(Tenant.class.getName());
            if (tenant.getClassLoader() != loader) {
                throw new AssertionError("not loaded afresh");
            }
            System.out.println(tenant.getMethod("use", String.class).invoke(null, pinning));
        } finally {
            Thread.currentThread().setContextClassLoader(before);
            loader.close();
        }
        return new WeakReference<>(loader);
    }

    /** What the loader's own code does. */
    public static final class Tenant {
        private Tenant() {}

        /** Uses everything and closes it. */
        public static String use(String pinning) throws Exception {
            AtomicInteger ran = new AtomicInteger();
            PinnedScheduler scheduler = PinnedScheduler.builder()
                    .name("tenant")
                    .pinning(Pinning.valueOf(pinning))
                    .failureHandler((job, failure) -> ran.incrementAndGet())
                    .build();
            for (int i = 0; i < 100; i++) {
                scheduler.execute(ran::incrementAndGet);
                scheduler.laneFor(i).execute(ran::incrementAndGet);
            }
            scheduler.execute(() -> {
                throw new IllegalStateException();
            });
            scheduler
                    .submit(() -> scheduler
                            .submit(() -> scheduler.blocking(ran::incrementAndGet))
                            .join())
                    .join();
            scheduler.schedule(ran::incrementAndGet, 1, TimeUnit.MILLISECONDS).join();
            scheduler.submitWithin(ran::incrementAndGet, Duration.ofHours(1)).join();
            scheduler.scheduleAtFixedRate(ran::incrementAndGet, 0, 1, TimeUnit.MILLISECONDS);
            scheduler.close();
            ThreadAffinity.unload();
            if (!scheduler.cpus().isEmpty() && ThreadAffinity.get().isEmpty()) { // loads it again
                throw new AssertionError("no CPUs after the library was unloaded");
            }
            ThreadAffinity.unload();
            return "ran " + ran.get() + ", cpus " + scheduler.cpus() + ", note '"
                    + scheduler.stats().note() + "'";
        }
    }
}
