#if Command
import ArgumentParser
import JackdawBluetooth
import JackdawTransport

struct Pair: Verb {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Pair a Bluetooth reader with this computer.",
        discussion: """
            If the reader is unknown, pair scans for it: put it into pairing mode first. Questions of the pairing, \
            such as whether both devices show the same number, are asked here. A reader that is already paired stays \
            paired.

            EXAMPLES
              jackdaw pair ble:AA:BB:CC:DD:EE:FF
              jackdaw pair rfcomm:AA:BB:CC:DD:EE:FF --code 0000
              jackdaw pair --forget ble:AA:BB:CC:DD:EE:FF
            """)

    @Argument(help: "Link of the reader, as jackdaw devices --scan lists it.", transform: LinkArgument.read)
    var link: LinkName

    @Flag(help: "Remove the reader and its keys instead.")
    var forget = false

    @Option(help: "Passkey or PIN code of the reader (default: pair asks for it).")
    var code: String?

    @Flag(help: "Print one JSON object with the result.")
    var json = false

    func validate() throws {
        guard let code, !(1...16).contains(code.utf8.count) else { return }
        throw ValidationError("--code must have 1 to 16 characters.")
    }

    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        let (address, radio) = try LinkArgument.device(link)
        let conversation = try Conversation()
        let agent = TerminalAgent(conversation: conversation, code: code)
        let isForgotten = forget
        try conversation.run(on: console) { () throws(CommandError) in
            do throws(LinkError) {
                if isForgotten {
                    try await environment.forget(address)
                } else {
                    try await environment.pair(address, radio, agent)
                }
            } catch {
                throw CommandError(error)
            }
        }
        if json {
            var object = JSONObject()
            object.add("link", link.description)
            object.add("paired", !forget)
            console.result(object)
        } else {
            console.result("\(link.shown): \(forget ? "forgotten" : "paired")")
        }
        return .done
    }
}
#endif
