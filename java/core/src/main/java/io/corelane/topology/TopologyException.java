// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

/**
 * The kernel's files do not say which CPUs the machine has: they are missing, cannot be read, or hold something else.
 *
 * <p>The message names the file, what it holds and what was expected.
 */
public final class TopologyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The path of the file or folder that is wrong. */
    private final String file;

    TopologyException(String file, String problem) {
        super(file + ": " + problem);
        this.file = file;
    }

    TopologyException(String file, String problem, Throwable cause) {
        super(file + ": " + problem, cause);
        this.file = file;
    }

    /**
     * Returns the path of the file or folder that is wrong, below the root that was read.
     *
     * @return the path, as in {@code /sys/devices/system/cpu/online}
     */
    public String file() {
        return file;
    }
}
