public import JackdawEMV
public import JackdawTransport

/// The parts of a terminal that a contact transaction asks: the choice of an application, the PIN pad, and the host.
/// Each call ends early if its task is cancelled.
public protocol ContactTerminal: Sendable {
    /// Has the cardholder choose an application.
    /// - Parameter candidates: the applications, best first.
    /// - Returns: the index of the application; nil if the cardholder cancels.
    func chooseApplication(_ candidates: [ApplicationCandidate]) async -> Int?

    /// Has the cardholder enter a PIN.
    func enterPIN(_ request: PINRequest) async -> PINEntry

    /// Asks the issuer.
    /// - Returns: the answer; `unreachable` only if nothing was sent.
    func authorise(_ request: OnlineRequest) async -> HostAnswer

    /// Receives each step of the transaction. The kernel waits for its return.
    func observe(_ step: KernelStep) async
}

extension ContactTerminal {
    /// Default: ignores the step.
    public func observe(_ step: KernelStep) async {}
}

/// The end of the entry of a PIN.
public enum PINEntry: Sendable {
    /// The digits, 4 to 12 octets of 0 to 9, for the card.
    case digits(SecretOctets)
    /// The PIN pad has enciphered the PIN for the issuer.
    case enciphered
    /// The cardholder or the merchant bypassed the entry.
    case bypassed
    /// The PIN pad does not work.
    case padFailed
    /// The cardholder cancelled the transaction.
    case cancelled
}

/// Carries a contact transaction out over a link to a card: commands go to the card, questions to the terminal.
///
/// ```swift
/// let session = ContactSession(CardChannel(link), terminal)
/// let step = try await session.select(ApplicationSelection(applications, on: .contact))
/// guard case .selected(_, let application) = step else { return }
/// let kernel = try ContactKernel(configuration, transaction, application: application, primitives)
/// let outcome = try await session.run(kernel)
/// ```
///
/// If the task is cancelled, the kernel ends as it does when the cardholder cancels; if the card is removed or does not
/// answer, as with a lost card. The outcome reports whether the host must reverse.
public struct ContactSession: Sendable {
    /// The longest waits for people and hosts, and the number of choices.
    public struct Limits: Sendable, Hashable {
        /// The wait for the choice of an application, each time that the cardholder is asked. Default: 60 s.
        public var applicationChoice = Duration.seconds(60)
        /// The number of applications that are chosen one after the other because the card does not select the one
        /// before, 1 or more. Default: 10.
        public var maxChoices = 10
        /// The wait for a PIN, after which the transaction is cancelled. Default: 60 s.
        public var pinEntry = Duration.seconds(60)
        /// The wait for the host, after which its answer is unknown. Default: 60 s.
        public var host = Duration.seconds(60)

        /// Limits with the defaults.
        public init() {}
    }

    private let channel: CardChannel
    private let terminal: any ContactTerminal
    private let limits: Limits
    private let clock: any Clock<Duration>
    private let random: @Sendable (Int) -> [UInt8]

    /// - Parameters:
    ///   - channel: the card.
    ///   - terminal: answers the questions of the transaction.
    ///   - limits: the longest waits for the terminal.
    ///   - clock: measures these waits.
    ///   - random: returns as many random octets; from a source for cryptography. Default: the system's.
    public init(
        _ channel: CardChannel, _ terminal: any ContactTerminal, limits: Limits = Limits(),
        clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable (Int) -> [UInt8] = ContactSession.systemRandom
    ) {
        self.channel = channel
        self.terminal = terminal
        self.limits = limits
        self.clock = clock
        self.random = random
    }

    /// Random octets of the system (getrandom).
    /// - Parameter count: the number of octets.
    /// - Returns: as many octets.
    public static func systemRandom(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// Selects an application of the card.
    /// - Parameter selection: a selection that has not begun.
    /// - Returns: `selected` or `failed`.
    /// - Throws: `LinkError` if the card is lost; with code `cancelled` if the cardholder chose no application or the
    ///   task was cancelled, `timedOut` after the limit of a choice, `badAnswer` after the greatest number of choices.
    public func select(_ selection: ApplicationSelection) async throws(LinkError) -> ApplicationSelection.Step {
        var selection = selection
        var step = selection.start()
        var choices = 0
        while true {
            switch step {
            case .send(let command, let identifier):
                step = selection.receive(try await channel.transmit(command), to: identifier)
            case .choose(let isRequired, let identifier):
                choices += 1
                guard choices <= limits.maxChoices else {
                    throw error(.badAnswer, "the card does not select the applications that it offers")
                }
                let index = isRequired ? try await chooseApplication(selection.candidates) : 0
                step = selection.choose(index, to: identifier)
            // In this loop no answer is late.
            case .selected, .failed, .ignored: return step
            }
        }
    }

    private func chooseApplication(_ candidates: [ApplicationCandidate]) async throws(LinkError) -> Int {
        let answer = await limited(to: limits.applicationChoice, on: clock) { [terminal] in
            await terminal.chooseApplication(candidates)
        }
        guard let answer else {
            throw Task.isCancelled
                ? error(.cancelled, "cancelled") : error(.timedOut, "no application was chosen in time")
        }
        guard let index = answer, candidates.indices.contains(index) else {
            throw error(.cancelled, "no application was chosen")
        }
        return index
    }

    private func error(_ code: LinkError.Code, _ message: String) -> LinkError {
        LinkError(code, link: channel.link.description, message)
    }

    /// Carries a transaction out.
    /// - Parameter kernel: a kernel that was not started.
    /// - Returns: the end of the transaction.
    /// - Throws: ``ContactSessionError`` if the kernel was started before; nothing was sent.
    public func run<Primitives>(
        _ kernel: ContactKernel<Primitives>
    ) async throws(ContactSessionError) -> KernelOutcome {
        var kernel = kernel
        var actions = kernel.start()[...]
        guard !actions.isEmpty else { throw .kernelStarted }
        var last = 0
        while true {
            switch actions.popFirst() {
            case .step(let step): await terminal.observe(step)
            case .effect(let effect):
                last = effect.identifier
                actions += kernel.receive(await answer(effect.task), to: effect.identifier)
            case .finished(let outcome): return outcome
            // The terminal's answer was not one of the effect, such as a PIN of three digits.
            case nil: actions += kernel.receive(.cancelled, to: last)
            }
        }
    }

    private func answer(_ task: KernelEffect.Task) async -> KernelAnswer {
        switch task {
        case .transmit(let command):
            do throws(LinkError) {
                return .response(try await channel.transmit(command))
            } catch {
                return error.code == .cancelled ? .cancelled : .cardLost
            }
        case .random(let count): return .random(random(count))
        case .enterPIN(let request):
            let entry = await limited(to: limits.pinEntry, on: clock) { [terminal] in await terminal.enterPIN(request) }
            return KernelAnswer(entry ?? .cancelled)
        case .authorise(let request):
            let answer = await limited(to: limits.host, on: clock) { [terminal] in await terminal.authorise(request) }
            if let answer { return .host(answer) }
            return Task.isCancelled ? .cancelled : .host(.unknown)
        }
    }
}

extension KernelAnswer {
    fileprivate init(_ entry: PINEntry) {
        self =
            switch entry {
            case .digits(let digits): .pin(digits)
            case .enciphered: .onlinePINEntered
            case .bypassed: .pinBypassed
            case .padFailed: .pinPadFailed
            case .cancelled: .cancelled
            }
    }
}

/// The reason why a session carries no transaction out.
public struct ContactSessionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. A struct, so that later versions can add codes.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The kernel was started before: one kernel is one transaction.
        public static let kernelStarted = Code(rawValue: "kernel_started")
    }

    /// The kind of error, for programs that handle it.
    public let code: Code
    /// The error, and what the program can do.
    public let message: String

    static let kernelStarted = ContactSessionError(
        code: .kernelStarted, message: "the kernel was started before: make one for each transaction")

    /// The same as `message`.
    public var description: String { message }
}
