#if Payments
import Accept
import JackdawConsole
import JackdawLinux
import JackdawPayments
import JackdawTransport

/// The readers that are paired with this computer, and the sound cards that may have one in their jack, by vendor.
struct NearbyReaders: Sendable {
    /// Lists the paired devices.
    var paired: @Sendable () async throws(LinkError) -> [FoundDevice]
    /// Lists the sound cards.
    var cards: @Sendable () async throws(LinkError) -> [FoundDevice]

    /// Those of this computer.
    static let ofComputer: NearbyReaders = {
        let devices = LinuxDevices()
        return NearbyReaders(
            paired: { () async throws(LinkError) in try await devices.pairedDevices() },
            cards: { () async throws(LinkError) in try devices.jackCards() })
    }()

    /// A reader that may be at a link.
    struct Finding: Sendable, Hashable {
        let kind: TillTerminal.Kind
        /// The name of the device, and the text of its link.
        let name, link: String
    }

    /// Searches for readers of all kinds.
    /// - Returns: what was found, and the error of each vendor whose search failed.
    func find() async -> (found: [Finding], errors: [AcceptError]) {
        var found: [Finding] = []
        var errors: [AcceptError] = []
        for kind in TillTerminal.Kind.linked {
            let terminals = AcceptReaderTerminals(
                [], searches: [search(kind)], date: { .now }, seal: { _ in HTTPBody() })
            do throws(AcceptError) {
                for terminal in try await terminals.terminals(of: kind.vendor.uuid) {
                    found.append(Finding(kind: kind, name: terminal.displayName, link: terminal.uuid))
                }
            } catch  where !errors.contains(where: { $0.message == error.message }) {
                errors.append(error)
            } catch {}
        }
        return (found, errors)
    }

    /// The search for readers of a kind, whose terminals have the text of their link as their identifier.
    private func search(_ kind: TillTerminal.Kind) -> AcceptReaderTerminals.Search {
        AcceptReaderTerminals.Search(vendor: kind.vendor) { () async throws(LinkError) in
            guard let model = kind.model else { return [] }
            let devices = try await model.isInJack ? cards() : paired()
            return devices.filter { model.isLikely($0) }.map { device in
                AcceptReaderTerminals.Reader(
                    vendor: kind.vendor,
                    terminal: AcceptTerminal(uuid: "\(device.link)", displayName: device.name ?? "", model: kind.name),
                    model: model, open: { () async throws(LinkError) in try await LinuxDevices().connect(device.link) })
            }
        }
    }
}
#endif
