// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.plan;

import io.corelane.topology.CpuSelection;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code --cpus} and passes on the parser's own message. */
final class CpuSelectionConverter implements ITypeConverter<CpuSelection> {
    @Override
    public CpuSelection convert(String text) {
        try {
            return CpuSelection.parse(text);
        } catch (IllegalArgumentException malformed) {
            throw new TypeConversionException(String.valueOf(malformed.getMessage()));
        }
    }
}
