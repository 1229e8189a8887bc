import JackdawBytes
import JackdawReaders
import JackdawSimulator
import JackdawTransport

#if Command
import ArgumentParser
import JackdawLinux
import JackdawTransport

/// The place at which a simulated reader is offered.
enum ReaderOffer {
    /// An RFCOMM channel, as a Bluetooth serial port.
    case channel(UInt8)
    /// A TCP port of this computer.
    case port(TCPAddress)
    case terminal
    case card(LinkName)

    /// Parses a place on the command line.
    /// - Throws: `ValidationError` that describes the form of a place.
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
            "\(link): use tcp:127.0.0.1:PORT, pty, rfcomm:CHANNEL (1 to 30) or alsa:DEVICE")
    }

    /// Offers a reader until the task is cancelled.
    /// - Parameters:
    ///   - name: its Bluetooth service name.
    ///   - environment: offers Bluetooth serial ports.
    ///   - announce: receives the link that others open, if it is not known before.
    ///   - warn: receives each reason that keeps others from connecting, once.
    ///   - serve: simulates a reader for one connection; several calls may run at the same time.
    /// - Throws: `LinkError` if the reader cannot be offered.
    func serve(
        _ name: String, _ environment: CommandEnvironment, announce: (LinkName) -> Void,
        warn: @escaping @Sendable (String) -> Void, _ serve: @escaping @Sendable (any Transport) async -> Void
    ) async throws(LinkError) {
        switch self {
        case .channel(let channel):
            let link = LinkName(.rfcomm, "\(channel)")
            let programs = ConnectedPrograms { warn("\(link): \($0)") }
            try await environment.serve(channel, name, { failure in await programs.makeRoom(failure) }, serve)
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
            // After a reader has broken its link, a new terminal is offered, at another path.
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

/// A simulated reader, with the cards and faults that it will have.
struct ReaderPlan: Sendable {
    let model: any ReaderModel
    var device = SimulatedDevice()
    var deck: [Presentation] = []
    var faults: [PlannedFault] = []
    var seed: UInt64 = 1
    /// The reader that all programs share; nil if each has one of its own.
    private var shared: SimulatorHost?

    init(model: any ReaderModel) { self.model = model }

    /// Makes one reader for all programs, which connect one after the other, as to a device.
    mutating func share(clock: any Clock<Duration>) { shared = SimulatorHost(clock: clock, makeReader) }

    /// Simulates such a reader for a connected program, until either side ends the link.
    func serve(_ link: any Transport, clock: any Clock<Duration>) async {
        if let shared { return await shared.serve(link) }
        await SimulatorHost(link, clock: clock, makeReader).run()
    }

    /// The reader in its initial state.
    func makeReader() -> SimulatedReader {
        SimulatedReader(model, device: device, deck: deck, faults: faults, seed: seed)
    }
}

#if Command
import ArgumentParser
import JackdawSimulator

/// Planned faults on the command line: `late`, `late:2`, `late:2-4`.
enum FaultArgument {
    /// Parses a fault and the messages that it affects: all of them, one, or the first to the last.
    /// - Throws: `ValidationError` that describes the form of a fault.
    static func read(_ argument: String) throws -> PlannedFault {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let fault = ReaderFault(rawValue: String(parts[0])) else {
            let known = ReaderFault.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("Unknown fault \(parts[0]); known faults: \(known).")
        }
        guard parts.count == 2 else { return PlannedFault(fault) }
        let ends = parts[1].split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
            first <= last, last < Int.max
        else {
            let name = fault.rawValue
            throw ValidationError("\(argument): number the messages from 0, such as \(name):2 or \(name):2-4")
        }
        return PlannedFault(fault, first..<last + 1)
    }
}
#endif

/// A link whose peer is present. A terminal does not report when it is opened, and bytes sent before that are lost.
struct AwaitedLink: Transport {
    private let base: any Transport
    /// The first bytes received.
    private let first: Lock<[UInt8]>

    /// Waits for the first bytes.
    /// - Parameter base: the link; closed if it ends before any bytes.
    init?(_ base: any Transport) async {
        self.base = base
        var bytes: [UInt8] = []
        let isMore = (try? await base.receive { span in bytes = span.indices.map { span[$0] } }) ?? false
        first = Lock(bytes)
        if !isMore {
            await base.close()
            return nil
        }
    }

    var link: LinkName { base.link }

    var executor: (any TaskExecutor)? { base.executor }

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        var bytes = first.withLock { first in
            defer { first = [] }
            return first
        }
        guard !bytes.isEmpty else { return try await base.receive(take) }
        take(bytes.span)
        bytes.wipe()
        return true
    }

    func send(_ bytes: [UInt8]) async throws(LinkError) { try await base.send(bytes) }

    func endSending() async throws(LinkError) { try await base.endSending() }

    func close() async { await base.close() }
}
