import JackdawBluetooth
import JackdawLinux
import JackdawReaders
import JackdawTransport

/// Keeps a reader connected and reports the events of its link.
struct ReaderConnection: Sendable {
    let link: LinkName
    let profile: GATTProfile?
    let route: SerialRoute
    let persistence: KeptLink.Persistence
    let output: LiveOutput

    /// Listens until the task is cancelled, further attempts are useless, or `serve` ends it.
    /// - Parameters:
    ///   - environment: opens the link.
    ///   - lowBattery: reports a low battery; the caller passes it the reports of the reader's own protocol.
    ///   - serve: handles each session. It returns true after it has closed the session, to connect the reader again,
    ///     or false to end.
    /// - Throws: `CommandError` if further attempts are useless.
    func run(
        _ environment: CommandEnvironment, lowBattery: LowBattery? = nil,
        _ serve: @escaping @Sendable (any Transport) async -> Bool
    ) async throws(CommandError) {
        let kept = environment.keep(persistence) { () async throws(LinkError) in
            try await environment.connect(link, profile, route)
        }
        let lowBattery = lowBattery ?? LowBattery(link: link, output: output)
        let isEnough = Lock(false)
        var failures = OpeningFailures()
        await kept.open()
        let failure = await withTaskGroup(of: Void.self, returning: LinkError?.self) { sessions in
            var failure: LinkError?
            for await event in kept.events {
                switch event {
                case .connected(let session):
                    failures.succeed()
                    tell("connected")
                    sessions.addTask {
                        guard await !serve(session) else { return }
                        isEnough.withLock { $0 = true }
                        await kept.close()
                    }
                // A link that this program closes itself is not lost.
                case .lost(let error): if !isEnough.withLock({ $0 }) { tell("lost", error) }
                case .waiting(let duration, let error):
                    guard let tries = failures.receive(error, wait: duration) else { continue }
                    output.add(WaitingReport(link: link, error: error, wait: duration, tries: tries))
                case .slept(let duration): tell("slept", nil, duration)
                case .battery(let report):
                    output.add("battery", report, report.isCharging == true ? ", charging" : "", of: link)
                    lowBattery.receive(report)
                // The `battery` event before it has the same report, so this one matters only if that one was missed.
                case .batteryLow(let report): lowBattery.receive(report)
                case .missed(let count): output.message("\(link): \(counted(count, "event")) not reported")
                case .ended(let error): failure = error
                }
            }
            // A cancelled task receives no more events. A session may still send a last request to the reader.
            sessions.cancelAll()
            await sessions.waitForAll()
            await kept.close()
            return failure
        }
        if let failure { throw CommandError(failure) }
    }

    private func tell(_ event: String, _ error: LinkError? = nil, _ duration: Duration? = nil) {
        let seconds = duration.map { $0 / .seconds(1) }
        if output.isJSON {
            var object = JSONObject()
            object.add("link", link.description)
            object.add("event", event)
            object.add("reason", error?.code.name)
            object.add("seconds", seconds, decimals: 1)
            output.add(object, [], isData: true)
        }
        // The message about the wait after a loss has the same reason.
        guard error == nil else { return }
        output.message(
            "\(link): \(seconds.map { "the system was asleep for \(fixed($0, 1)) s" } ?? event)")
    }
}

/// Reports that the battery of a reader has become low, whether the link or the reader's own protocol reports the
/// charge.
struct LowBattery: Sendable {
    let link: LinkName
    let output: LiveOutput
    private let watch = Lock(BatteryWatch())

    init(link: LinkName, output: LiveOutput) {
        self.link = link
        self.output = output
    }

    /// Processes a report of the link or of the reader.
    func receive(_ report: BatteryReport) {
        guard watch.withLock({ $0.receive(report).becameLow }) else { return }
        output.add("battery_low", report, ": charge the reader", of: link)
    }

    /// Processes the battery reports in an event of the reader.
    func receive(_ event: ReaderEvent) {
        let facts: [ReaderFact] =
            switch event {
            case .connected(let identity): identity.facts
            case .answered(_, let facts): facts
            case .reported(let fact): [fact]
            default: []
            }
        for case .battery(let report) in facts { receive(report) }
    }
}

extension LiveOutput {
    /// Writes a battery report, with advice after the charge.
    fileprivate func add(_ event: String, _ battery: BatteryReport, _ advice: String, of link: LinkName) {
        if isJSON {
            var object = JSONObject()
            object.add("link", link.description)
            object.add("event", event)
            object.add("percent", battery.percent)
            object.add("charging", battery.isCharging)
            add(object, [], isData: true)
        }
        let charge = battery.percent.map { "\($0) %" } ?? "unknown"
        message("\(link): battery \(charge)\(advice)")
    }
}

/// Asks the user at the terminal the questions of a pairing.
struct TerminalAgent: PairingAgent {
    let conversation: Conversation
    /// The device's code from the command line; nil if it was not given.
    let code: String?

    var capability: PairingCapability { .keyboardDisplay }

    func display(passkey: String, entered: Int, for device: FoundDevice) async {
        guard entered == 0 else { return }
        conversation.message("type \(passkey) on \(name(device)), and confirm there")
    }

    func display(pinCode: String, for device: FoundDevice) async {
        conversation.message("type \(pinCode) on \(name(device)), and confirm there")
    }

    func confirm(passkey: String, for device: FoundDevice) async -> Bool {
        await conversation.agrees(to: "does \(name(device)) show \(passkey)? [y/N]")
    }

    func requestPasskey(for device: FoundDevice) async -> UInt32? {
        if let code { return UInt32(code) }
        return await conversation.ask("enter the six digits that \(name(device)) shows, or its passkey:").flatMap {
            UInt32($0)
        }
    }

    func requestPINCode(for device: FoundDevice) async -> String? {
        if let code { return code }
        return await conversation.ask("enter the PIN code of \(name(device)):")
    }

    func authorize(_ device: FoundDevice) async -> Bool {
        await conversation.agrees(to: "pair with \(name(device))? [y/N]")
    }

    /// Does nothing: the conversation itself closes a question that is over.
    func cancelled() async {}

    private func name(_ device: FoundDevice) -> String { device.name ?? device.link.address }
}
