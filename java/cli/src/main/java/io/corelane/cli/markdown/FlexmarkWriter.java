// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import com.vladsch.flexmark.html2md.converter.ExtensionConversion;
import com.vladsch.flexmark.html2md.converter.FlexmarkHtmlConverter;
import com.vladsch.flexmark.util.data.MutableDataSet;
import com.vladsch.flexmark.util.format.CharWidthProvider;
import com.vladsch.flexmark.util.format.TableFormatOptions;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;

/**
 * Lets flexmark write blocks as Markdown, some at a time: its cost grows faster than the number of blocks.
 *
 * <p><b>Thread safety:</b> none; one writer per page. The converter behind it is shared and immutable.
 */
final class FlexmarkWriter {
    private static final int BLOCKS_AT_A_TIME = 64;
    private static final CharWidthProvider NO_WIDTH = new NoWidth();
    private static final FlexmarkHtmlConverter CONVERTER = FlexmarkHtmlConverter.builder(options())
            .htmlNodeRendererFactory(options -> new InlineRenderers())
            .build();

    private final StringBuilder out;
    private Document batch = Document.createShell("");

    FlexmarkWriter(StringBuilder out) {
        this.out = out;
    }

    private static MutableDataSet options() {
        return new MutableDataSet()
                .set(FlexmarkHtmlConverter.SETEXT_HEADINGS, false)
                .set(FlexmarkHtmlConverter.SKIP_CHAR_ESCAPE, true)
                .set(FlexmarkHtmlConverter.SKIP_ATTRIBUTES, true)
                .set(FlexmarkHtmlConverter.OUTPUT_ATTRIBUTES_ID, false)
                .set(FlexmarkHtmlConverter.TYPOGRAPHIC_QUOTES, false)
                .set(FlexmarkHtmlConverter.TYPOGRAPHIC_SMARTS, false)
                .set(FlexmarkHtmlConverter.EXTRACT_AUTO_LINKS, false)
                .set(FlexmarkHtmlConverter.UNORDERED_LIST_DELIMITER, '-')
                .set(FlexmarkHtmlConverter.LISTS_END_ON_DOUBLE_BLANK, true)
                .set(FlexmarkHtmlConverter.THEMATIC_BREAK, "---")
                .set(FlexmarkHtmlConverter.MAX_BLANK_LINES, 1)
                .set(FlexmarkHtmlConverter.EXT_INLINE_SUB, ExtensionConversion.HTML)
                .set(FlexmarkHtmlConverter.EXT_INLINE_SUP, ExtensionConversion.HTML)
                .set(TableFormatOptions.FORMAT_CHAR_WIDTH_PROVIDER, NO_WIDTH) // short rules below table headers
                .set(TableFormatOptions.FORMAT_TABLE_ADJUST_COLUMN_WIDTH, false)
                .set(TableFormatOptions.FORMAT_TABLE_FILL_MISSING_COLUMNS, false);
    }

    void write(Element block) {
        batch.body().appendChild(block);
        if (batch.body().childNodeSize() >= BLOCKS_AT_A_TIME) {
            flush();
        }
    }

    void flush() {
        if (batch.body().childNodeSize() > 0) {
            out.append('\n');
            CONVERTER.convert(batch, out, 0);
            endLine();
        }
        batch = Document.createShell("");
    }

    private void endLine() {
        int end = out.length();
        while (end > 0 && Character.isWhitespace(out.charAt(end - 1))) {
            end--;
        }
        out.setLength(end);
        out.append('\n');
    }

    /** Says that text, dashes apart, has no width, so that flexmark does not draw table rules as wide as the widest cell. */
    private static final class NoWidth implements CharWidthProvider {
        @Override
        public int getSpaceWidth() {
            return 1;
        }

        @Override
        public int getCharWidth(char c) {
            return c == '-' ? 1 : 0;
        }
    }
}
