import JackdawBytes
import JackdawEMV
import JackdawSimulator
import JackdawTransport

/// Prints the events of a virtual card: a line or a JSON object for each. Data of commands and answers, which may be
/// card data, is shown only if it is revealed. The data of commands that may have a PIN is never shown.
struct VirtualCardReport: Sendable {
    let conversation: Conversation
    let link: LinkName
    let isJSON: Bool
    let isRevealed: Bool
    let wallClock: WallClock

    /// Reports that the card is in the reader.
    func connected() async { await add("connected", "the card is in the reader") }

    /// Reports an event of the card.
    func add(_ event: VirtualCardEvent) async {
        switch event {
        case .poweredOn: await add("powered_on", "powered on")
        case .poweredOff: await add("powered_off", "powered off")
        case .reset: await add("reset", "reset")
        case .answered(let command, let response):
            let header = command.withOctets { octets in octets.indices.prefix(4).map { octets[$0] }.hexadecimal }
            let name = event.instruction ?? "unknown command"
            let data = isRevealed ? response.data.octets.hexadecimal : nil
            let sent = isRevealed ? event.revealedCommand?.octets.hexadecimal : nil
            var line = "\(name) \(sent ?? header): \(response.status)"
            if response.data.count > 0 { line += ", \(data ?? counted(response.data.count, "byte"))" }
            await add("command", line) { object in
                object.add("instruction", event.instruction)
                object.add("header", header)
                object.add("status", "\(response.status)")
                object.add("count", response.data.count)
                object.add("command", sent)
                object.add("response", data)
            }
        }
    }

    private func add(_ name: String, _ line: String, _ fill: (inout JSONObject) -> Void = { _ in }) async {
        if isJSON {
            var object = JSONObject()
            object.add("link", link.description)
            object.add("event", name)
            fill(&object)
            object.add(time: wallClock.now())
            conversation.result(object)
        } else {
            conversation.result(line)
        }
        await conversation.waitForRoom()
    }
}
