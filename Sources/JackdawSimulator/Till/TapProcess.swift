import JackdawEMV

/// A card that is tapped: selects its application, runs the contactless kernel, and says both in the events of a
/// payment. A machine without I/O; its random octets come from a seed.
struct TapProcess<Primitives: AuthenticationPrimitives>: CardProcess {
    let isChoosing = false
    let candidates: [ApplicationCandidate] = []

    private let applications: [TerminalApplication]
    private let transaction: KernelTransaction
    private let primitives: Primitives
    private let wedge: CardWedge?
    private var selection: ApplicationSelection
    private var kernel: ContactlessKernel<Primitives>?
    /// The name of the selected application.
    private var name: [UInt8] = []
    /// The applications that do not take the transaction.
    private var refused: [[UInt8]] = []
    /// Whether an application that the terminal supports was found blocked.
    private var isBlocked = false
    private var isSelecting = false
    private var command: CardCommand?
    /// The identifier that the next answer names.
    private var identifier = 0
    /// The message for the issuer, which waits for a PIN.
    private var request: OnlineRequest?
    private var random: SplitMix
    private var outputs: [CardProcessOutput] = []

    init(
        _ settings: TillSettings, _ transaction: KernelTransaction, _ primitives: Primitives, _ wedge: CardWedge?,
        _ random: SplitMix
    ) {
        applications = settings.applications.filter { $0.contactless != nil }
        self.transaction = transaction
        self.primitives = primitives
        self.wedge = wedge
        selection = ApplicationSelection(applications.map(\.application), on: .contactless)
        self.random = random
    }

    mutating func start() -> [CardProcessOutput] {
        take(selection.start())
        return takeOutputs()
    }

    mutating func receive(_ answer: CardResponse) -> [CardProcessOutput] {
        let answer = wedge?.alter(answer, to: command) ?? answer
        if kernel == nil {
            // EMV Book B, 3.3.3: an application that is blocked is left out.
            if isSelecting, answer.status == .fileInvalidated { isBlocked = true }
            take(selection.receive(answer, to: identifier))
        } else {
            pass(.response(answer))
        }
        return takeOutputs()
    }

    mutating func loseCard() -> [CardProcessOutput] {
        if kernel == nil { outputs.append(.event(.tapAgain)) } else { pass(.cardLost) }
        return takeOutputs()
    }

    mutating func choose(_ index: Int) -> [CardProcessOutput] { [] }

    mutating func enter(_ answer: KernelAnswer) -> [CardProcessOutput] {
        guard let request else { return [] }
        self.request = nil
        guard case .onlinePINEntered = answer else {
            // The card has gone, and its cryptogram says that a PIN was entered.
            return [.event(.pinBypassed), .event(.tapEnded)]
        }
        return [.event(.pinEntered), .authorise(request), .event(.firstARQC)]
    }

    mutating func complete(_ host: HostAnswer) -> [CardProcessOutput] { [] }

    private mutating func takeOutputs() -> [CardProcessOutput] {
        defer { outputs = [] }
        return outputs
    }

    private mutating func send(_ command: CardCommand, _ identifier: Int) {
        self.identifier = identifier
        self.command = command
        outputs.append(.transmit(command))
    }

    // MARK: selection of the application

    private mutating func take(_ step: ApplicationSelection.Step) {
        switch step {
        case .send(let command, let identifier): send(command, identifier)
        case .choose(_, let identifier):
            self.identifier = identifier
            if let open = selection.candidates.firstIndex(where: { !refused.contains($0.name) }) {
                isSelecting = true
                take(selection.choose(open, to: identifier))
            } else {
                failSelection()
            }
        case .selected(let candidate, let objects): begin(candidate, objects)
        case .failed: failSelection()
        case .ignored: break
        }
    }

    private mutating func failSelection() {
        outputs.append(.event(isBlocked ? .applicationBlocked : .noCommonApplication))
    }

    private mutating func begin(_ candidate: ApplicationCandidate, _ objects: DataObjectStore) {
        name = candidate.name
        isSelecting = false
        let application = applications.first { name.starts(with: $0.application.identifier) }
        guard let application, let profile = application.contactless,
            let kernel = try? ContactlessKernel(
                application.configuration, profile, transaction, kernel: candidate.kernel, application: objects,
                primitives)
        else {
            outputs.append(.event(.kernelFailed))
            return
        }
        self.kernel = kernel
        take(self.kernel?.start() ?? [])
    }

    // MARK: the kernel and its outcome

    private mutating func pass(_ answer: KernelAnswer) {
        take(kernel?.receive(answer, to: identifier) ?? [])
    }

    private mutating func take(_ actions: [ContactlessAction]) {
        for action in actions {
            switch action {
            case .step(let step): outputs.append(.tapStep(step))
            case .effect(let effect): take(effect)
            case .finished(let outcome): finish(outcome)
            }
        }
    }

    private mutating func take(_ effect: KernelEffect) {
        switch effect.task {
        case .transmit(let command): send(command, effect.identifier)
        case .random(let count):
            take(kernel?.receive(.random(random.octets(count)), to: effect.identifier) ?? [])
        // A contactless kernel has neither.
        case .enterPIN, .authorise: break
        }
    }

    private mutating func finish(_ outcome: ContactlessOutcome) {
        outputs.append(.tapFinished(outcome, record(outcome)))
        let isSigned = outcome.verification == .signature
        switch outcome.disposition {
        case .approved: outputs.append(.event(isSigned ? .firstTCWithSignature : .firstTC))
        case .declined: outputs.append(.event(.firstAAC))
        case .onlineRequest: goOnline(outcome)
        case .tryAnotherInterface: outputs.append(.event(.tapOtherInterface))
        case .selectNext:
            refused.append(name)
            kernel = nil
            take(selection.start())
        case .endApplication:
            let isWaiting = outcome.reason == .deviceInteraction && outcome.start == .protocolActivation
            outputs.append(.event(isWaiting ? .tapSeePhone : .tapEnded))
        case .tryAgain:
            outputs.append(.event(outcome.reason == .deviceInteraction ? .tapSeePhone : .tapAgain))
        }
    }

    private mutating func goOnline(_ outcome: ContactlessOutcome) {
        guard let online = outcome.online else { return }
        if outcome.verification == .onlinePIN {
            request = online
            outputs.append(.event(.pinRequested))
            outputs.append(.enterPIN(PINRequest(isOnline: true, triesLeft: nil, isRetry: false)))
        } else {
            outputs.append(.authorise(online))
            outputs.append(.event(.firstARQC))
        }
    }

    /// The objects for settlement, with those that a Visa-style card's data record does not have.
    private func record(_ outcome: ContactlessOutcome) -> DataObjectStore {
        var record = outcome.dataRecord ?? DataObjectStore()
        if record[0x84] == nil { record[0x84] = name }
        if record[0x9F27] == nil, outcome.disposition == .approved { record[0x9F27] = [CryptogramType.tc.rawValue] }
        return record
    }
}
