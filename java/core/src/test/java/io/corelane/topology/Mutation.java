// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** One way to spoil a tree, and the way back. */
final class Mutation {
    private static final List<String> NUMBERS = List.of(
            "-1",
            "0",
            "1",
            "65535",
            "65536",
            "2147483647",
            "2147483648",
            "99999999999999999999",
            "0-65535",
            "0-99999999");

    private enum Kind {
        TRUNCATE,
        EMPTY,
        DELETE,
        GARBAGE,
        NUMBER,
        FLIP,
        SWAP,
        FOLDER
    }

    private final Path file;
    private final Path other;
    private final byte[] content;
    private final byte[] otherContent;
    private final String text;

    private Mutation(Path file, Path other, Kind kind, Random random) throws IOException {
        this.file = file;
        this.other = other;
        this.content = Files.readAllBytes(file);
        this.otherContent = Files.readAllBytes(other);
        this.text = kind + " " + file + (kind == Kind.SWAP ? " with " + other : "");
        apply(kind, random);
    }

    /** Neighbouring seeds give alike first numbers in {@link Random}; these are spread first. */
    static Random random(long seed) {
        return new Random(seed * 0x9E37_79B9_7F4A_7C15L);
    }

    /**
     * Spoils one file at random: first one of the kinds of files, so that those that are there once get their turn, then
     * one of that kind. Two files of one kind may change places.
     *
     * @param files the files by kind
     */
    static Mutation apply(List<List<Path>> files, Random random) {
        List<Path> alike = List.of();
        while (alike.isEmpty()) {
            alike = files.get(random.nextInt(files.size())).stream()
                    .filter(Files::isRegularFile)
                    .toList();
        }
        Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
        Path file = alike.get(random.nextInt(alike.size()));
        try {
            return new Mutation(file, alike.get(random.nextInt(alike.size())), kind, random);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void apply(Kind kind, Random random) throws IOException {
        switch (kind) {
            case TRUNCATE -> Files.write(file, Arrays.copyOf(content, random.nextInt(content.length + 1)));
            case EMPTY -> Files.write(file, new byte[0]);
            case DELETE -> Files.delete(file);
            case GARBAGE -> {
                byte[] garbage = new byte[1 + random.nextInt(100)];
                random.nextBytes(garbage);
                Files.write(file, garbage);
            }
            case NUMBER ->
                Files.writeString(file, NUMBERS.get(random.nextInt(NUMBERS.size())) + "\n", StandardCharsets.US_ASCII);
            case FLIP -> {
                byte[] flipped = content.clone();
                if (flipped.length > 0) {
                    flipped[random.nextInt(flipped.length)] ^= (byte) (1 << random.nextInt(8));
                }
                Files.write(file, flipped);
            }
            case SWAP -> {
                Files.write(file, otherContent);
                Files.write(other, content);
            }
            case FOLDER -> {
                Files.delete(file);
                Files.createDirectory(file);
            }
        }
    }

    /** Restores what was there. Several mutations are undone in the opposite order. */
    void undo() {
        try {
            Files.deleteIfExists(file);
            Files.write(other, otherContent);
            Files.write(file, content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return text;
    }
}
