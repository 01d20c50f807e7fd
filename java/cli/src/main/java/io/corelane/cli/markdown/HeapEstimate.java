// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

/**
 * How much heap the conversion of a page takes, at most. A JVM that runs out of heap spends minutes on collecting garbage
 * first and may lose a signal; a page that cannot fit is better refused at once.
 *
 * <p>Measured with pages of 5 MB, bisecting {@code -Xmx}: 91 bytes for each byte of a page of nothing but line breaks, the
 * densest, which is 456 for each tag; 13 and 128 with paragraphs and links.
 */
final class HeapEstimate {
    /** Heap for each byte of a page whose tags are not counted yet. */
    static final int BYTES_PER_BYTE = 100;

    private static final int BYTES_PER_TAG = 500;
    private static final int BYTES_PER_CHARACTER = 8;
    private static final int MEGABYTE = 1_000_000;

    private HeapEstimate() {}

    /** Refuses a page by its size, before it is read: page, text and Markdown must fit at least. */
    static void check(long bytes) throws PageException {
        refuseAbove(bytes > Integer.MAX_VALUE - 8 ? Long.MAX_VALUE / 2 : bytes * 4, bytes, "");
    }

    /** Refuses a page by its content. */
    static void check(byte[] page) throws PageException {
        long tags = 0;
        for (byte b : page) {
            tags += b == '<' ? 1 : 0;
        }
        refuseAbove(
                tags * BYTES_PER_TAG + (long) page.length * BYTES_PER_CHARACTER, page.length, " and " + tags + " tags");
    }

    private static void refuseAbove(long needed, long bytes, String tags) throws PageException {
        long most = Runtime.getRuntime().maxMemory() / 10 * 9;
        if (needed > most) {
            throw new PageException("has " + bytes + " bytes" + tags + ", which may take " + needed / MEGABYTE
                    + " MB of heap (expected at most " + most / MEGABYTE + " MB; give java a larger -Xmx)");
        }
    }
}
