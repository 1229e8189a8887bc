package import JackdawTransport

/// Runs the host of simulated terminals at the end of connections in this process, on a clock.
package actor SimulatedTerminalHost {
    private var host: TerminalHost
    private let clock: ElapsedClock
    private var connections: [Int: MemoryLink] = [:]
    private var lastConnection = 0

    /// - Parameters:
    ///   - host: the host.
    ///   - clock: measures the delays of its answers.
    package init(_ host: TerminalHost, clock: any Clock<Duration> = SuspendingClock()) {
        self.host = host
        self.clock = ElapsedClock(clock)
    }

    /// Opens a connection, which the host serves until it is closed.
    /// - Parameter link: the name of the connection.
    /// - Returns: the terminal's end.
    package func connect(_ link: LinkName) -> any Transport {
        let (near, far) = MemoryLink.pair(link: link)
        lastConnection += 1
        let number = lastConnection
        connections[number] = far
        Task { await serve(far, number) }
        return near
    }

    private func serve(_ link: MemoryLink, _ number: Int) async {
        var bytes: [UInt8] = []
        do throws(LinkError) {
            while try await link.receive({ span in for index in span.indices { bytes.append(span[index]) } }) {
                host.receive(bytes, from: number, at: clock.now())
                bytes = []
                await sendAnswers()
            }
        } catch {
            // The terminal has closed the connection.
        }
        await close(number)
    }

    private func sendAnswers() async {
        while let deadline = host.nextDeadline {
            guard (try? await clock.sleep(deadline)) != nil else { return }
            for output in host.advance(to: clock.now()) {
                switch output {
                case .send(let bytes, let number): try? await connections[number]?.send(bytes)
                case .close(let number): await close(number)
                }
            }
        }
    }

    private func close(_ number: Int) async {
        guard let link = connections.removeValue(forKey: number) else { return }
        host.close(number)
        await link.close()
    }
}
