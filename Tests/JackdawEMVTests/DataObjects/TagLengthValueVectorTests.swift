import Foundation
import JackdawBytes
@testable import JackdawEMV
import JackdawTestSupport
import Testing

/// Swift Testing has a type of the same name.
typealias EMVTag = JackdawEMV.Tag

/// A tag of the vectors, in hexadecimal digits.
func tag(_ digits: String) throws -> EMVTag {
    let number = try #require(UInt32(digits, radix: 16))
    return try #require(EMVTag(rawValue: number))
}

/// A data object as the vectors write it: `t` the tag, `v` the value, `c` the contents of a template.
struct VectorObject: Decodable, Sendable, Equatable {
    let t: String
    let v: String?
    let c: [VectorObject]?

    init(t: String, v: String? = nil, c: [VectorObject]? = nil) {
        self.t = t
        self.v = v
        self.c = c
    }

    static func tree(_ octets: Span<UInt8>) throws(DataObjectError) -> [VectorObject] {
        var objects = try TagLengthValue.list(octets)[...]
        return take(&objects, at: 0, octets)
    }

    private static func take(
        _ objects: inout ArraySlice<TagLengthValue>, at depth: Int, _ octets: Span<UInt8>
    ) -> [VectorObject] {
        var taken: [VectorObject] = []
        while let object = objects.first, object.depth == depth {
            objects.removeFirst()
            let name = object.tag.description
            if object.tag.isConstructed {
                taken.append(VectorObject(t: name, c: take(&objects, at: depth + 1, octets)))
            } else {
                taken.append(VectorObject(t: name, v: octets.extracting(object.value).hexadecimal))
            }
        }
        return taken
    }

    func append(to builder: inout TagLengthValueBuilder) throws {
        if let c {
            try builder.append(try tag(t)) { inner in
                for object in c { try object.append(to: &inner) }
            }
        } else {
            builder.append(try tag(t), hex(v ?? ""))
        }
    }
}

/// The rows of `ber_tlv` follow EMV Book 3, annex B, as a model written from the book has it.
@Suite struct TagLengthValueVectors {
    private struct Input: Decodable, Sendable {
        let tlv: String
    }

    private struct Output: Decodable, Sendable {
        let status: String
        let tree: [VectorObject]?
        let error: String?
    }

    @Test func objectsAreParsedAndErrorsAreNamed() throws {
        try Vectors.run("ber_tlv", in: .module, as: VectorRow<Input, Output>.self) { row in
            let octets = hex(row.input.tlv)
            do throws(DataObjectError) {
                let tree = try VectorObject.tree(octets.span)
                #expect(row.output.tree == tree, "\(row.id)")
            } catch {
                #expect(row.output.error == error.code.rawValue, "\(row.id)")
                #expect((0...octets.count).contains(error.offset), "\(row.id)")
            }
        }
    }
}

@Suite struct TagLengthValueEncodingVectors {
    private struct Input: Decodable, Sendable {
        let tree: [VectorObject]
    }

    private struct Output: Decodable, Sendable {
        let tlv: String
    }

    @Test func objectsAreEncodedWithTheShortestLengths() throws {
        try Vectors.run("ber_tlv_encode", in: .module, as: VectorRow<Input, Output>.self) { row in
            var builder = TagLengthValueBuilder()
            for object in row.input.tree { try object.append(to: &builder) }
            #expect(builder.octets == hex(row.output.tlv), "\(row.id)")
            #expect(try VectorObject.tree(builder.octets.span) == row.input.tree, "\(row.id)")
        }
    }
}
