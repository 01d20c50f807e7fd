// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RenderTest {
    @TempDir
    Path directory;

    private final Report report = Recorded.report();

    @Test
    void theBestPeerIsFoundWhicheverWayIsUp() {
        Line won = report.lines().get(0);
        assertThat(won.bestPeer()).isEqualTo("fjp-fifo");
        assertThat(won.ratio()).isCloseTo(41.5 / 20.5, within(1e-9));
        assertThat(won.verdict()).isEqualTo(Line.Verdict.WIN);
        Line lost = report.lines().get(2);
        assertThat(lost.bestPeer()).as("direct is a bound and no peer").isEqualTo("tpe-lbq");
        assertThat(lost.ofDirect()).isCloseTo(0.1 / 12, within(1e-9));
        assertThat(won.ofDirect()).as("there is none").isZero();
        assertThat(lost.ratio()).isCloseTo(8.0 / 12, within(1e-9));
        assertThat(lost.verdict()).isEqualTo(Line.Verdict.LOSS);
        Line forked = report.lines().get(3);
        assertThat(forked.subjects()).extracting(Line.Entry::subject).containsExactly("direct", "corelane", "fjp-lifo");
        assertThat(forked.ratio()).isCloseTo(21.0 / 7, within(1e-9));
        assertThat(forked.verdict()).isEqualTo(Line.Verdict.WIN);
    }

    @Test
    void eachJvmCountsOnceHoweverManyRoundsItMade() {
        List<ForkResult> results = List.of(
                rounds("corelane", 0, 40, 40, 40, 40, 40),
                rounds("corelane", 1, 20, 21, 22),
                rounds("fjp-fifo", 0, 10, 10, 10, 10, 10),
                rounds("fjp-fifo", 1, 15));
        Line line = Line.of(Recorded.WON, results);
        assertThat(line.subjects())
                .filteredOn(Line.Entry::hasFigure)
                .extracting(Line.Entry::median, Line.Entry::lowest, Line.Entry::highest)
                .containsExactly(tuple((40 + 21) / 2.0, 21.0, 40.0), tuple((10 + 15) / 2.0, 10.0, 15.0));
        assertThat(line.ratio()).isCloseTo(30.5 / 12.5, within(1e-9));
    }

    private static ForkResult rounds(String subject, int repetition, double... values) {
        Fork fork = new Fork(Recorded.WON, subject, repetition);
        return ForkResult.values(fork, Arrays.stream(values).boxed().toList(), Map.of());
    }

    @Test
    void theTextsSayWhatTheFiguresAre() throws Exception {
        assertThat(MarkdownPage.of(report)).contains("medians over JVMs of the median over the rounds of each");
        assertThat(HtmlPage.of(report))
                .contains("Median over JVMs of the median over the rounds of each")
                .doesNotContain("Median of all rounds");
    }

    @Test
    void spreadsThatOverlapAreLevel() {
        assertThat(report.lines().get(1).verdict()).isEqualTo(Line.Verdict.LEVEL);
    }

    @Test
    void withOneJvmNobodyIsAhead() throws Exception {
        List<ForkResult> results = List.of(
                ForkResult.named(Task.raw(), Map.of()),
                rounds("corelane", 0, 40),
                rounds("fjp-fifo", 0, 10),
                rounds("fjp-fifo", 1, 11));
        assertThat(Line.of(Recorded.WON, results).verdict()).isEqualTo(Line.Verdict.ONE_JVM);
        Report one = Report.of("", Map.of(), Recorded.profile(), results);
        assertThat(MarkdownPage.of(one)).contains("| row won | corelane | fjp-fifo | 3.81 | – | one JVM |");
        Path file = directory.resolve("report.json");
        Json.write(file, one);
        assertThat(Json.read(file, Report.class)).isEqualTo(one);
        assertThat(Files.readString(file)).contains("\"verdict\" : \"ONE_JVM\"");
    }

    @Test
    void aCostIsTheMedianOfTheJvmsThatKnowIt() {
        Line.Entry peer = report.lines().get(0).subjects().get(1);
        assertThat(peer.subject()).isEqualTo("fjp-fifo");
        assertThat(peer.costs()).containsEntry(Cost.CPU, 81.0).containsEntry(Cost.BYTES, 0.5);
        assertThat(report.lines().get(1).costs()).as("no subject has any").isEmpty();
    }

    @Test
    void subjectsWithoutAFigureComeLastAndSayWhy() {
        Line.Entry last = report.lines().get(0).subjects().get(2);
        assertThat(last.subject()).isEqualTo("ring");
        assertThat(last.hasFigure()).isFalse();
        assertThat(last.trouble()).contains("FAILED: exit code 1").contains("TIMEOUT: not ended after 5 s");
    }

    @Test
    void markdownHasWinsLossesAndTrouble() {
        String text = MarkdownPage.of(report);
        assertThat(text)
                .contains("| row won | corelane | fjp-fifo | 2.02 | – | win |")
                .contains("| row lost | corelane-park | tpe-lbq | 0.67 | 0.01 | loss |")
                .contains("| row more | corelane | fjp-fifo | 1.00 | – | level |")
                .contains("| row forked | corelane | fjp-lifo | 3.00 | 0.43 | win |")
                .contains("| subject | ns per fork | lowest – highest JVM | B/fork | of direct | JVMs | |")
                .contains("| direct | 3.00 | 3.00 – 3.00 | 0 | 1.00 | 2 |  |")
                .contains("| fjp-lifo | 21.0 | 21.0 – 21.0 | 24.0 | 0.14 | 2 |  |")
                .contains("| subject | million jobs/s | lowest – highest JVM | B/job | CPU ns/job | sleeps/job |"
                        + " preemptions/job | JVMs | |")
                .contains("| corelane | 41.5 | 41.0 – 42.0 | 0.500 | 80.5 | 0.00100 | 0.0200 | 2 |  |")
                .contains("| subject | million jobs/s | lowest – highest JVM | JVMs | |")
                .contains("| CAS | 3.10 |")
                .contains(
                        "| ring | – | – | – | – | – | – | 0 | FAILED: exit code 1: </script><b>\\|no\\|</b>; TIMEOUT: not ended after 5 s |")
                .contains("- repeat with: `repeat me`");
    }

    @Test
    void csvHasEachRoundAndEachFailure() throws Exception {
        Path file = directory.resolve("report.csv");
        CsvFile.write(file, report);
        assertThat(Files.readAllLines(file))
                .startsWith("row,subject,repetition,status,figure,value,unit,message")
                .contains("raw,machine,0,OK,CAS,3.1,ns,")
                .anyMatch(line -> line.startsWith("won,corelane,1,OK,") && line.contains("41.0"))
                .anyMatch(line -> line.startsWith("forked,fjp-lifo,1,OK,") && line.contains("21.0,\"ns per fork\""))
                .contains("won,corelane,1,OK,cpu,81.0,\"CPU ns/job\",")
                .contains("forked,fjp-lifo,0,OK,bytes,24.0,B/fork,")
                .noneMatch(line -> line.startsWith("won,fjp-fifo,1,OK,bytes"))
                .anyMatch(line -> line.startsWith("won,ring,1,TIMEOUT,") && line.contains("not ended after 5 s"));
    }

    @Test
    void jsonIsReadBackAsItWasWritten() throws Exception {
        Path file = directory.resolve("report.json");
        Json.write(file, report);
        assertThat(Json.read(file, Report.class)).isEqualTo(report);
        assertThat(directory).isDirectoryNotContaining(path -> path.toString().endsWith(".part"));
    }

    @Test
    void theHtmlPageNeedsNothingBesideIt() throws Exception {
        String page = HtmlPage.of(report);
        assertThat(page)
                .doesNotContain("/*DATA*/")
                .doesNotContain("/*LIBRARY*/")
                .contains("Chart.js v4");
        assertThat(page.replaceAll("(?s)<script>.*?</script>", ""))
                .doesNotContain("src=")
                .doesNotContain("http:")
                .doesNotContain("https:");
        assertThat(page).as("data that would end its element").doesNotContain("</script><b>");
    }

    @Test
    void figuresHaveThreeDigits() {
        assertThat(MarkdownPage.number(0.0123456)).isEqualTo("0.0123");
        assertThat(MarkdownPage.number(41.23)).isEqualTo("41.2");
        assertThat(MarkdownPage.number(14188.4)).isEqualTo("14188");
        assertThat(MarkdownPage.number(0)).isEqualTo("0");
    }
}
