#if Command
import ArgumentParser
import JackdawCryptography
import JackdawEMV
import JackdawLinux
import JackdawTransport

struct ReadChipCard: Verb {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Read and explain the applications of a chip card.",
        discussion: """
            Selects each application of the card, starts it (GET PROCESSING OPTIONS), reads its records and counters, \
            and explains each command and answer as jackdaw emv trace does. The card counts each start of an \
            application. No PIN is verified, and no transaction is performed.

            Without --cryptogram, the card is asked for no cryptogram; a contactless card may then answer only \
            "conditions of use not satisfied". With it, each application is asked for the cryptogram of a declined \
            transaction (AAC).

            The link is a card in a reader that pcscd knows, pcsc: and a part of the reader's name or its number, or \
            replay: and a transcript of such a link.

            EXIT CODES
              0   an application was read
              1   the card has no application
              64  usage
              65  a file of keys is invalid; the file (replay:) is no transcript
              66  a file is missing or not readable
              69  the reader or its card is missing or busy, or libcrypto failed
              74  the card was removed, or sent an invalid answer

            EXAMPLES
              jackdaw emv read --link pcsc:0
              jackdaw emv read --link record:card.txt,pcsc:ACR39U --json
            """)

    @Option(help: "Link of the card.", completion: .list(["pcsc:", "replay:"]), transform: LinkArgument.read)
    var link: LinkName

    @Flag(help: "Ask each application for the cryptogram of a declined transaction.")
    var cryptogram = false

    @Option(
        help: ArgumentHelp("JSON file of public keys of certification authorities.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var caKeys: String?

    @OptionGroup
    var arguments: EMVArguments

    @Flag(help: "Print one JSON object for each command with its answer.")
    var json = false

    func validate() throws {
        guard ["pcsc", "replay"].contains(link.carrier.scheme.rawValue) else {
            throw ValidationError("Use a link to a chip card: pcsc:READER, or replay: and its transcript.")
        }
    }

    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        let keys = try caKeys.map(AuthorityKeyFile.read) ?? AuthenticationKeys()
        let explainer = TraceExplainer(
            LibCryptoPrimitives(mode: .test), keys: keys, kernel: arguments.kernel, isRevealing: arguments.reveal)
        let survey = CardSurvey(terminal: terminal(environment), asksForCryptogram: cryptogram)
        let (link, isJSON) = (self.link, json)
        let conversation = try Conversation()
        let count = try conversation.run(on: console) { () async throws(CommandError) in
            let transport: any Transport
            do throws(LinkError) {
                transport = try await environment.connect(link, nil, .kernel)
            } catch {
                throw CommandError(opening: error)
            }
            return try await ChipCard(transport).read(survey, explainer, isJSON: isJSON, conversation)
        }
        guard count > 0 else {
            console.message("\(link.shown): the card has no application")
            return .nothingFound
        }
        return .done
    }

    /// The values of the terminal: an attended one that declines a purchase today.
    private func terminal(_ environment: CommandEnvironment) -> DataObjectStore {
        var objects = DataObjectStore()
        let date = WallClock.text(environment.wallClock.now()).utf8.prefix(10).filter { $0 != UInt8(ascii: "-") }
        let digits = date.dropFirst(2).map { $0 - UInt8(ascii: "0") }
        objects[0x9A] = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        objects[0x9F33] = [0xE0, 0xB8, 0xC8]
        objects[0x9F35] = [0x22]
        objects[0x9F40] = [0x60, 0x00, 0xF0, 0xA0, 0x01]
        // A contactless Visa card returns a cryptogram to a reader that requires an online one.
        if cryptogram {
            let qualifiers: TerminalTransactionQualifiers = [
                .emvSupported, .contactChipSupported, .onlinePINSupported, .signatureSupported,
                .onlineCryptogramRequired,
            ]
            objects[TerminalTransactionQualifiers.tag] = qualifiers.octets
        }
        return objects
    }
}
#endif
