// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What is in a directory.
 *
 * @param extensions what has each extension; the empty one stands for none
 * @param links how many symbolic links were not followed
 * @param others how many pipes, devices and sockets were not read
 * @param unread what could not be read, by path
 */
record FileIndex(SortedMap<String, ExtensionCounts> extensions, long links, long others, List<Unread> unread) {
    /**
     * What has one extension.
     *
     * @param files how many files
     * @param entries how many entries of archives
     * @param bytes the size of both
     * @param distinct how many contents both have; each further one is a duplicate
     */
    record ExtensionCounts(long files, long entries, long bytes, long distinct) {
        static ExtensionCounts of(List<FileFact> facts) {
            long entries = facts.stream().filter(FileFact::entry).count();
            return new ExtensionCounts(
                    facts.size() - entries,
                    entries,
                    facts.stream().mapToLong(FileFact::bytes).sum(),
                    facts.stream().map(FileFact::sha256).distinct().count());
        }
    }

    static FileIndex of(Findings findings) {
        SortedMap<String, ExtensionCounts> extensions = findings.facts().stream()
                .collect(Collectors.groupingBy(
                        FileFact::extension,
                        TreeMap::new,
                        Collectors.collectingAndThen(Collectors.toList(), ExtensionCounts::of)));
        return new FileIndex(
                Collections.unmodifiableSortedMap(extensions),
                findings.links(),
                findings.others(),
                findings.unread().stream().sorted(Unread.ORDER).toList());
    }
}
