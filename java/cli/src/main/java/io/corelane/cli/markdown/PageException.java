// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.io.IOException;

/** A page or an input cannot be converted; the message says why and stands behind the page's name in the report. */
final class PageException extends IOException {
    private static final long serialVersionUID = 1L;

    PageException(String message) {
        super(message);
    }

    PageException(String message, Throwable cause) {
        super(message, cause);
    }
}
