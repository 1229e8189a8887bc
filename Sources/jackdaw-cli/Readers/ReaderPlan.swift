import JackdawReaders
import JackdawSimulator
import JackdawTransport

/// A simulated reader, and what will happen at it.
struct ReaderPlan: Sendable {
    let model: any ReaderModel
    var device = SimulatedDevice()
    var deck: [Presentation] = []
    var faults: [PlannedFault] = []
    var seed: UInt64 = 1

    /// Is such a reader for a program that has connected, until either ends the link.
    func serve(_ link: any Transport, clock: any Clock<Duration>) async {
        await SimulatorHost(link, clock: clock, makeReader).run()
    }

    /// The reader, at the beginning of its time.
    func makeReader() -> SimulatedReader {
        SimulatedReader(model, device: device, deck: deck, faults: faults, seed: seed)
    }
}
