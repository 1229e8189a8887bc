@testable import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import Testing

/// A payment at a PosMate: messages of the terminal go in, and messages and events come out.
typealias EPOSPaymentBench = ReaderPaymentBench<EPOSPayment, EPOSPaymentWire>

extension ReaderPaymentBench where Payment == EPOSPayment, Wire == EPOSPaymentWire {
    init() throws {
        let settings = try Self.settings()
        let wire = settings.wire
        self.init(EPOSPayment(try miuraTransaction(), settings), wire) { Self.name($0, wire) }
    }

    /// The settings of the simulated terminal.
    static func settings() throws -> EPOSPaymentSettings {
        try EPOSPaymentSettings(profile: try #require(ReaderFamily.named("epos")).simulatedProfile)
    }

    /// Sends a message of the terminal.
    mutating func send(_ message: EPOSPaymentMessage) { receive(wire.frame(message)) }

    /// Sends a status report of the terminal, with the number of the status as its sequence number.
    mutating func report(_ status: EPOSStatus) { send(.status(sequence: status.rawValue, status)) }

    private static func name(_ frame: [UInt8], _ wire: EPOSPaymentWire) -> String {
        switch wire.read(frame.span, from: .till) {
        case .request(let name, let data)?: "\(name.rawValue) \(hexadecimal(data))"
        case .answer(let name, let data)?: "\(name.rawValue)! \(hexadecimal(data))"
        case .refusal(let name, let error)?: "\(name.rawValue)? \(error)"
        case .reply(let sequence, let isCancel)?: "\(hexadecimal([sequence])) \(isCancel ? "cancel" : "go on")"
        case .status?, nil: "unknown"
        }
    }

    /// Prepares the terminal, and inserts a card: the effects 1, 2 and 3.
    mutating func insertCard() {
        prepare()
        report(.smartcardInserted)
        carryOut(.processCard)
        takeLog()
    }

    /// Prepares the terminal for a card: the effects 1 and 2.
    mutating func prepare() {
        carryOut(.prepare)
        send(.answer(.terminateTransaction, []))
        send(.answer(.initTransaction, []))
        send(.request(.getAmount, []))
        carryOut(.acceptCard)
        report(.cardEntryPrompted)
        takeLog()
    }
}
