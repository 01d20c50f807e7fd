// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class IndexCommandTest {
    @TempDir
    private Path root;

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void textHasTheExtensionsWhatIsUnreadAndTheTimes(int workers) throws IOException {
        SampleTree.write(root);
        Run run = Run.ofMain("index", root.toString(), "--workers=" + workers, "--rounds=1");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .containsPattern("extension +files +entries +bytes +distinct\\R")
                .containsPattern("txt +3 +1 +17 +2\\R")
                .containsPattern("\\(none\\) +2 +0 +1 +2\\R")
                .contains("Not followed: 2 links. Not read: 0 pipes, devices and sockets; and 1 that cannot be read:")
                .contains("  " + root.resolve("a/bad.jar") + "!/: ZipException: ")
                .contains(root + " indexed, " + workers + " thread")
                .contains("All results are the same.");
    }

    @Test
    void textNamesTheLargestExtensionsOnly() throws IOException {
        for (int i = 1; i <= 17; i++) {
            Files.writeString(root.resolve("file.e" + i), "x".repeat(i));
        }
        Run run = Run.ofMain("index", root.toString(), "--workers=1", "--rounds=1");
        assertThat(run.out())
                .containsPattern("\\Re17 +1 +0 +17 +1\\Re16 ")
                .containsPattern("\\Re3 +1 +0 +3 +1\\Rand 2 more extensions, all of them with --json\\R")
                .contains("and 0 that cannot be read.");
    }

    @Test
    void jsonIsOneDocument() throws IOException {
        SampleTree.write(root);
        Run run = Run.ofMain("index", root.toString(), "--workers=2", "--rounds=2", "--json");
        assertThat(run.exitCode()).as(run.err()).isZero();
        JsonObject document = JsonParser.parseString(run.out()).getAsJsonObject();
        assertThat(document.get("workers").getAsInt()).isEqualTo(2);
        JsonObject index = document.getAsJsonObject("index");
        assertThat(new Gson().fromJson(index.getAsJsonObject("extensions").get("txt"), FileIndex.ExtensionCounts.class))
                .isEqualTo(new FileIndex.ExtensionCounts(3, 1, 17, 2));
        assertThat(index.getAsJsonArray("unread"))
                .extracting(unread -> unread.getAsJsonObject().get("path").getAsString())
                .containsExactly(root.resolve("a/bad.jar") + "!/");
        assertThat(document.getAsJsonArray("timings"))
                .extracting(timing -> timing.getAsJsonObject().get("name").getAsString())
                .containsExactly("sequential", "ForkJoinPool", "Corelane");
    }

    @Test
    void aVersionThatMissesAFileIsExitCode1AndSaysWhatDiffers() throws IOException {
        SampleTree.write(root);
        CommandLine commandLine = new CommandLine(new IndexCommand(pools -> List.of(
                IndexVersions.of(pools).get(0),
                new Version<>(
                        "liar",
                        "sees a part only",
                        directory -> FileIndex.of(WalkRecursion.walk(new DirectoryStep(directory.resolve("a"))))))));
        Run run = Run.of(commandLine, root.toString(), "--workers=1", "--json");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo("index: liar, warm-up, compared with sequential: extension \"txt\": "
                        + "ExtensionCounts[files=2, entries=1, bytes=13, distinct=2] (expected "
                        + "ExtensionCounts[files=3, entries=1, bytes=17, distinct=2])" + System.lineSeparator());
        assertThat(run.out()).isEmpty();
    }
}
