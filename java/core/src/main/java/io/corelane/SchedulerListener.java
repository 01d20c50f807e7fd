// SPDX-License-Identifier: Apache-2.0
package io.corelane;

/**
 * Told of what happens to a scheduler without its doing. Called on a thread of Corelane's that has other things to do, so a
 * listener should be short; one that throws changes nothing and is logged.
 */
public interface SchedulerListener {
    /**
     * A worker's pin was found changed.
     *
     * @param event what was found and done
     */
    default void onPinChanged(PinEvent event) {}
}
