import JackdawTransport

/// Tells what comes over a link: how much, and only where that is asked for what.
struct ByteTeller: Sendable {
    let link: LinkName
    let isJSON: Bool
    let isRevealed: Bool
    let conversation: Conversation

    /// Receives over a link that does not come back.
    /// - Parameter connect: opens it.
    /// - Throws: why it could not be opened.
    func run(_ connect: () async throws(LinkError) -> any Transport) async throws(CommandError) {
        do throws(LinkError) {
            await receive(try await connect())
        } catch {
            throw CommandError(error)
        }
    }

    /// Receives until the link ends, and closes it.
    func receive(_ session: any Transport) async {
        do throws(LinkError) {
            while try await session.receive({ tell($0) }) { await conversation.waitForRoom() }
            await session.close()
        } catch {
            // Why it ended is an event of the link.
        }
    }

    private func tell(_ bytes: Span<UInt8>) {
        let digits = isRevealed ? bytes.indices.map { bytes[$0].hexadecimal }.joined() : nil
        guard isJSON else { return conversation.result(digits ?? "received \(counted(bytes.count, "byte"))") }
        var object = JSONObject()
        object.add("link", link.description)
        object.add("event", "received")
        object.add("count", bytes.count)
        object.add("bytes", digits)
        conversation.result(object)
    }
}
