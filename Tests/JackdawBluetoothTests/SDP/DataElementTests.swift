import JackdawTestSupport
import Testing

@testable import JackdawBluetooth

/// Values as service discovery writes them.
@Suite struct DataElementTests {
    private func parse(_ bytes: [UInt8]) throws(ServiceDiscoveryFault) -> DataElement {
        var reader = DiscoveryReader(bytes)
        let element = try reader.element()
        try reader.finish()
        return element
    }

    /// Written by another implementation (Bumble 0.0.236).
    private static let known: [(String, DataElement)] = [
        ("00", .null), ("08 01", .unsigned8(1)), ("09 1234", .unsigned16(0x1234)),
        ("0a 00010001", .unsigned32(0x10001)), ("0b 0000000000000007", .unsigned(7, .eight)),
        ("10 ff", .signed(-1, .one)), ("11 fffe", .signed(-2, .two)), ("28 01", .boolean(true)),
        ("19 1101", .uuid(.serialPort)), ("1c ffcacadeafdecadedefacade00000000", .uuid(vendor)),
        ("45 08 687474703a2f2f78", .url(Array("http://x".utf8))), ("3d 02 0801", .alternative([.unsigned8(1)])),
        ("26 012c" + String(repeating: "78", count: 300), .text([UInt8](repeating: 0x78, count: 300))),
        ("35 05 19 0003 08 01", .sequence([.uuid(.rfcomm), .unsigned8(1)])),
    ]
    private static let vendor = BluetoothUUID(value: 0xffca_cade_afde_cade_defa_cade_0000_0000)

    @Test(arguments: known) func eachKindIsReadAndWritten(hex: String, element: DataElement) throws {
        #expect(try parse([UInt8](hex: hex)) == element)
        #expect(element.bytes == [UInt8](hex: hex))
    }

    @Test func longerFormsAreReadToo() throws {
        #expect(try parse([UInt8](hex: "1a 00001101")) == .uuid(.serialPort))
        #expect(try parse([UInt8](hex: "1c 0000110100001000800000805f9b34fb")) == .uuid(.serialPort))
        #expect(try parse([UInt8](hex: "37 00000002 0801")) == .sequence([.unsigned8(1)]))
        #expect(try parse([UInt8](hex: "36 0000")) == .sequence([]))
        #expect(try parse([UInt8](hex: "28 02")) == .boolean(true))
    }

    @Test func numbersKeepTheirWidthAndSign() throws {
        for width in DataElement.Width.allCases {
            let bits = 8 * width.rawValue
            let unsigned: [UInt128] = [0, 1, .max >> (128 - bits)]
            let signed: [Int128] = [0, -1, .max >> (128 - bits), .min >> (128 - bits)]
            let elements = unsigned.map { DataElement.unsigned($0, width) } + signed.map { .signed($0, width) }
            for element in elements { #expect(try parse(element.bytes) == element) }
        }
    }

    @Test(arguments: [
        "01", "07 00", "0d 00", "15 00", "18 00", "1b 0000000000000000", "1d 00", "20 00", "24 00", "29 00", "30", "38",
        "40", "48 00", "f8",
    ])
    func unknownElementsAreRefused(hex: String) {
        let bytes = [UInt8](hex: hex)
        #expect(throws: ServiceDiscoveryFault.unknownElement(bytes[0])) { try parse(bytes) }
    }

    @Test func theDepthIsBounded() throws {
        func nested(_ depth: Int) -> DataElement {
            (1..<depth).reduce(DataElement.null) { inner, _ in .sequence([inner]) }
        }
        #expect(try parse(nested(DiscoveryReader.maxDepth).bytes) == nested(DiscoveryReader.maxDepth))
        #expect(throws: ServiceDiscoveryFault.tooDeep) { try parse(nested(DiscoveryReader.maxDepth + 1).bytes) }
    }

    @Test func truncatedAndExcessBytesAreRefused() throws {
        for (hex, _) in Self.known {
            let bytes = [UInt8](hex: hex)
            for count in 0..<bytes.count {
                #expect(throws: ServiceDiscoveryFault.truncated) { try parse(Array(bytes[..<count])) }
            }
            #expect(throws: ServiceDiscoveryFault.excess) { try parse(bytes + [0]) }
        }
        // An element in a sequence that is longer than the sequence.
        #expect(throws: ServiceDiscoveryFault.truncated) { try parse([UInt8](hex: "35 02 09 1234")) }
        #expect(throws: ServiceDiscoveryFault.truncated) { try parse([UInt8](hex: "37 ffffffff 00")) }
    }

    @Test func writtenElementsAreReadAgain() throws {
        var random = SeededRandom(seed: 11)
        for _ in 0..<2_000 {
            let element = DataElement.random(depth: 4, using: &random)
            #expect(try parse(element.bytes) == element)
        }
    }
}

extension DataElement {
    /// Any element.
    static func random(depth: Int, using random: inout SeededRandom) -> DataElement {
        let width = Width.allCases.randomElement(using: &random) ?? .one
        let unused = 128 - 8 * width.rawValue
        func bytes() -> [UInt8] {
            (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        func elements() -> [DataElement] {
            (0..<Int.random(in: 0...5, using: &random)).map { _ in .random(depth: depth - 1, using: &random) }
        }
        switch Int.random(in: 0...(depth > 1 ? 9 : 7), using: &random) {
        case 0: return .null
        case 1: return .unsigned(UInt128.random(in: 0 ... .max, using: &random) >> unused, width)
        case 2: return .signed(Int128.random(in: .min ... .max, using: &random) >> unused, width)
        case 3: return .uuid(BluetoothUUID(UInt32.random(in: 0 ... .max, using: &random)))
        case 4: return .uuid(BluetoothUUID(value: .random(in: 0 ... .max, using: &random)))
        case 5: return .text(bytes())
        case 6: return .boolean(Bool.random(using: &random))
        case 7: return .url(bytes())
        case 8: return .alternative(elements())
        default: return .sequence(elements())
        }
    }
}
