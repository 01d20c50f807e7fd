// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli;

import io.corelane.affinity.CpuSet;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code --cpus} and passes on the parser's own message. */
public final class CpuListConverter implements ITypeConverter<CpuSet> {
    /** Creates the converter. */
    public CpuListConverter() {}

    @Override
    public CpuSet convert(String text) {
        try {
            CpuSet cpus = CpuSet.parse(text);
            if (!cpus.isEmpty()) {
                return cpus;
            }
        } catch (IllegalArgumentException malformed) {
            throw new TypeConversionException(String.valueOf(malformed.getMessage()));
        }
        throw new TypeConversionException("'" + text + "' has no CPU (expected a list such as 0-3,8)");
    }
}
