// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Dependencies between packages point one way, as design.md draws them. */
class ArchitectureTest {
    private static final JavaClasses CORELANE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.corelane");

    @Test
    void dependenciesPointOneWay() {
        layeredArchitecture()
                .consideringOnlyDependenciesInAnyPackage("io.corelane..")
                .layer("scheduler")
                .definedBy("io.corelane", "io.corelane.internal.worker")
                .layer("topology")
                .definedBy("io.corelane.topology")
                .layer("affinity")
                .definedBy("io.corelane.affinity")
                .layer("natives")
                .definedBy("io.corelane.internal.natives")
                .layer("ownership")
                .definedBy("io.corelane.internal.ownership")
                .layer("injector")
                .definedBy("io.corelane.internal.injector")
                .layer("deque")
                .definedBy("io.corelane.internal.deque")
                .layer("parking")
                .definedBy("io.corelane.internal.parking")
                .layer("stack")
                .definedBy("io.corelane.internal.stack")
                .layer("fork")
                .definedBy("io.corelane.internal.fork")
                .whereLayer("scheduler")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("topology")
                .mayOnlyBeAccessedByLayers("scheduler")
                .whereLayer("injector")
                .mayOnlyBeAccessedByLayers("scheduler")
                .whereLayer("parking")
                .mayOnlyBeAccessedByLayers("scheduler")
                .whereLayer("fork")
                .mayOnlyBeAccessedByLayers("scheduler")
                .whereLayer("deque")
                .mayOnlyBeAccessedByLayers("scheduler", "injector")
                .whereLayer("stack")
                .mayOnlyBeAccessedByLayers("scheduler", "injector", "parking")
                .whereLayer("affinity")
                .mayOnlyBeAccessedByLayers("scheduler", "topology", "ownership")
                .whereLayer("ownership")
                .mayOnlyBeAccessedByLayers("scheduler")
                .whereLayer("natives")
                .mayOnlyBeAccessedByLayers("affinity", "ownership")
                .check(CORELANE);
    }

    @Test
    void topologyUsesOfAffinityOnlyTheCpuSet() {
        noClasses()
                .that()
                .resideInAPackage("io.corelane.topology..")
                .should()
                .dependOnClassesThat()
                .haveSimpleNameStartingWith("ThreadAffinity")
                .orShould()
                .dependOnClassesThat()
                .haveSimpleName("PinnedThreadFactory")
                .check(CORELANE);
    }

    @Test
    void onlyTheNativesPackageKnowsJna() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.corelane.internal.natives")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.sun.jna..")
                .check(CORELANE);
    }

    @Test
    void nothingUsesUnsafeOrThreadLocals() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("sun.misc..")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.lang.ThreadLocal")
                .check(CORELANE);
    }

    @Test
    void onlyTheAtomicQueuesOfJctoolsAreUsed() {
        classes()
                .that()
                .resideInAPackage("org.jctools..")
                .should()
                .resideInAPackage("org.jctools.queues.atomic..")
                .allowEmptyShould(true)
                .check(CORELANE);
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.jctools.queues", "org.jctools.util")
                .check(CORELANE);
    }

    /** The wall clock may jump. */
    @Test
    void timeIsTakenFromNanoTimeAlone() {
        noClasses()
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("java\\.time\\.(Instant|Clock|(Local|Zoned|Offset).*)")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("java\\.util\\.(Date|Calendar|Timer)")
                .check(CORELANE);
    }
}
