// SPDX-License-Identifier: Apache-2.0
/**
 * The {@code corelane markdown} command: HTML documents in, Markdown files out, one document a job.
 *
 * <p>The way of a page: {@link io.corelane.cli.markdown.PageCollector} finds it, a
 * {@link io.corelane.cli.markdown.ConversionRunner} runs its {@link io.corelane.cli.markdown.PageJob}, which reads it,
 * lets {@link io.corelane.cli.markdown.PageConverter} turn it into Markdown and gives that to a
 * {@link io.corelane.cli.markdown.MarkdownSink}.
 */
@NullMarked
package io.corelane.cli.markdown;

import org.jspecify.annotations.NullMarked;
