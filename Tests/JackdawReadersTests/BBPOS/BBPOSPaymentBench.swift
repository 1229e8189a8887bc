@testable import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import Testing

/// A payment at an EMVSwiper: reports of the reader go in, and calls and events come out.
typealias BBPOSPaymentBench = ReaderPaymentBench<BBPOSPayment, BBPOSPaymentWire>

extension ReaderPaymentBench where Payment == BBPOSPayment, Wire == BBPOSPaymentWire {
    init(_ changed: BBPOSPaymentSettings? = nil) throws {
        let settings = try changed ?? Self.settings()
        let wire = settings.wire
        self.init(BBPOSPayment(try miuraTransaction(), settings), wire) { bytes in
            wire.call(bytes.span).map { "\($0)" } ?? "unknown"
        }
    }

    /// The settings of the simulated reader.
    static func settings() throws -> BBPOSPaymentSettings {
        try BBPOSPaymentSettings(profile: try #require(ReaderFamily.named("bbpos")).simulatedProfile)
    }

    /// Sends reports of the reader.
    mutating func report(_ reports: BBPOSReport...) {
        for report in reports { receive(wire.frame(report)) }
    }

    /// Sends a request of the reader with data objects.
    mutating func ask(_ request: BBPOSRequest, _ objects: String? = nil) {
        report(.request(request, objects.map { ReaderBytes($0) }))
    }

    /// Prepares the reader for a card: the effects 1 and 2.
    mutating func prepare() {
        carryOut(.prepare)
        report(.deviceInfo(["batteryPercentage": "80"]))
        carryOut(.acceptCard)
        report(.waitingForCard)
        takeLog()
    }

    /// Prepares the reader, inserts a card and begins its payment: the effects 1, 2 and 3.
    mutating func insertCard() {
        prepare()
        report(.card(.chip, nil))
        carryOut(.processCard)
        report(.started(true))
        takeLog()
    }

    /// Goes on to the question to the issuer, with these objects.
    mutating func askIssuer(_ objects: String = "9F270180") {
        ask(.issuer, objects)
        takeLog()
    }
}

/// A swipe in clear: track 2 only.
func bbposSwipe(_ track: String) -> ReaderSwipe {
    var builder = ReaderSwipe.Builder()
    let octets = Array(track.utf8)
    builder.add(.track(2), octets.span)
    return builder.finish(family: "bbpos", cipher: nil)
}

extension ReaderBytes {
    convenience init(_ digits: String) {
        let octets = hex(digits)
        self.init(copying: octets.span)
    }
}
