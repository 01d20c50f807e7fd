// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PageTextTest {
    @Test
    void pageWithoutDeclarationIsUtf8IfItIsValid() throws IOException {
        assertThat(PageText.decode("<p>\u00fc\u20ac".getBytes(UTF_8))).isEqualTo("<p>\u00fc\u20ac");
    }

    @Test
    void pageWithoutDeclarationIsWindows1252IfItIsNotUtf8() throws IOException {
        assertThat(PageText.decode(new byte[] {'a', (byte) 0x80, (byte) 0xFC})).isEqualTo("a\u20ac\u00fc");
    }

    @Test
    void declaredCharsetIsUsed() throws IOException {
        byte[] page =
                "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=koi8-r\">\u00c1".getBytes(ISO_8859_1);
        assertThat(PageText.decode(page)).endsWith("\u0430");
    }

    @Test
    void declaredLatin1MeansWindows1252AsInBrowsers() throws IOException {
        byte[] page = "<meta charset='ISO-8859-1'>\u0080".getBytes(ISO_8859_1);
        assertThat(PageText.decode(page)).endsWith("\u20ac");
    }

    @Test
    void xmlDeclarationCounts() throws IOException {
        byte[] page = "<?xml version=\"1.0\" encoding=\"windows-1251\"?>\u00e0".getBytes(ISO_8859_1);
        assertThat(PageText.decode(page)).endsWith("\u0430");
    }

    @Test
    void declarationInACommentDoesNotCount() throws IOException {
        assertThat(PageText.decode("<!-- <meta charset=klingon> -->\u00fc".getBytes(UTF_8)))
                .endsWith("\u00fc");
    }

    @Test
    void byteOrderMarkWinsAndIsDropped() throws IOException {
        assertThat(PageText.decode("\ufeff<meta charset=klingon>\u00fc".getBytes(UTF_8)))
                .isEqualTo("<meta charset=klingon>\u00fc");
        assertThat(PageText.decode("\ufeffx\u20ac".getBytes(UTF_16LE))).isEqualTo("x\u20ac");
        assertThat(PageText.decode("\ufeffx\u20ac".getBytes(UTF_16BE))).isEqualTo("x\u20ac");
    }

    @Test
    void unknownCharsetIsRefusedByName() {
        assertThatThrownBy(() -> PageText.decode("<meta charset=\"klingon-8\">".getBytes(UTF_8)))
                .isInstanceOf(PageException.class)
                .hasMessage("declares charset=\"klingon-8\" (expected one this JVM knows, such as UTF-8; correct the"
                        + " page's declaration)");
        assertThatThrownBy(() -> PageText.decode("<meta charset=\"***\">".getBytes(UTF_8)))
                .isInstanceOf(PageException.class);
    }

    @Test
    void wrongCharsetStillDecodes() throws IOException {
        assertThat(PageText.decode("<meta charset=utf-8>\u00fc!".getBytes(ISO_8859_1)))
                .isEqualTo("<meta charset=utf-8>\ufffd!");
    }

    @Test
    void noiseAndNulsAreBinaryAndTextIsNot() throws IOException {
        byte[] noise = new byte[4096];
        new Random(1).nextBytes(noise);
        assertThat(PageText.looksBinary(PageText.decode(noise))).isTrue();
        assertThat(PageText.looksBinary("PNG\0")).isTrue();
        assertThat(PageText.looksBinary("\u0001\u0002\u0003\u0004 text")).isTrue();
        assertThat(PageText.looksBinary("<p>\ttext\r\n\f\u00fc")).isFalse();
        assertThat(PageText.looksBinary("")).isFalse();
    }
}
