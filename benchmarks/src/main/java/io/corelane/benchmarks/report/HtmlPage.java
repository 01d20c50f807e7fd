// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The report as one HTML page that needs nothing beside it: data, style, script and charting library are inside. */
final class HtmlPage {
    private static final String LIBRARY = "/META-INF/resources/webjars/chart.js/4.5.1/dist/chart.umd.min.js";

    private HtmlPage() {}

    static String of(Report report) throws IOException {
        return resource("report.html")
                .replace("/*STYLE*/", resource("report.css"))
                .replace("/*LIBRARY*/", withoutSourceMap(resource(LIBRARY)))
                .replace("/*SCRIPT*/", resource("report.js"))
                .replace("/*DATA*/", embedded(Json.text(report)));
    }

    /** JSON in a script element: no text in it may end the element or begin a comment. */
    static String embedded(String json) {
        return json.replace("<", "\\u003c");
    }

    private static String withoutSourceMap(String script) {
        int map = script.lastIndexOf("//# sourceMappingURL");
        return map < 0 ? script : script.substring(0, map);
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = HtmlPage.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new FileNotFoundException(name + " (expected in the class path)");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
