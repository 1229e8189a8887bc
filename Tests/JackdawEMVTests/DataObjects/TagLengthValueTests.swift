import JackdawEMV
import JackdawTestSupport
import Testing

@Suite struct TagTests {
    @Test func formsOfTagsAreChecked() {
        for valid: UInt32 in [0x5A, 0x9F02, 0xDF8101, 0xBF0C, 0x5FFFFF7F, 0x9F8001] {
            #expect(EMVTag(rawValue: valid)?.rawValue == valid)
        }
        for invalid: UInt32 in [0, 0x1F, 0x5A02, 0x9F82, 0x9F0201, 0xDFFFFFFF, 0x00005F80] {
            #expect(EMVTag(rawValue: invalid) == nil)
        }
    }

    @Test func tagsAreShownAndEncodedAsTheyAreOnTheWire() {
        #expect((0xDF8101 as EMVTag).description == "DF8101")
        #expect((0x5A as EMVTag).octets == [0x5A])
        #expect((0x9F02 as EMVTag).count == 2 && (0x5FFFFF7F as EMVTag).count == 4)
        #expect((0x70 as EMVTag).isConstructed && (0xBF0C as EMVTag).isConstructed && !(0x9F02 as EMVTag).isConstructed)
    }
}

@Suite struct TagLengthValueTests {
    private static let record = hex("700D 9F0201AA 00 A5065F200142 8700")

    @Test func placesAndDepthsAreReported() throws {
        let objects = try TagLengthValue.list(Self.record.span)
        #expect(objects.map { $0.tag } == [0x70, 0x9F02, 0xA5, 0x5F20, 0x87])
        #expect(objects.map { $0.start } == [0, 2, 7, 9, 13])
        #expect(objects.map { $0.value } == [2..<15, 5..<6, 9..<15, 12..<13, 15..<15])
        #expect(objects.map { $0.depth } == [0, 1, 1, 2, 2])
        #expect(try TagLengthValue.first(0x5F20, in: Self.record.span)?.value == 12..<13)
        #expect(try TagLengthValue.first(0x57, in: Self.record.span) == nil)
    }

    @Test func contentsCanBeSkipped() throws {
        var walker = TagLengthValueWalker(2..<15)
        var tags: [EMVTag] = []
        while let object = try walker.next(in: Self.record.span) {
            tags.append(object.tag)
            walker.skipContents()
        }
        #expect(tags == [0x9F02, 0xA5])
    }

    @Test(arguments: [
        ("9F", "truncated_tag", 0), ("5A", "truncated_length", 1), ("5A8201", "truncated_length", 1),
        ("5A80", "indefinite_length", 1), ("5A850000000001AA", "length_too_long", 1), ("9FFFFFFF01", "tag_too_long", 0),
        ("8701AA 5A02AA", "truncated_value", 3), ("7003 5A02AA", "truncated_value", 2),
        ("5A84FFFFFFFF", "truncated_value", 0),
    ])
    func errorsHaveTheirOffset(_ octets: String, _ code: String, _ offset: Int) {
        let error = #expect(throws: DataObjectError.self) { try TagLengthValue.list(hex(octets).span) }
        #expect(error?.code.rawValue == code && error?.offset == offset)
    }

    @Test func walksEndAfterAnError() throws {
        let octets = hex("7003 5A02AA 8701AA")
        var walker = TagLengthValueWalker(octets.span)
        _ = try walker.next(in: octets.span)
        #expect(throws: DataObjectError.self) { try walker.next(in: octets.span) }
        #expect(try walker.next(in: octets.span) == nil)
    }

    /// Each prefix is complete or has an error inside it; the objects before the end stay the same.
    @Test func prefixesOfARecordAreTotal() throws {
        let whole = try TagLengthValue.list(Self.record.span)
        for count in Self.record.indices {
            let part = Array(Self.record.prefix(count))
            var walker = TagLengthValueWalker(part.span)
            var found: [TagLengthValue] = []
            do throws(DataObjectError) {
                while let object = try walker.next(in: part.span) { found.append(object) }
                #expect(count == 0)
            } catch {
                #expect((0...count).contains(error.offset))
            }
            #expect(found.elementsEqual(whole.prefix(found.count)))
        }
    }

    @Test func randomOctetsGiveObjectsInsideThemOrAnError() {
        var random = SeededRandom(seed: 28)
        for _ in 0..<20_000 {
            let octets = (0..<Int.random(in: 0...64, using: &random)).map { _ in
                // Half of them are tags and small lengths, so that walks go deep.
                Bool.random(using: &random)
                    ? [0x70, 0x5A, 0x9F, 0x02, 0x00, 0x81, 0x06, 0x7F].randomElement(using: &random) ?? 0
                    : UInt8.random(in: 0...255, using: &random)
            }
            do throws(DataObjectError) {
                var open: [TagLengthValue] = []
                for object in try TagLengthValue.list(octets.span) {
                    open.removeLast(open.count - object.depth)
                    let outer = open.last?.value ?? 0..<octets.count
                    #expect(outer.lowerBound <= object.start && object.value.upperBound <= outer.upperBound)
                    #expect(object.start < object.value.lowerBound)
                    open.append(object)
                }
            } catch {
                #expect((0...octets.count).contains(error.offset))
            }
        }
    }

    @Test func hostileNestingIsBounded() {
        let octets = [UInt8](repeating: 0x7F, count: 100_000)
        #expect(throws: DataObjectError.self) { try TagLengthValue.list(octets.span) }
        var nested: [UInt8] = []
        for _ in 0..<200 { nested = TagLengthValueBuilder.encode(0x70, nested) }
        let error = #expect(throws: DataObjectError.self) { try TagLengthValue.list(nested.span) }
        #expect(error?.code == .tooDeep)
    }

    @Test func valuesOfAnyLengthAreEncodedAndRead() throws {
        for count in [0, 1, 0x7F, 0x80, 0xFF, 0x100, 0xFFFF, 0x10000] {
            let octets = TagLengthValueBuilder.encode(0x9F46, [UInt8](repeating: 0xAB, count: count))
            let objects = try TagLengthValue.list(octets.span)
            #expect(objects.count == 1 && objects.first?.value.count == count)
        }
    }
}
