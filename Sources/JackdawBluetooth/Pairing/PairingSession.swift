public import JackdawTransport

/// The pairing of one device: forwards the requests of bluetoothd to an agent, and the agent's answers back.
actor PairingSession {
    /// The time limit of a pairing, in which a person may have to answer.
    static let limit = Duration.seconds(120)

    private let client: BlueZClient
    private let device: BlueZDevice
    private let link: String
    private let agent: any PairingAgent
    /// The request that the agent is answering now.
    private var question: (request: BusRequest, task: Task<Void, Never>)?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe client.unownedExecutor }

    init(_ device: BlueZDevice, link: String, agent: any PairingAgent, by client: BlueZClient) {
        self.client = client
        self.device = device
        self.link = link
        self.agent = agent
    }

    /// Pairs and trusts the device; a device that is already paired is only trusted.
    func run() async throws(LinkError) {
        do throws(BusError) {
            try await pair()
            // A trusted device may later connect by itself, without an authorization request.
            try await client.set(device.path, BlueZName.device, "Trusted", .boolean(true))
        } catch {
            throw LinkError(error, link: link, while: .pairing)
        }
    }

    private func pair() async throws(BusError) {
        // bluetoothd accepts one agent per connection at a time, and refuses a second one as busy.
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

    /// Handles a method call of bluetoothd.
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
            // Requests for any device other than the one being paired are rejected.
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

    /// Whether a request shows a code that stays visible after the answer.
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

    /// A passkey as six digits, with leading zeros.
    private static func digits(_ passkey: Int) -> String {
        let text = String(passkey)
        return String(repeating: "0", count: max(0, 6 - text.count)) + text
    }
}

/// Answers the questions of a pairing: a user at a terminal or a window, or a program that knows the code.
///
/// The task of a question is cancelled if its answer is no longer needed.
public protocol PairingAgent: Sendable {
    /// The agent's input and output capability, from which the device chooses the pairing method.
    var capability: PairingCapability { get }

    /// Shows six digits for the user to type on the device; called again for each digit typed.
    func display(passkey: String, entered: Int, for device: FoundDevice) async
    /// Shows a PIN code for the user to type on the device.
    func display(pinCode: String, for device: FoundDevice) async
    /// Asks whether the device shows the same six digits.
    func confirm(passkey: String, for device: FoundDevice) async -> Bool
    /// Asks for the six digits that the device shows; nil if the user declines.
    func requestPasskey(for device: FoundDevice) async -> UInt32?
    /// Asks for the device's PIN code, of 1 to 16 characters; nil if the user declines.
    func requestPINCode(for device: FoundDevice) async -> String?
    /// Asks whether to pair with a device that has no display and no keyboard.
    func authorize(_ device: FoundDevice) async -> Bool
    /// The last question or code is no longer valid.
    func cancelled() async
}

/// The input and output capability of an agent.
public enum PairingCapability: String, Sendable, Hashable, CaseIterable {
    /// Can show digits, ask yes or no, and ask for digits.
    case keyboardDisplay = "KeyboardDisplay"
    /// Can show digits, and ask yes or no.
    case displayYesNo = "DisplayYesNo"
    /// Can only show digits.
    case displayOnly = "DisplayOnly"
    /// Can only ask for digits.
    case keyboardOnly = "KeyboardOnly"
    /// Can neither show nor ask.
    case noInputNoOutput = "NoInputNoOutput"
}
