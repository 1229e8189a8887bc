import Testing

@testable import JackdawCards

/// Every way in which a value of this module could reach a log.
@Suite struct RedactionTests {
    private static let pan = "9999990123456788"
    private static let data = "7318046"
    private static let surname = "QUENTIN"

    private static let track1 = "%B\(pan)^\(surname)/ANN^2512201\(data)?"
    private static let track2 = ";\(pan)=2512201\(data)?"
    private static let track3 = ";01\(pan)==00000000000000000300000000000000" + "25120===1=\(data)?"
    private static let licence1 = "%TX\(surname)VILLE^\(surname)$ANN^1 \(surname) ST^?"
    private static let licence2 = ";636015\(data)=251219810101?"
    private static let licence3 = "%\" 78729      C               1505130BLKBLK\(data)?"
    private static let unknown = "%A\(pan)\(surname)\(data)?"

    /// A struct without any care for what it prints, as an application would have one.
    private struct Order<Value: Sendable>: Sendable {
        let value: Value
        let optional: Value?
        let list: [Value]
        let named: [String: Value]
    }

    private enum Step<Value: Sendable> { case read(Value) }

    private func outputs<Value: Sendable>(of value: Value) -> [String] {
        let order = Order(value: value, optional: value, list: [value], named: ["card": value])
        let values: [Any] = [value, order, Step.read(value), (value, 1), Optional(value) as Any, [value]]
        return values.flatMap { value in
            var dumped = ""
            dump(value, to: &dumped)
            var printed = ""
            print(value, to: &printed)
            return ["\(value)", String(describing: value), String(reflecting: value), dumped, printed]
                + reflected(value, depth: 8)
        }
    }

    /// All that mirrors show, down to the leaves.
    private func reflected(_ value: Any, depth: Int) -> [String] {
        guard depth > 0 else { return [] }
        return Mirror(reflecting: value).children.flatMap { child in
            ["\(child.label ?? "") \(child.value)"] + reflected(child.value, depth: depth - 1)
        }
    }

    private func expectNothingSecret<Value: Sendable>(in value: Value, _ location: SourceLocation = #_sourceLocation) {
        for output in outputs(of: value) {
            #expect(!Leak.isPartOfNumber(Self.pan, in: output), sourceLocation: location)
            #expect(!Leak.isNumber(in: output), sourceLocation: location)
            #expect(!output.contains(Self.data), sourceLocation: location)
            #expect(!output.contains(Self.surname), sourceLocation: location)
            #expect(!output.contains("UnsafeMutable"), sourceLocation: location)
        }
    }

    @Test func tracks() throws {
        expectNothingSecret(in: try parse(Self.track1, as: Track1.self))
        expectNothingSecret(in: try parse(Self.track2, as: Track2.self))
        expectNothingSecret(in: try parse(Self.track3, as: Track3.self))
        expectNothingSecret(in: try parse(Self.licence1, as: AAMVATrack1.self))
        expectNothingSecret(in: try parse(Self.licence2, as: AAMVATrack2.self))
        expectNothingSecret(in: try parse(Self.licence3, as: AAMVATrack3.self))
        expectNothingSecret(in: try parse(Self.unknown, as: UnknownTrack.self))
    }

    @Test func recognisedTracks() throws {
        let texts = [
            Self.track1, Self.track2, Self.track3, Self.licence1, Self.licence2, Self.licence3, Self.unknown,
        ]
        let formats = try texts.map { text in
            let track = try recognise(text)
            expectNothingSecret(in: track)
            let content: any TrackContent = track
            expectNothingSecret(in: content)
            return track.format
        }
        #expect(Set(formats).count == 7)
    }

    @Test func swipedCards() throws {
        expectNothingSecret(in: SwipedCard([try recognise(Self.track1), try recognise(Self.track2)]))
        let others = SwipedCard([try recognise(Self.track1), try recognise(";5555555555554444=2601101?")])
        expectNothingSecret(in: others)
        expectNothingSecret(in: others.conflicts)
    }

    @Test func numbersAndFields() throws {
        expectNothingSecret(in: try number(Self.pan))
        let track = try parse(Self.track1, as: Track1.self)
        expectNothingSecret(in: track.text)
        expectNothingSecret(in: track.discretionaryData)
        let licence = try parse(Self.licence1, as: AAMVATrack1.self)
        expectNothingSecret(in: licence.name)
        expectNothingSecret(in: licence.city)
        expectNothingSecret(in: licence.address)
        expectNothingSecret(in: try parse(Self.licence2, as: AAMVATrack2.self).documentNumber)
        // A payment card's name may show; a number in its place may not.
        expectNothingSecret(in: CardholderName(payment: SecretText(copying: ascii("\(Self.pan)/X").span)))
    }

    @Test func errors() throws {
        for text in [Self.track1, Self.track2, Self.track3, Self.licence1, Self.licence2, Self.licence3] {
            let bytes = ascii(text)
            for place in bytes.indices {
                var damaged = bytes
                damaged[place] = 0x3C
                do throws(CardDataError) {
                    expectNothingSecret(in: try Track(parsing: damaged.span))
                } catch {
                    expectNothingSecret(in: error)
                }
            }
        }
    }

    @Test func descriptionsHaveMaskedDataOnly() throws {
        #expect(try number(Self.pan).description == "999999******6788")
        #expect(try recognise(Self.track2).description == "iso7813-track2 999999******6788, 33 characters")
        #expect(try recognise(Self.unknown).description == "proprietary, 33 characters")
        #expect(
            SwipedCard([try recognise(Self.track2)]).description
                == "999999******6788 unknown, iso7813-track2")
        #expect(try parse(Self.track2, as: Track2.self).discretionaryData.description == "7 hidden characters")
    }
}
