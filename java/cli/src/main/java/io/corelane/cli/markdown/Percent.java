// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Percent-encoding of addresses (RFC 3986), always in UTF-8. */
final class Percent {
    /* Not the colon: "a:b.md" would read as scheme a. Not the parentheses: they end a Markdown link. */
    private static final String KEPT = "-._~!$&'*+,;=@";

    private Percent() {}

    /** Returns the decoded path, or null if it is malformed or decodes to something that is no path. */
    static @Nullable String decode(String path) {
        if (path.indexOf('%') < 0) {
            return path.indexOf('\\') < 0 ? path : null;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(path.length());
        byte[] in = path.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < in.length; i++) {
            if (in[i] != '%') {
                out.write(in[i]);
            } else if (i + 2 < in.length
                    && Character.digit(in[i + 1], 16) >= 0
                    && Character.digit(in[i + 2], 16) >= 0) {
                out.write((Character.digit(in[i + 1], 16) << 4) | Character.digit(in[i + 2], 16));
                i += 2;
            } else {
                return null;
            }
        }
        return strictUtf8(out.toByteArray());
    }

    private static @Nullable String strictUtf8(byte[] bytes) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.indexOf('\0') < 0 && text.indexOf('\\') < 0 ? text : null;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** Encodes one segment of a path. */
    static String encode(String segment) {
        StringBuilder out = new StringBuilder(segment.length());
        for (byte b : segment.getBytes(StandardCharsets.UTF_8)) {
            if ((b >= '0' && b <= '9') || (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || KEPT.indexOf(b) >= 0) {
                out.append((char) b);
            } else {
                out.append(String.format("%%%02X", b & 0xFF));
            }
        }
        return out.toString();
    }

    /** Resolves a link against a base address, or returns the link if one of them is malformed. */
    static String join(String base, String link) {
        try {
            return URI.create(base).resolve(link).toString();
        } catch (IllegalArgumentException e) {
            return link;
        }
    }
}
