import JackdawEMV
import JackdawTestSupport
import JackdawTransport

/// A link to a card that answers commands by a closure, one packet for each.
final class ScriptedCardLink: Transport {
    enum Reply: Sendable {
        case answer([UInt8])
        /// The card does not answer.
        case silence
        /// The card is removed.
        case removal
    }

    private struct State: Sendable {
        var answers: [[UInt8]] = []
        var commands: [[UInt8]] = []
        var isLost = false
    }

    let link = LinkName(.pcsc, "0")
    private let state = Shared(State())
    private let reply: @Sendable (_ number: Int, _ command: [UInt8]) -> Reply

    init(_ reply: @escaping @Sendable (_ number: Int, _ command: [UInt8]) -> Reply) { self.reply = reply }

    var commands: [[UInt8]] { state.with { $0.commands } }

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        let answer: [UInt8]?
        do {
            answer = try await state.first { state in
                if state.isLost { return .some(nil) }
                return state.answers.isEmpty ? nil : .some(state.answers.removeFirst())
            }
        } catch {
            throw LinkError(.cancelled, link: link.description, "cancelled")
        }
        guard let answer else { throw lost }
        take(answer.span)
        return true
    }

    func send(_ bytes: [UInt8]) async throws(LinkError) {
        let number = state.with { state in
            state.commands.append(bytes)
            return state.commands.count - 1
        }
        switch reply(number, bytes) {
        case .answer(let answer): state.with { $0.answers.append(answer) }
        case .silence: break
        case .removal: state.with { $0.isLost = true }
        }
    }

    func endSending() async throws(LinkError) {}
    func close() async { state.with { $0.isLost = true } }

    private var lost: LinkError { LinkError(.disconnected, link: link.description, "the card was removed") }
}
