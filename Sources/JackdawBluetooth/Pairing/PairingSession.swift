public import JackdawTransport

/// The pairing of one device: what bluetoothd asks goes to an agent, and its answers back.
actor PairingSession {
    /// How long a person may take.
    static let limit = Duration.seconds(120)

    private let client: BlueZClient
    private let device: BlueZDevice
    private let link: String
    private let agent: any PairingAgent
    /// What is asked now.
    private var question: (request: BusRequest, task: Task<Void, Never>)?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe client.unownedExecutor }

    init(_ device: BlueZDevice, link: String, agent: any PairingAgent, by client: BlueZClient) {
        self.client = client
        self.device = device
        self.link = link
        self.agent = agent
    }

    /// Pairs and trusts the device; one that is paired already is only trusted.
    func run() async throws(LinkError) {
        do throws(BusError) {
            try await pair()
            // One that is trusted may connect by itself later, and is not asked about.
            try await client.set(device.path, BlueZName.device, "Trusted", .boolean(true))
        } catch {
            throw LinkError(error, link: link, while: .pairing)
        }
    }

    private func pair() async throws(BusError) {
        // bluetoothd takes one agent of each program at a time, and refuses a second one as busy.
        let name = BlueZName.last(of: device.path)
        let path = BusValue.objectPath("/org/jackdaw/agent/\(name)")
        let object = try await client.bus.export("/org/jackdaw/agent/\(name)") { [weak self] request in
            self?.assumeIsolated { $0.receive(request) }
        }
        let result: Result<Void, BusError>
        do throws(BusError) {
            try await client.call(
                BlueZName.root, BlueZName.agentManager, "RegisterAgent", [path, .string(agent.capability.rawValue)])
            result = await request()
            await unregister(path)
        } catch {
            if error.isUnanswered { await unregister(path) }
            result = .failure(error)
        }
        await client.bus.remove(object)
        endQuestion()
        try result.get()
    }

    private func unregister(_ path: BusValue) async {
        await client.undo(BlueZName.root, BlueZName.agentManager, "UnregisterAgent", [path])
    }

    private func request() async -> Result<Void, BusError> {
        do throws(BusError) {
            try await client.call(device.path, BlueZName.device, "Pair", within: Self.limit)
            return .success(())
        } catch {
            if error.isUnanswered { await client.undo(device.path, BlueZName.device, "CancelPairing") }
            return error.name == "org.bluez.Error.AlreadyExists" ? .success(()) : .failure(error)
        }
    }

    /// A call of bluetoothd.
    private func receive(_ request: BusRequest) {
        let isAuthentic = client.assumeIsolated { $0.objects.owner == request.sender }
        guard isAuthentic, request.interface == BlueZName.agent else {
            return answer(request, .failure(BusError(name: BusError.Name.accessDenied)))
        }
        switch request.member {
        case "Release": answer(request, .success(BusBody()))
        case "Cancel":
            endQuestion()
            answer(request, .success(BusBody()))
        default:
            // Only the device that is being paired has a say.
            guard request.body[0]?.text == device.path, let found = FoundDevice(device, by: .any) else {
                return answer(request, .failure(BusError(name: "org.bluez.Error.Rejected")))
            }
            ask(request, about: found)
        }
    }

    private func ask(_ request: BusRequest, about device: FoundDevice) {
        question?.task.cancel()
        let task = Task { [agent] in
            let reply = await Self.reply(of: agent, to: request, about: device)
            self.answer(request, reply)
            if question?.request.number == request.number, !Self.shows(request) { question = nil }
        }
        question = (request, task)
    }

    /// Whether something stays shown after the answer.
    private static func shows(_ request: BusRequest) -> Bool { request.member.hasPrefix("Display") }

    private static func reply(
        of agent: any PairingAgent, to request: BusRequest, about device: FoundDevice
    ) async -> Result<BusBody, BusError> {
        let argument = request.body[1]
        let passkey = digits(argument?.integer ?? 0)
        var answer: [BusValue]? = []
        switch request.member {
        case "DisplayPasskey":
            await agent.display(passkey: passkey, entered: request.body[2]?.integer ?? 0, for: device)
        case "DisplayPinCode": await agent.display(pinCode: argument?.text ?? "", for: device)
        case "RequestConfirmation": answer = await agent.confirm(passkey: passkey, for: device) ? [] : nil
        case "RequestAuthorization": answer = await agent.authorize(device) ? [] : nil
        case "RequestPasskey": answer = await agent.requestPasskey(for: device).map { [.uint32($0)] }
        case "RequestPinCode": answer = await agent.requestPINCode(for: device).map { [.string($0)] }
        case "AuthorizeService": break
        default: return .failure(BusError(name: BusError.Name.unknownMethod, message: request.member))
        }
        return answer.map { .success(BusBody($0)) } ?? .failure(BusError(name: "org.bluez.Error.Rejected"))
    }

    private func endQuestion() {
        guard let question else { return }
        self.question = nil
        question.task.cancel()
        answer(question.request, .failure(BusError(name: "org.bluez.Error.Canceled")))
        Task { [agent] in await agent.cancelled() }
    }

    private func answer(_ request: BusRequest, _ result: Result<BusBody, BusError>) {
        client.bus.assumeIsolated { $0.answer(request, result) }
    }

    /// Six digits, as devices show them.
    private static func digits(_ passkey: Int) -> String {
        let text = String(passkey)
        return String(repeating: "0", count: max(0, 6 - text.count)) + text
    }
}

/// Whom a program lets answer what pairing asks: a person at a terminal or a window, or a program that knows the code.
///
/// The task of a question is cancelled where its answer is not wanted any more.
public protocol PairingAgent: Sendable {
    /// What it can do, by which the device chooses what to ask.
    var capability: PairingCapability { get }

    /// Shows six digits that are to be typed on the device; again with each digit that was.
    func display(passkey: String, entered: Int, for device: FoundDevice) async
    /// Shows a code that is to be typed on the device.
    func display(pinCode: String, for device: FoundDevice) async
    /// Asks whether the device shows the same six digits.
    func confirm(passkey: String, for device: FoundDevice) async -> Bool
    /// Asks for the six digits that the device shows; nil for none.
    func requestPasskey(for device: FoundDevice) async -> UInt32?
    /// Asks for the device's code, of 1 to 16 characters; nil for none.
    func requestPINCode(for device: FoundDevice) async -> String?
    /// Asks whether to pair with a device that can show and ask nothing.
    func authorize(_ device: FoundDevice) async -> Bool
    /// What was asked or shown last is over.
    func cancelled() async
}

/// What an agent can do.
public enum PairingCapability: String, Sendable, Hashable, CaseIterable {
    /// It can show, and ask yes or no, and for digits.
    case keyboardDisplay = "KeyboardDisplay"
    /// It can show, and ask yes or no.
    case displayYesNo = "DisplayYesNo"
    /// It can show.
    case displayOnly = "DisplayOnly"
    /// It can ask for digits.
    case keyboardOnly = "KeyboardOnly"
    /// It can neither show nor ask.
    case noInputNoOutput = "NoInputNoOutput"
}
