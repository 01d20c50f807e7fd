// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

/**
 * What surrounds a piece of inline content. Each style nests once, so inline markup never gets deep.
 *
 * @param code within code
 * @param link within a link
 * @param strong within strong emphasis
 * @param emphasis within emphasis
 * @param cell within a table cell
 */
record InlineStyle(boolean code, boolean link, boolean strong, boolean emphasis, boolean cell) {
    static final InlineStyle TEXT = new InlineStyle(false, false, false, false, false);
    static final InlineStyle CELL = new InlineStyle(false, false, false, false, true);
    static final InlineStyle STRONG = new InlineStyle(false, false, true, false, false);

    InlineStyle asCode() {
        return new InlineStyle(true, link, strong, emphasis, cell);
    }

    InlineStyle asLink() {
        return new InlineStyle(code, true, strong, emphasis, cell);
    }

    InlineStyle asStrong() {
        return new InlineStyle(code, link, true, emphasis, cell);
    }

    InlineStyle asEmphasis() {
        return new InlineStyle(code, link, strong, true, cell);
    }
}
