#if Command
import ArgumentParser
import JackdawBytes
import JackdawCryptography
import JackdawLinux
import JackdawSimulator
import JackdawTransport

struct VirtualCardVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "pcsc",
        abstract: "Put a virtual chip card into a virtual PC/SC reader.",
        discussion: """
            Every PC/SC program of this computer can use the card, until interrupted. The file describes it in JSON: \
            applications, records, counters, PIN, keys and limits. It needs pcscd with the virtual reader of \
            vsmartcard (Debian: apt install pcscd vsmartcard-vpcd).

            Each command is reported with its instruction, its header and the status word of the answer; --reveal \
            also shows the data of both, which may be card data. PINs are never shown. The master keys must be \
            published for tests, unless --own-keys is given.

            EXIT CODES
              64  usage
              65  the file is not a virtual card; the message names the member
              66  the file is missing or not readable
              69  pcscd with the virtual reader is not running, or has ended
              130 interrupted

            EXAMPLES
              jackdaw pcsc --card cards/visa-dda.json
              jackdaw pcsc --card cards/m-chip-cda.json --json
              jackdaw pcsc --card cards/deck/pin-blocked.json
              opensc-tool --wait --atr
            """)

    /// The port of the virtual reader as Debian's package configures it.
    private static let standardPort: UInt16 = 35_963

    @Option(
        help: ArgumentHelp("JSON file of the card; - for standard input.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var card: String

    @Option(
        help: ArgumentHelp(
            "TCP port of the virtual reader on this computer (default: \(Self.standardPort)).", valueName: "number"))
    var port: UInt16?

    @Flag(help: "Allow master keys that are not published for tests.")
    var ownKeys = false

    @Flag(help: "Show the data of commands and answers, which may be card data; never PINs.")
    var reveal = false

    @Flag(help: "Print one JSON object for each event.")
    var json = false

    func validate() throws {
        guard port != 0 else { throw ValidationError("--port must be 1 to 65535.") }
    }

    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        let card = try virtualCard()
        let conversation = try Conversation()
        let report = VirtualCardReport(
            conversation: conversation, link: LinkName(.tcp, "127.0.0.1:\(port ?? Self.standardPort)"), isJSON: json,
            isRevealed: reveal, wallClock: environment.wallClock)
        try conversation.run(on: console, isInterrupted: environment.isInterrupted) {
            () async throws(CommandError) in
            try await Self.serve(card, report, environment)
        }
        return .done
    }

    /// The card of the file.
    private func virtualCard() throws(CommandError) -> VirtualCard {
        var json: [UInt8] = []
        defer { json.wipe() }
        try SmallFile.read(card, most: VirtualCard.maxFileSize, tooMany: "too long for a card", into: &json)
        do throws(SimulationFileError) {
            return try VirtualCard(
                json: json, LibCryptoPrimitives(mode: .test), allowsOwnKeys: ownKeys,
                seed: UInt64.random(in: 0...UInt64.max), base: base)
        } catch {
            let remedy = error.code == .notPublished ? "; --own-keys allows them" : ""
            throw CommandError(.badData, "\(SmallFile.name(of: card)): \(error)\(remedy)")
        }
    }

    /// The bytes of a card that the file names as its base, in the same folder or the one above it; nil if there is
    /// none.
    private func base(_ name: String) -> [UInt8]? {
        let parts = card.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let folder = parts.isEmpty ? "." : parts.joined(separator: "/")
        for path in ["\(folder)/\(name).json", "\(folder)/../\(name).json"] {
            var json: [UInt8] = []
            do throws(CommandError) {
                try SmallFile.read(path, most: VirtualCard.maxFileSize, tooMany: "too long for a card", into: &json)
                return json
            } catch {
                json.wipe()
            }
        }
        return nil
    }

    /// Answers the reader until it closes the connection, which is an error.
    private static func serve(
        _ card: VirtualCard, _ report: VirtualCardReport, _ environment: CommandEnvironment
    ) async throws(CommandError) {
        do throws(LinkError) {
            let transport = try await environment.connect(report.link, nil, .kernel)
            await report.connected()
            var host = VirtualCardHost(card)
            do throws(LinkError) {
                try await host.run(over: transport) { event in await report.add(event) }
            } catch {
                await transport.close()
                throw error
            }
            await transport.close()
        } catch {
            guard error.code == .refused else { throw CommandError(error) }
            throw CommandError(
                .unavailable,
                "\(report.link): no virtual reader listens there; start pcscd with vsmartcard-vpcd")
        }
        throw CommandError(.unavailable, "\(report.link): the virtual reader closed the connection; start pcscd again")
    }
}
#endif
