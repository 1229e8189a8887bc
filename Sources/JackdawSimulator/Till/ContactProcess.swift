import JackdawEMV

/// A contact card in a terminal: selects its application, runs the kernel, and says both in the events of a payment. A
/// machine without I/O; its random octets come from a seed.
struct ContactProcess<Primitives: AuthenticationPrimitives>: CardProcess {
    private(set) var isChoosing = false

    private let applications: [TerminalApplication]
    private var transaction: KernelTransaction?
    private let primitives: Primitives
    private let wedge: CardWedge?
    private var selection: ApplicationSelection
    private var kernel: ContactKernel<Primitives>?
    /// The name of the selected application.
    private var name: [UInt8] = []
    /// Its objects, if it waits for the transaction.
    private var waiting: DataObjectStore?
    /// The applications that do not allow the transaction.
    private var refused: [[UInt8]] = []
    /// Whether an application that the terminal supports was found blocked.
    private var isBlocked = false
    private var command: CardCommand?
    private var exchange: CardExchange?
    /// The identifier that the next answer names.
    private var identifier = 0
    /// Whether the payment is at the PIN pad.
    private var isEnteringPIN = false
    /// The end of the entry, as far as it is known.
    private var entry = PaymentEvent.pinBypassed
    private var hasAskedIssuer = false
    private var random: SplitMix
    private var outputs: [CardProcessOutput] = []

    /// A process that has not started. Without a transaction, it asks for one after the selection.
    init(
        _ settings: TillSettings, _ transaction: KernelTransaction?, _ primitives: Primitives, _ wedge: CardWedge?,
        _ random: SplitMix
    ) {
        applications = settings.applications
        self.transaction = transaction
        self.primitives = primitives
        self.wedge = wedge
        selection = ApplicationSelection(settings.applications.map(\.application), on: .contact)
        self.random = random
    }

    /// Those that the card has not refused for the transaction.
    var candidates: [ApplicationCandidate] { open.map { selection.candidates[$0] } }

    /// The indexes of these applications in the selection's list.
    private var open: [Int] {
        selection.candidates.indices.filter { !refused.contains(selection.candidates[$0].name) }
    }

    mutating func start() -> [CardProcessOutput] {
        take(selection.start())
        return takeOutputs()
    }

    mutating func receive(_ answer: CardResponse) -> [CardProcessOutput] {
        guard var exchange else { return [] }
        if let next = exchange.receive(answer) {
            self.exchange = exchange
            outputs.append(.transmit(next))
            return takeOutputs()
        }
        self.exchange = nil
        let response = wedge?.alter(exchange.response, to: command) ?? exchange.response
        if kernel == nil {
            noteBlocked(response.status)
            take(selection.receive(response, to: identifier))
        } else {
            if command?.instruction == Self.verify {
                entry = response.status == .success ? .pinEntered : .pinTriesExceeded
            }
            pass(.response(response))
        }
        return takeOutputs()
    }

    mutating func loseCard() -> [CardProcessOutput] {
        guard exchange != nil else { return [] }
        exchange = nil
        if kernel == nil { outputs.append(.event(.chipUnreadable)) } else { pass(.cardLost) }
        return takeOutputs()
    }

    mutating func choose(_ index: Int) -> [CardProcessOutput] {
        guard candidates.indices.contains(index) else { return [] }
        isChoosing = false
        take(selection.choose(open[index], to: identifier))
        return takeOutputs()
    }

    /// Goes on with the transaction that the process asked for.
    mutating func begin(_ transaction: KernelTransaction) -> [CardProcessOutput] {
        guard let objects = waiting else { return [] }
        waiting = nil
        self.transaction = transaction
        begin(name, objects)
        return takeOutputs()
    }

    mutating func enter(_ answer: KernelAnswer) -> [CardProcessOutput] {
        switch answer {
        case .onlinePINEntered: entry = .pinEntered
        default: entry = .pinBypassed
        }
        pass(answer)
        return takeOutputs()
    }

    mutating func complete(_ host: HostAnswer) -> [CardProcessOutput] {
        pass(.host(host))
        return takeOutputs()
    }

    private mutating func takeOutputs() -> [CardProcessOutput] {
        defer { outputs = [] }
        return outputs
    }

    private mutating func send(_ command: CardCommand, _ identifier: Int) {
        self.identifier = identifier
        self.command = command
        exchange = CardExchange(command)
        outputs.append(.transmit(command))
    }

    // MARK: selection of the application

    private static var directory: [UInt8] { Array("1PAY.SYS.DDF01".utf8) }

    /// The event of a card without an application for the payment. One that is blocked is no candidate (EMV Book 1,
    /// 12.3.3), and never a reason to fall back.
    private var noApplication: PaymentEvent { isBlocked ? .applicationBlocked : .noCommonApplication }

    /// Notes an application that the terminal supports and whose SELECT was answered with 6283.
    private mutating func noteBlocked(_ status: StatusWord) {
        guard let command, command.instruction == Self.select, status == .fileInvalidated else { return }
        if command.data != SecretOctets(Self.directory) { isBlocked = true }
    }

    private mutating func take(_ step: ApplicationSelection.Step) {
        switch step {
        case .send(let command, let identifier): send(command, identifier)
        case .choose(let isRequired, let identifier):
            self.identifier = identifier
            if open.isEmpty {
                outputs.append(.event(noApplication))
            } else if isRequired {
                // Also after the card refused an application: the cardholder has not agreed to the next one.
                isChoosing = true
                outputs.append(.event(.applicationsFound))
            } else {
                take(selection.choose(open[0], to: identifier))
            }
        case .selected(let candidate, let objects): begin(candidate.name, objects)
        case .failed(.cardBlocked): outputs.append(.event(.cardBlocked))
        case .failed(.notAccepted): outputs.append(.event(noApplication))
        case .ignored: break
        }
    }

    // MARK: the kernel and its effects

    private static var select: UInt8 { 0xA4 }
    private static var verify: UInt8 { 0x20 }
    private static var getChallenge: UInt8 { 0x84 }

    private mutating func begin(_ name: [UInt8], _ objects: DataObjectStore) {
        self.name = name
        guard let transaction else {
            waiting = objects
            return outputs.append(.transactionNeeded)
        }
        let application = applications.first { name.starts(with: $0.application.identifier) }
        guard let application,
            let kernel = try? ContactKernel(application.configuration, transaction, application: objects, primitives)
        else {
            outputs.append(.event(.kernelFailed))
            return
        }
        self.kernel = kernel
        take(self.kernel?.start() ?? [])
    }

    private mutating func pass(_ answer: KernelAnswer) {
        take(kernel?.receive(answer, to: identifier) ?? [])
    }

    private mutating func take(_ actions: [KernelAction]) {
        for action in actions {
            switch action {
            case .step(let step): outputs.append(.step(step))
            case .effect(let effect): take(effect)
            case .finished(let outcome): finish(outcome)
            }
        }
    }

    private mutating func take(_ effect: KernelEffect) {
        switch effect.task {
        case .transmit(let command):
            if command.instruction != Self.verify, command.instruction != Self.getChallenge { endEntry() }
            send(command, effect.identifier)
        case .random(let count):
            take(kernel?.receive(.random(random.octets(count)), to: effect.identifier) ?? [])
        case .enterPIN(let request):
            identifier = effect.identifier
            outputs.append(.event(isEnteringPIN ? .pinWrong : .pinRequested))
            isEnteringPIN = true
            outputs.append(.enterPIN(request))
        case .authorise(let request):
            identifier = effect.identifier
            endEntry()
            hasAskedIssuer = true
            outputs.append(.authorise(request))
            outputs.append(.event(.firstARQC))
        }
    }

    /// Reports the end of the PIN entry when the kernel goes on with something else.
    private mutating func endEntry() {
        guard isEnteringPIN else { return }
        isEnteringPIN = false
        outputs.append(.event(entry))
    }

    private mutating func finish(_ outcome: KernelOutcome) {
        endEntry()
        outputs.append(.finished(outcome))
        switch outcome.disposition {
        case .approved where hasAskedIssuer:
            outputs.append(.event(outcome.isSignatureRequired ? .secondTCWithSignature : .secondTC))
        case .approved: outputs.append(.event(outcome.isSignatureRequired ? .firstTCWithSignature : .firstTC))
        case .declined, .notAccepted: outputs.append(.event(hasAskedIssuer ? .secondAAC : .firstAAC))
        case .selectAnother:
            refused.append(name)
            kernel = nil
            take(selection.start())
        case .terminated: outputs.append(.event(.kernelFailed))
        }
    }
}
