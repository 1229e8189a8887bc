#if Command
import ArgumentParser
import JackdawBytes
import JackdawCryptography
import JackdawEMV

/// Chip cards: reads them, and explains their data.
struct EMV: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emv",
        abstract: "Read chip cards (EMV), explain their data, and pay with virtual ones.",
        discussion: """
            Card data is masked: numbers show their first six and last four digits, and names, tracks, expiry dates \
            and data that is not understood are left out. --reveal shows them. PINs and keys are never shown.

            EXAMPLES
              jackdaw emv tlv 9F3303E0F8C8
              jackdaw emv trace dialogue.txt
              jackdaw emv read --link pcsc:0
              jackdaw emv pay --link sim:miura --card approved-online
            """,
        subcommands: [
            ExplainObjects.self, ExplainTrace.self, ReadChipCard.self, PayWithVirtualCard.self, ReplayPayment.self,
        ])
}

struct ExplainObjects: Verb {
    static let configuration = CommandConfiguration(
        commandName: "tlv",
        abstract: "Explain data objects in BER-TLV, object by object and bit by bit.",
        discussion: """
            The objects are in hexadecimal digits, with or without blanks, colons or hyphens; - reads them from \
            standard input. The parts of templates follow them, further to the right. Invalid objects are reported \
            with the offset of the first wrong octet, from 0.

            EXIT CODES
              0   the objects are valid
              1   there are none
              64  usage
              65  not hexadecimal digits, or not data objects
              74  standard input cannot be read

            EXAMPLES
              jackdaw emv tlv 9505 8000048000
              jackdaw emv tlv --json 70:0F:5A:08:47:61:73:90:01:01:00:10:5F:25:03:25:01:01
              jackdaw emv tlv - < record.txt
            """)

    @Argument(help: ArgumentHelp("The objects; - for standard input.", valueName: "hex"))
    var digits: [String]

    @OptionGroup
    var arguments: EMVArguments

    @Flag(help: "Print one JSON object for each data object.")
    var json = false

    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        var text: [UInt8] = []
        var octets: [UInt8] = []
        defer {
            text.wipe()
            octets.wipe()
        }
        if digits == ["-"] {
            try SmallFile.read("-", most: HexadecimalText.most, tooMany: "too long for data objects", into: &text)
        } else {
            text = Array(digits.joined(separator: " ").utf8)
        }
        try HexadecimalText.read(text, into: &octets)
        let objects: [ExplainedObject]
        do throws(DataObjectError) {
            objects = try ExplainedObject.explain(
                octets.span, kernel: arguments.kernel, isRevealing: arguments.reveal)
        } catch {
            throw CommandError(.badData, "no data objects: \(error)")
        }
        guard !objects.isEmpty else {
            console.message("there are no data objects, only octets 00")
            return .nothingFound
        }
        guard json else {
            ObjectReport.lines(objects).forEach(console.result)
            return .done
        }
        for object in objects { console.result(ObjectReport.json(object)) }
        return .done
    }
}

struct ExplainTrace: Verb {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Explain a dialogue with a chip card, command by command.",
        discussion: """
            Each line of the file is a command or an answer (APDU) in hexadecimal digits. It may begin with C: or > \
            for a command and R: or < for an answer; else commands and answers take turns. Empty lines, and lines \
            that begin with #, are skipped. Transcripts of the project are read, too, and so are the transmissions of \
            T=0.

            The values that a terminal sends have no tags: they are explained by the list (DOL) that the card gave \
            before. Meanings that differ between schemes follow from the application that is selected.

            With --ca-keys, certificates and signatures are opened and their fields are shown. Their hashes are not \
            checked.

            EXIT CODES
              0   the trace was read; invalid messages in it are reported in their places
              64  usage
              65  not a trace, or not a file of keys; a trace is reported with the line
              66  a file is missing or not readable
              69  libcrypto failed
              74  a file or standard input cannot be read

            EXAMPLES
              jackdaw emv trace dialogue.txt
              jackdaw emv trace --reveal --ca-keys keys.json dialogue.txt
              printf '80CA9F1700 9F1701039000' | tr ' ' '\\n' | jackdaw emv trace --json -
            """)

    @Argument(help: ArgumentHelp("File of the dialogue; - for standard input.", valueName: "file"), completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "JSON file of public keys of certification authorities; - for standard input.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var caKeys: String?

    @OptionGroup
    var arguments: EMVArguments

    @Flag(help: "Print one JSON object for each command with its answer.")
    var json = false

    func validate() throws {
        guard caKeys != "-" || file != "-" else {
            throw ValidationError("Only one of keys and dialogue comes from standard input.")
        }
    }

    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        let keys = try caKeys.map(AuthorityKeyFile.read) ?? AuthenticationKeys()
        var explainer = TraceExplainer(
            LibCryptoPrimitives(mode: .test), keys: keys, kernel: arguments.kernel, isRevealing: arguments.reveal)
        for exchange in try exchanges() {
            let report = ExchangeReport(exchange: explainer.explain(exchange))
            if json { console.result(report.json) } else { report.lines.forEach(console.result) }
            console.flush()
        }
        return .done
    }

    private func exchanges() throws(CommandError) -> [TraceExchange] {
        var text: [UInt8] = []
        defer { text.wipe() }
        try SmallFile.read(file, most: TraceReader.maxCharacters, tooMany: "too long for a trace", into: &text)
        var reader = TraceReader()
        do throws(TraceError) {
            return try reader.receive(text.span) + reader.finish()
        } catch {
            throw CommandError(.badData, "\(SmallFile.name(of: file)): \(error)")
        }
    }
}

/// The options that all explanations of chip card data have.
struct EMVArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Number of the contactless kernel whose meanings apply, such as 2 (Mastercard) or 3 (Visa).",
            valueName: "number"))
    var kernel: Int?

    @Flag(help: "Show card data in clear, but no PIN and no key.")
    var reveal = false

    func validate() throws {
        guard (1...8).contains(kernel ?? 1) else { throw ValidationError("--kernel must be 1 to 8.") }
    }
}

/// Reads the file of public keys of certification authorities.
enum AuthorityKeyFile {
    /// Reads keys, those for live cards and published test keys.
    /// - Parameter path: of the file; `-` for standard input.
    /// - Returns: the keys.
    /// - Throws: `CommandError` with status `noInput`, `inputOutput`, `badData` or `unavailable`.
    static func read(_ path: String) throws(CommandError) -> AuthenticationKeys {
        var text: [UInt8] = []
        try SmallFile.read(
            path, most: AuthorityKeys.maxFileSize, tooMany: "too long for a file of keys", into: &text)
        do throws(CryptographyError) {
            return try AuthorityKeys(json: text, mode: .test).authenticationKeys(on: nil)
        } catch {
            throw CommandError(
                error.code == .library ? .unavailable : .badData, "\(SmallFile.name(of: path)): \(error)")
        }
    }
}
#endif
