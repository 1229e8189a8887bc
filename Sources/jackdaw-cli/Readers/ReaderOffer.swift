#if Command
    import ArgumentParser
    import JackdawLinux
    import JackdawSystem
    import JackdawTransport

    /// Where a simulated reader is offered.
    enum ReaderOffer {
        /// A serial port of Bluetooth.
        case channel(UInt8)
        /// A port of this computer.
        case port(TCPAddress)
        /// A pseudo-terminal.
        case terminal
        /// A sound card.
        case card(LinkName)

        /// Reads a place on the command line.
        /// - Throws: `ValidationError` that says what one is.
        static func read(_ argument: String) throws -> ReaderOffer {
            guard argument != LinkName.Scheme.pty.rawValue else { return .terminal }
            let link = try LinkArgument.read(argument)
            switch link.scheme {
            case .rfcomm:
                guard let channel = UInt8(link.address), (1...30).contains(channel) else { break }
                return .channel(channel)
            case .tcp:
                do throws(LinkError) {
                    return .port(try TCPAddress(link))
                } catch {
                    throw ValidationError(error.description)
                }
            case .alsa: return .card(link)
            default: break
            }
            throw ValidationError(
                "\(link): a reader is offered at tcp:127.0.0.1:PORT, at pty, at rfcomm: and a channel from 1 to 30, or on a "
                    + "jack at alsa: and a sound card")
        }

        /// Offers a reader until the task is cancelled.
        /// - Parameters:
        ///   - name: what it is called over Bluetooth.
        ///   - system: offers serial ports of Bluetooth.
        ///   - announce: gets the link that others open, where that is not known before.
        ///   - warn: gets what keeps others from connecting, each once.
        ///   - serve: is a reader for whoever has connected; more than one may be there at the same time.
        /// - Throws: why it cannot be offered.
        func serve(
            _ name: String, _ system: BluetoothSystem, announce: (LinkName) -> Void,
            warn: @escaping @Sendable (String) -> Void, _ serve: @escaping @Sendable (any Transport) async -> Void
        ) async throws(LinkError) {
            switch self {
            case .channel(let channel): try await system.serve(channel, name, serve)
            case .port(let address):
                let listener = try TCPListener(at: address)
                let name = listener.address.link
                announce(name)
                let programs = ConnectedPrograms { warn("\(name): \($0)") }
                throw await withDiscardingTaskGroup { readers in
                    do throws(LinkError) {
                        while true {
                            let link = try await listener.accept { failure in await programs.makeRoom(failure) }
                            let program = await programs.add(link)
                            readers.addTask {
                                await serve(program)
                                await programs.remove(program)
                            }
                        }
                    } catch {
                        readers.cancelAll()
                        return error
                    }
                }
            case .terminal:
                // A reader that has broken its link is offered anew, at another path.
                while !Task.isCancelled {
                    let terminal = try PseudoTerminal()
                    announce(terminal.transport.link)
                    if let link = await AwaitedLink(terminal.transport) { await serve(link) }
                }
            case .card(let link):
                throw LinkError(.unsupported, link: link.description, "a sound card carries no bytes")
            }
        }
    }

    /// The programs that are connected to a simulated reader: no more than so many at once, so that one that connects without
    /// end does not take the place of all others. If there are too many, one that has sent nothing is the first to go.
    actor ConnectedPrograms {
        /// Each has two buffers of 64 KiB and a descriptor, of which a process has 1,024 unless its user has changed that.
        static let most = 128

        private let most: Int
        private let warn: @Sendable (String) -> Void
        private var programs: [ConnectedProgram] = []
        /// The one that waits for another to go.
        private var waiting: CheckedContinuation<Void, Never>?
        private var hasWarnedOfPrograms = false
        private var hasWarnedOfShortage = false

        /// - Parameters:
        ///   - most: how many may be connected.
        ///   - warn: gets what is wrong, each once.
        init(most: Int = most, warn: @escaping @Sendable (String) -> Void) {
            self.most = most
            self.warn = warn
        }

        /// Adds a program, and waits for its place if there is none.
        /// - Parameter link: to the program.
        /// - Returns: the link to serve.
        func add(_ link: any Transport) async -> ConnectedProgram {
            if programs.count >= most {
                if !hasWarnedOfPrograms {
                    warn(
                        "\(most) programs are connected, and no more can be; "
                            + "one that has sent nothing gives way to the next")
                }
                hasWarnedOfPrograms = true
                await endSilent()
                if programs.count >= most { await withCheckedContinuation { waiting = $0 } }
            }
            let program = ConnectedProgram(link)
            programs.append(program)
            return program
        }

        /// Ends a program that has sent nothing, if there is one, because the system is short of something.
        func makeRoom(_ failure: SystemFailure) async {
            if !hasWarnedOfShortage {
                warn(
                    "the system is short of something that a connection needs (\(failure.message)); others wait for it")
            }
            hasWarnedOfShortage = true
            await endSilent()
        }

        /// Takes that a program has gone.
        func remove(_ program: ConnectedProgram) {
            programs.removeAll { $0 === program }
            waiting?.resume()
            waiting = nil
        }

        /// Closes the link to the program that was connected first of those that have sent nothing.
        private func endSilent() async { await programs.first { $0.beginEnding() }?.close() }
    }

    /// A link to a program, which remembers whether anything has come over it.
    final class ConnectedProgram: Transport {
        private enum Phase {
            case silent, hasSent, ending
        }

        private let base: any Transport
        private let phase = SystemLock(Phase.silent)

        init(_ base: any Transport) { self.base = base }

        var link: LinkName { base.link }

        var executor: (any TaskExecutor)? { base.executor }

        /// Whether it has sent nothing, and is ended now for the first time.
        func beginEnding() -> Bool {
            phase.withLock { phase in
                guard phase == .silent else { return false }
                phase = .ending
                return true
            }
        }

        func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
            let isMore = try await base.receive(take)
            if isMore { phase.withLock { if $0 == .silent { $0 = .hasSent } } }
            return isMore
        }

        func send(_ bytes: [UInt8]) async throws(LinkError) { try await base.send(bytes) }

        func endSending() async throws(LinkError) { try await base.endSending() }

        func close() async { await base.close() }
    }
#endif
