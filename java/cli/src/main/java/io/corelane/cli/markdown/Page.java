// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

/**
 * An HTML document to convert.
 *
 * @param name what messages and front matter call it: the input as given, and the path within it
 * @param location where it is, for links: within a root such as a file system or an archive
 * @param target where its Markdown goes, relative to the output directory, with forward slashes
 * @param bytes its size as declared by its container, or 0 if unknown
 * @param named whether the user named this page itself, and not a directory or archive that holds it
 * @param content reads it
 */
record Page(String name, Location location, String target, long bytes, boolean named, PageContent content) {}
