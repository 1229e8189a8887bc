internal import JackdawReaders
internal import JackdawTransport

/// Connects readers again and again, as they come and go.
enum KeptReaders {
    /// A conversation for each time that a reader is there.
    /// - Parameters:
    ///   - dialect: makes how it speaks.
    ///   - backOff: how long to wait after a reader was lost, or not found.
    ///   - clock: what that and the reader's times are measured with.
    ///   - connect: opens its link.
    /// - Returns: conversations that are not begun. Ends where the link can never be opened.
    static func sessions(
        _ dialect: @escaping @Sendable () throws(ReaderError) -> any ReaderDialect, backOff: BackOff = BackOff(),
        clock: any Clock<Duration>, _ connect: @escaping @Sendable () async throws(LinkError) -> any Transport
    ) -> AsyncStream<ReaderSession> {
        let (stream, sessions) = AsyncStream<ReaderSession>.makeStream()
        let task = Task {
            let elapsed = ElapsedClock(clock)
            var random = SystemRandomNumberGenerator()
            var wait: Duration?
            while !Task.isCancelled, let dialect = try? dialect() {
                let began = elapsed.now()
                do throws(LinkError) {
                    let (end, bell) = AsyncStream<Never>.makeStream()
                    let transport = EndingTransport(base: try await connect(), bell: bell)
                    guard case .enqueued = sessions.yield(ReaderSession(transport, dialect, clock: clock)) else {
                        await transport.close()
                        break
                    }
                    for await _ in end {}
                    if elapsed.now() - began >= backOff.steadyAfter { wait = nil }
                } catch {
                    // A device that has just come gets its rights a moment later.
                    guard error.code.mayPass || error.code == .notPermitted else { break }
                }
                let next = backOff.wait(after: wait)
                wait = next
                let deadline = elapsed.now() + backOff.shortened(next, using: &random)
                guard (try? await elapsed.sleep(deadline)) != nil else { break }
            }
            sessions.finish()
        }
        sessions.onTermination = { _ in task.cancel() }
        return stream
    }
}

/// A link that tells when it is over.
private struct EndingTransport: Transport {
    let base: any Transport
    let bell: AsyncStream<Never>.Continuation

    var link: LinkName { base.link }
    var executor: (any TaskExecutor)? { base.executor }

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        do throws(LinkError) {
            guard try await base.receive(take) else {
                bell.finish()
                return false
            }
            return true
        } catch {
            if error.code != .cancelled { bell.finish() }
            throw error
        }
    }

    func send(_ bytes: [UInt8]) async throws(LinkError) { try await base.send(bytes) }
    func endSending() async throws(LinkError) { try await base.endSending() }

    func close() async {
        await base.close()
        bell.finish()
    }
}
