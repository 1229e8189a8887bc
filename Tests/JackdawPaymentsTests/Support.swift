import JackdawEMV
import JackdawPayments

/// Values that tests share.
let date = RecordedTime(seconds: 1_700_000_000, offset: 60)

func sale(_ text: String) -> SaleIdentifier { SaleIdentifier(rawValue: text)! }

func attempt(_ text: String) -> AttemptIdentifier { AttemptIdentifier(rawValue: text)! }

func euros(_ minorUnits: UInt64) -> Amount { Amount(minorUnits: minorUnits, currencyCode: 978) }

func purchase(
    _ name: String = "S1", _ minorUnits: UInt64 = 1050, _ details: [AttemptDetail] = []
) throws -> AttemptRequest {
    try AttemptRequest(sale: sale(name), kind: .purchase, amount: euros(minorUnits), details: details)
}

func sampleRecord(_ name: String = "A1") throws -> AttemptRecord {
    AttemptRecord(attempt(name), try purchase(), on: date)
}

extension HTTPBody {
    init(_ text: String) { self.init(copying: Array(text.utf8).span) }

    /// The bytes as text.
    var text: String {
        withBytes { bytes in
            var text = ""
            for index in bytes.indices { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
            return text
        }
    }
}
