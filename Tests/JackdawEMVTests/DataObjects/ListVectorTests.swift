import Foundation
import JackdawEMV
import JackdawTestSupport
import Testing

/// The rows of `dol` are outputs of openemv/emv-utils, which agree with a model written from EMV Book 3 section 5.4.
@Suite struct DataObjectListVectors {
    private struct Input: Decodable, Sendable {
        let op: String
        let dol: String
        let data: [String: String]?
    }

    private struct Output: Decodable, Sendable {
        /// A tag in digits, and a number.
        struct Entry: Decodable, Sendable {
            let tag: String
            let count: Int

            init(from decoder: any Decoder) throws {
                var values = try decoder.unkeyedContainer()
                tag = try values.decode(String.self)
                count = try values.decode(Int.self)
            }
        }

        let error: String?
        let entries: [Entry]?
        let value: String?
        let pdol_command_83: String?
    }

    @Test func listsAreParsedAndBuilt() throws {
        try Vectors.run("dol", in: .module, as: VectorRow<Input, Output>.self) { row in
            guard row.output.error == nil else {
                #expect(throws: DataObjectError.self, "\(row.id)") { try DataObjectList(hex(row.input.dol).span) }
                return
            }
            let list = try DataObjectList(hex(row.input.dol).span)
            #expect(list.entries.map { $0.tag.description } == row.output.entries?.map { $0.tag }, "\(row.id)")
            #expect(list.entries.map { $0.count } == row.output.entries?.map { $0.count }, "\(row.id)")
            var store = DataObjectStore()
            for (digits, value) in row.input.data ?? [:] { store[try tag(digits)] = hex(value) }
            let built = list.build(from: store)
            #expect(built.octets == hex(row.output.value ?? ""), "\(row.id)")
            let command = try CardCommand.getProcessingOptions(built)
            #expect(command.data.octets == hex(row.output.pdol_command_83 ?? ""), "\(row.id)")
        }
    }
}

/// The rows of `afl` are outputs of openemv/emv-utils, which agree with a model written from EMV Book 3 section 10.2.
@Suite struct ApplicationFileLocatorVectors {
    private struct Input: Decodable, Sendable {
        let afl: String
    }

    private struct Output: Decodable, Sendable {
        struct Read: Decodable, Sendable {
            let sfi: Int
            let record: Int
            let oda: Bool
            let apdu: String
        }

        let error: String?
        let entries: [[Int]]?
        let reads: [Read]?
    }

    @Test func recordsAreListedOrTheLocatorIsRefused() throws {
        try Vectors.run("afl", in: .module, as: VectorRow<Input, Output>.self) { row in
            guard row.output.error == nil else {
                #expect(throws: DataObjectError.self, "\(row.id)") {
                    try ApplicationFileLocator(hex(row.input.afl).span)
                }
                return
            }
            let locator = try ApplicationFileLocator(hex(row.input.afl).span)
            let entries = locator.entries.map {
                [$0.file, $0.records.lowerBound, $0.records.upperBound, $0.authenticatedCount]
            }
            #expect(entries == row.output.entries, "\(row.id)")
            let reads = try #require(row.output.reads)
            #expect(locator.records.map { $0.file } == reads.map { $0.sfi }, "\(row.id)")
            #expect(locator.records.map { $0.number } == reads.map { $0.record }, "\(row.id)")
            #expect(locator.records.map { $0.isAuthenticated } == reads.map { $0.oda }, "\(row.id)")
            let commands = try locator.records.map { try CardCommand.readRecord($0.number, file: $0.file).octets }
            #expect(commands == reads.map { hex($0.apdu) }, "\(row.id)")
        }
    }
}

/// The amounts and octets of `cvm_list_parse` are outputs of openemv/emv-utils, the names those of a model.
@Suite struct CardholderVerificationListVectors {
    private struct Input: Decodable, Sendable {
        let cvm_list: String
    }

    private struct Output: Decodable, Sendable {
        struct Rule: Decodable, Sendable {
            let method: String
            let if_fails: String
            let condition: String
        }

        let error: String?
        let x: UInt32?
        let y: UInt32?
        let rules: [Rule]?
    }

    @Test func listsAreParsed() throws {
        try Vectors.run("cvm_list_parse", in: .module, as: VectorRow<Input, Output>.self) { row in
            guard row.output.error != "invalid_cvm_list" else {
                #expect(throws: DataObjectError.self, "\(row.id)") {
                    try CardholderVerificationList(hex(row.input.cvm_list).span)
                }
                return
            }
            let list = try CardholderVerificationList(hex(row.input.cvm_list).span)
            guard row.output.error != "empty_cvm_list" else {
                #expect(list.rules.isEmpty, "\(row.id)")
                return
            }
            #expect(list.x == row.output.x && list.y == row.output.y, "\(row.id)")
            let rules = try #require(row.output.rules)
            #expect(list.rules.map { $0.method.kind.rawValue } == rules.map { $0.method }, "\(row.id)")
            #expect(list.rules.map { $0.condition.kind.rawValue } == rules.map { $0.condition }, "\(row.id)")
            let continues = list.rules.map { $0.method.continuesIfFailed ? "next" : "fail" }
            #expect(continues == rules.map { $0.if_fails }, "\(row.id)")
        }
    }
}
