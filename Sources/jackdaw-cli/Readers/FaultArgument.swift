#if Command
    import ArgumentParser
    import JackdawSimulator

    /// Planned faults on the command line: `late`, `late:2`, `late:2-4`.
    enum FaultArgument {
        /// Reads a fault, and which messages it hits: all of them, one, or the first to the last.
        /// - Throws: `ValidationError` that says what one is.
        static func read(_ argument: String) throws -> PlannedFault {
            let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let fault = ReaderFault(rawValue: String(parts[0])) else {
                let known = ReaderFault.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("No fault is named \(parts[0]); there are \(known).")
            }
            guard parts.count == 2 else { return PlannedFault(fault) }
            let ends = parts[1].split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
                first <= last, last < Int.max
            else {
                let name = fault.rawValue
                throw ValidationError("\(argument): messages are counted from 0, such as \(name):2 or \(name):2-4")
            }
            return PlannedFault(fault, first..<last + 1)
        }
    }
#endif
