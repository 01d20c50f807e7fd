// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.util.ArrayList;
import java.util.List;

/** What a step of the walk, and those below it, have found. Belongs to one thread at a time. */
final class Findings {
    private final List<FileFact> facts = new ArrayList<>();
    private final List<Unread> unread = new ArrayList<>();
    private long links;
    private long others;

    void addFact(FileFact fact) {
        facts.add(fact);
    }

    void addUnread(String path, Exception cause) {
        unread.add(Unread.of(path, cause));
    }

    void addLink() {
        links++;
    }

    /** Counts what is no file, directory or link, such as a pipe. */
    void addOther() {
        others++;
    }

    void addAll(Findings findings) {
        facts.addAll(findings.facts);
        unread.addAll(findings.unread);
        links += findings.links;
        others += findings.others;
    }

    List<FileFact> facts() {
        return facts;
    }

    List<Unread> unread() {
        return unread;
    }

    long links() {
        return links;
    }

    long others() {
        return others;
    }
}
