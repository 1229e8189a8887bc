import JackdawEMV
import JackdawReaders

// The exchanges of a simulated SPm20 terminal with its host, through the program. Each has a connection of its own.

extension JSONPOSTerminal {
    /// The most bytes of a message with data.
    private static var maxPartSize: Int { 512 }

    mutating func begin(_ job: Job, at now: Duration) {
        guard hasNetwork else { return finish(job, .unreachable, at: now) }
        connections += 1
        hostStream = TerminalHostMessage.Stream()
        let id = request(
            "NetworkConnect",
            [
                "host": .text(Self.hostAddress.host), "port": .number(Double(Self.hostAddress.port)),
                "connection_id": .number(Double(connections)),
            ])
        hostLink = .opening(id: id, job)
        limit(until: now + Self.connectLimit)
    }

    private mutating func limit(until due: Duration) {
        lastLimit += 1
        queue.add(.hostLimit(lastLimit), at: due)
    }

    /// Delivers the next message that the host must have.
    mutating func deliver(at now: Duration) {
        guard case .idle = hostLink, hasNetwork, let (item, attempt) = outbox.begin() else { return }
        begin(.message(item.request, attempt: attempt), at: now)
    }

    mutating func happen(_ happening: Happening, at now: Duration) {
        switch happening {
        case .hostLimit(let number): if number == lastLimit { endExchange(.lost, at: now) }
        case .delivery: deliver(at: now)
        }
    }

    /// The program answered a request.
    mutating func takeResult(_ id: String, at now: Duration) {
        guard case .opening(let open, let job) = hostLink, open == id else { return }
        hostLink = .open(job)
        if case .authorisation = job { isHostAsked = true }
        let bytes = TerminalHostMessage.encode(job.request)
        for start in stride(from: 0, to: bytes.count, by: Self.maxPartSize) {
            let part = Array(bytes[start..<min(start + Self.maxPartSize, bytes.count)])
            send(
                .request(
                    method: "Data", parameters: .object(["id": .number(Double(connections)), "data": .base64(part)]),
                    id: nil))
        }
        limit(until: now + Self.replyLimit)
    }

    /// The program refused a request.
    mutating func takeFailure(_ id: String?, at now: Duration) {
        guard case .opening(let open, _) = hostLink, open == id else { return }
        endExchange(.unreachable, at: now)
    }

    mutating func takeData(_ parameters: JSONValue, at now: Duration) {
        guard case .open(let job) = hostLink, parameters["id"] == .number(Double(connections)),
            let bytes = parameters["data"]?.base64Octets
        else { return }
        for content in hostStream.receive(bytes) {
            guard let reply = TerminalHostMessage.reply(content, about: job.request.reference) else { continue }
            return endExchange(.reply(reply), at: now)
        }
    }

    /// Ends the exchange under way, if there is one.
    mutating func endExchange(_ end: HostEnd, at now: Duration) {
        switch hostLink {
        case .idle: return
        case .opening(_, let job):
            hostLink = .idle
            // The host has received nothing.
            finish(job, .unreachable, at: now)
        case .open(let job):
            hostLink = .idle
            if hasNetwork {
                _ = request(
                    "NetworkDisconnect",
                    ["connection_id": .number(Double(connections)), "reason": .text("the exchange is over")])
            }
            finish(job, end, at: now)
        }
    }

    private mutating func finish(_ job: Job, _ end: HostEnd, at now: Duration) {
        lastLimit += 1
        switch job {
        case .authorisation: if state == .authorising { complete(end, at: now) }
        case .message(_, let attempt):
            var isAnswered = false
            if case .reply(.receipt) = end { isAnswered = true }
            if let wait = outbox.end(attempt, isAnswered: isAnswered) { queue.add(.delivery, at: now + wait) }
            if outbox.items.isEmpty, state == .idle { report(nil) }
        }
        guard case .idle = hostLink, let request = waitingRequest else { return }
        waitingRequest = nil
        begin(.authorisation(request), at: now)
    }

    private mutating func complete(_ end: HostEnd, at now: Duration) {
        state = .completing
        let answer: HostAnswer
        switch end {
        case .reply(.decision(let response)):
            isHostApproved = response.isApproved
            isHostAsked = response.isApproved
            answer = .answered(response)
        case .unreachable:
            isHostAsked = false
            answer = .unreachable
        case .lost, .reply(.receipt): answer = .unknown
        }
        take(slot.complete(answer, at: now), at: now)
    }
}
