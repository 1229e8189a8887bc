#if Command
    import ArgumentParser
    import JackdawLinux
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
        /// - Throws: `ValidationError` that lists the places.
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
        ///   - name: its name over Bluetooth.
        ///   - system: offers serial ports of Bluetooth.
        ///   - announce: gets the link that others open, if that is not known before.
        ///   - warn: gets each reason that keeps others from connecting, once.
        ///   - serve: is a reader for a program that has connected; it may run for several at the same time.
        /// - Throws: why it cannot be offered.
        func serve(
            _ name: String, _ system: BluetoothSystem, announce: (LinkName) -> Void,
            warn: @escaping @Sendable (String) -> Void, _ serve: @escaping @Sendable (any Transport) async -> Void
        ) async throws(LinkError) {
            switch self {
            case .channel(let channel):
                let link = LinkName(.rfcomm, "\(channel)")
                let programs = ConnectedPrograms { warn("\(link): \($0)") }
                try await system.serve(channel, name, { failure in await programs.makeRoom(failure) }, serve)
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
                // A reader that has broken its link is offered again, at another path.
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
#endif
