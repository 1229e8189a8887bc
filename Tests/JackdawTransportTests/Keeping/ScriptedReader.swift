import JackdawTestSupport
import JackdawTransport

/// A reader that is there or not as a test says, and counts who has a link to it.
final class ScriptedReader: Sendable {
    /// What becomes of an attempt.
    enum Answer: Sendable {
        case opens
        case fails(LinkError)
        /// Nothing, until the attempt is given up.
        case silence
        /// Nothing until the attempt is given up, and then it is open after all.
        case opensTooLate
    }

    struct State: Sendable {
        var answer = Answer.opens
        var attempts = 0
        /// Attempts that have not come back.
        var running = 0
        /// Both ends of each link that was opened: the program's, the reader's.
        var links: [(program: MemoryTransport, reader: MemoryTransport)] = []
        /// What must not be.
        var problems: [String] = []

        var openCount: Int { links.count { $0.program.isOpen } }
    }

    static let link = LinkName(.ble, "AA:BB:CC:DD:EE:FF")

    let state = Shared(State())
    private let room: Int
    /// What an attempt does before it is answered, such as sleeping on a test's clock.
    private let page: @Sendable () async -> Void

    init(room: Int = 256, page: @escaping @Sendable () async -> Void = {}) {
        self.room = room
        self.page = page
    }

    /// The reader's end of the link that was opened last.
    var end: MemoryTransport? { state.with { $0.links.last?.reader } }

    func connect() async throws(LinkError) -> any Transport {
        state.with { state in
            if state.openCount + state.running > 0 {
                state.problems.append("attempt \(state.attempts + 1) is too many")
            }
            state.attempts += 1
            state.running += 1
        }
        await page()
        let answer = state.with { $0.answer }
        switch answer {
        case .opens: return opened()
        case .fails(let error):
            state.with { $0.running -= 1 }
            throw error
        case .silence, .opensTooLate:
            try? await state.until { _ in false }
            if case .opensTooLate = answer { return opened() }
            state.with { $0.running -= 1 }
            throw LinkError(.cancelled, link: Self.link.description, "given up")
        }
    }

    private func opened() -> any Transport {
        let (program, reader) = MemoryTransport.pair(link: Self.link, room: room)
        state.with { state in
            state.running -= 1
            state.links.append((program, reader))
        }
        return program
    }

    static func error(_ code: LinkError.Code) -> LinkError { LinkError(code, link: link.description, "as scripted") }
}
