// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Turns the bytes of an HTML page into text, the way browsers do: a byte order mark wins over a declaration, Latin-1 and
 * ASCII mean windows-1252, and a page without either is UTF-8 if it is valid UTF-8, else windows-1252.
 */
final class PageText {
    private static final int DECLARATION_BYTES = 4096;
    private static final int SAMPLE_CHARS = 8192;
    private static final Pattern COMMENT = Pattern.compile("<!--.*?(-->|\\z)", Pattern.DOTALL);
    private static final Pattern DECLARATION = Pattern.compile(
            "<meta\\b[^>]*?\\bcharset\\s*=\\s*[\"']?\\s*([^\\s\"'/>;]+)|\\A\\s*<\\?xml\\b[^>]*?\\bencoding\\s*=\\s*[\"']([^\"']+)",
            Pattern.CASE_INSENSITIVE);
    private static final Charset WINDOWS_1252 = Charset.forName("windows-1252");

    private PageText() {}

    /** Returns the page as text; bytes that its charset does not know become U+FFFD. */
    static String decode(byte[] page) throws PageException {
        Charset marked = byteOrderMark(page);
        if (marked != null) {
            int skip = marked.equals(StandardCharsets.UTF_8) ? 3 : 2;
            return new String(page, skip, page.length - skip, marked);
        }
        Charset declared = declared(page);
        return declared == null ? guess(page) : new String(page, declared);
    }

    /** Tells whether text that should be HTML is something else: it holds NULs, or many control characters. */
    static boolean looksBinary(String text) {
        int sample = Math.min(text.length(), SAMPLE_CHARS);
        int controls = 0;
        for (int i = 0; i < sample; i++) {
            char c = text.charAt(i);
            if (c == 0) {
                return true;
            }
            if (c < ' ' && !Character.isWhitespace(c)) {
                controls++;
            }
        }
        return controls * 20 > sample;
    }

    private static @Nullable Charset byteOrderMark(byte[] page) {
        if (startsWith(page, 0xEF, 0xBB, 0xBF)) {
            return StandardCharsets.UTF_8;
        }
        if (startsWith(page, 0xFE, 0xFF)) {
            return StandardCharsets.UTF_16BE;
        }
        return startsWith(page, 0xFF, 0xFE) ? StandardCharsets.UTF_16LE : null;
    }

    private static boolean startsWith(byte[] page, int... mark) {
        if (page.length < mark.length) {
            return false;
        }
        for (int i = 0; i < mark.length; i++) {
            if ((page[i] & 0xFF) != mark[i]) {
                return false;
            }
        }
        return true;
    }

    private static @Nullable Charset declared(byte[] page) throws PageException {
        byte[] start = page.length > DECLARATION_BYTES ? Arrays.copyOf(page, DECLARATION_BYTES) : page;
        String head =
                COMMENT.matcher(new String(start, StandardCharsets.ISO_8859_1)).replaceAll("");
        Matcher found = DECLARATION.matcher(head);
        if (!found.find()) {
            return null;
        }
        String name = found.group(1) != null ? found.group(1) : found.group(2);
        return forName(name);
    }

    private static Charset forName(String name) throws PageException {
        String label = name.toLowerCase(Locale.ROOT);
        if (label.startsWith("utf-16") || label.startsWith("utf-32")) {
            return StandardCharsets.UTF_8; // who can read the declaration as ASCII has no such page
        }
        try {
            Charset charset = Charset.forName(name);
            return charset.equals(StandardCharsets.ISO_8859_1) || charset.equals(StandardCharsets.US_ASCII)
                    ? WINDOWS_1252
                    : charset;
        } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            throw new PageException(
                    "declares charset=\"" + name + "\" (expected one this JVM knows, such as UTF-8; correct the page's"
                            + " declaration)",
                    e);
        }
    }

    private static String guess(byte[] page) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(page))
                    .toString();
        } catch (CharacterCodingException e) {
            return new String(page, WINDOWS_1252);
        }
    }
}
