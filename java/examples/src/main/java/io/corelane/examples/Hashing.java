// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Reads contents to their end. */
final class Hashing {
    private Hashing() {}

    static FileFact fact(String path, boolean entry, InputStream content) throws IOException {
        MessageDigest digest = sha256();
        long bytes = new DigestInputStream(content, digest).transferTo(OutputStream.nullOutputStream());
        String hash = HexFormat.of().formatHex(digest.digest());
        return new FileFact(FileFact.extensionOf(path), entry, bytes, hash);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is missing (expected in every Java platform)", e);
        }
    }
}
