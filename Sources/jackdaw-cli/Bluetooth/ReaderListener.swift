import JackdawBluetooth
import JackdawLinux
import JackdawTransport

/// Keeps a reader connected and tells what it sends: how much, and only where that is asked for what.
struct ReaderListener: Sendable {
    let link: LinkName
    let profile: GATTProfile?
    let route: SerialRoute
    let isJSON: Bool
    let isRevealed: Bool
    let conversation: Conversation

    /// Listens until the task is cancelled or there is no use in trying.
    func run(_ system: BluetoothSystem) async throws(CommandError) {
        let kept = system.keep { () async throws(LinkError) in try await system.connect(link, profile, route) }
        await kept.open()
        let failure = await withTaskGroup(of: Void.self, returning: LinkError?.self) { sessions in
            var failure: LinkError?
            for await event in kept.events {
                switch event {
                case .connected(let session):
                    tell("connected")
                    sessions.addTask { await receive(session) }
                case .lost(let error): tell("lost", error)
                case .waiting(let duration, let error): tell("waiting", error, duration)
                case .slept(let duration): tell("slept", nil, duration)
                case .battery(let report): tell("battery", report, report.isCharging == true ? ", charging" : "")
                case .batteryLow(let report): tell("battery_low", report, ": charge the reader")
                case .missed(let count): conversation.message("\(link): \(counted(count, "event")) went untold")
                case .ended(let error): failure = error
                }
            }
            // A task that was cancelled takes no more events.
            await kept.close()
            sessions.cancelAll()
            return failure
        }
        if let failure { throw CommandError(failure) }
    }

    private func receive(_ session: any Transport) async {
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

    private func tell(_ event: String, _ error: LinkError? = nil, _ duration: Duration? = nil) {
        let seconds = duration.map { Double($0.components.seconds) + Double($0.components.attoseconds) / 1e18 }
        if isJSON {
            var object = JSONObject()
            object.add("link", link.description)
            object.add("event", event)
            object.add("reason", error?.code.name)
            object.add("seconds", seconds, decimals: 1)
            conversation.result(object)
        }
        switch (error, seconds) {
        case (let error?, let seconds?): conversation.message("\(error); trying again in \(fixed(seconds, 1)) s")
        // A wait is told with its reason; the loss before it has the same one.
        case (_?, nil): break
        case (nil, let seconds?): conversation.message("\(link): the system was asleep for \(fixed(seconds, 1)) s")
        case (nil, nil): conversation.message("\(link): \(event)")
        }
    }

    private func tell(_ event: String, _ battery: BatteryReport, _ advice: String) {
        if isJSON {
            var object = JSONObject()
            object.add("link", link.description)
            object.add("event", event)
            object.add("percent", battery.percent)
            object.add("charging", battery.isCharging)
            conversation.result(object)
        }
        let charge = battery.percent.map { "\($0) %" } ?? "unknown"
        conversation.message("\(link): battery \(charge)\(advice)")
    }
}
