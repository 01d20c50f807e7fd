// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.macro;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.ByteBuffersDirectory;

/**
 * Lucene: a job for each document to index, then a job for each search, all at the same time. The usual executor of
 * Lucene's users and of its own benchmarks is a fixed ThreadPoolExecutor.
 */
final class LuceneWorkload implements Workload {
    /** Lucene recommends a module for vectors to newer JVMs, which text search has no use for; held, as loggers are weak. */
    private static final Logger VECTORS =
            Logger.getLogger("org.apache.lucene.internal.vectorization.VectorizationProvider");

    static {
        VECTORS.setLevel(Level.SEVERE);
    }

    private static final String TEXT = "text";
    private static final int SEARCHES = 2000;
    private static final List<String> WORDS =
            List.of("the", "return", "public", "value", "thread", "string", "null", "file", "class", "license");

    private final List<String> texts;

    LuceneWorkload(List<String> texts) {
        this.texts = texts;
    }

    @Override
    public String defaultSubject() {
        return "tpe-lbq";
    }

    @Override
    public String run(ExecutorService executor) throws Exception {
        try (ByteBuffersDirectory directory = new ByteBuffersDirectory()) {
            index(directory, executor);
            return search(directory, executor);
        }
    }

    private void index(ByteBuffersDirectory directory, ExecutorService executor) throws Exception {
        try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(new StandardAnalyzer()))) {
            List<Future<Long>> added = new ArrayList<>();
            for (String text : texts) {
                added.add(executor.submit(() -> {
                    Document document = new Document();
                    document.add(new TextField(TEXT, text, Field.Store.NO));
                    return writer.addDocument(document);
                }));
            }
            for (Future<Long> one : added) {
                one.get();
            }
        }
    }

    private String search(ByteBuffersDirectory directory, ExecutorService executor) throws Exception {
        try (DirectoryReader reader = DirectoryReader.open(directory)) {
            IndexSearcher searcher = new IndexSearcher(reader);
            List<Future<Integer>> hits = new ArrayList<>();
            for (int i = 0; i < SEARCHES; i++) {
                Term term = new Term(TEXT, WORDS.get(i % WORDS.size()));
                hits.add(executor.submit(() -> count(searcher, term)));
            }
            long sum = 0;
            for (Future<Integer> one : hits) {
                sum += one.get();
            }
            return reader.numDocs() + " documents, " + sum + " hits";
        }
    }

    /** Counts and scores, as counting alone is answered from the index's statistics. */
    private static int count(IndexSearcher searcher, Term term) throws IOException {
        searcher.search(new TermQuery(term), 10);
        return searcher.count(new TermQuery(term));
    }
}
