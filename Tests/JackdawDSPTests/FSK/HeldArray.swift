import JackdawTestSupport
import Testing

/// Where an array has its elements; it does not hold on to them.
struct HeldArray {
    let name: String
    let address: UInt
    let bytes: Int

    /// The elements that are not zero, whatever owns the memory now.
    var nonZeroBytes: Int { get throws { try content.count { $0 != 0 } } }

    /// The elements, whatever owns the memory now.
    var content: [UInt8] { get throws { try processMemory(at: address, count: bytes) } }

    /// How much of what was in some places is there still, of all that was not zero.
    static func shareLeft(of before: [[UInt8]], at places: [HeldArray]) throws -> Double {
        var (all, left) = (0, 0)
        for (place, before) in zip(places, before) {
            all += before.count { $0 != 0 }
            left += zip(try place.content, before).count { $0 == $1 && $1 != 0 }
        }
        return Double(left) / Double(all)
    }

    /// What never holds anything of the sound.
    private static let constants: Set<String> = ["weights", "columns", "turns"]

    /// All arrays of a value and of its parts. What reflection holds on to is shared, and gone on return.
    static func all(in value: Any, _ name: String = "") -> [HeldArray] {
        if let array = value as? any ArrayOfAnything, let place = array.place {
            return [HeldArray(name: name, address: place.address, bytes: place.bytes)]
        }
        return Mirror(reflecting: value).children.flatMap { child in
            let label = child.label ?? ""
            return constants.contains(label) ? [] : all(in: child.value, "\(name).\(label)")
        }
    }
}

protocol ArrayOfAnything {
    /// Address and size of the memory; nil for an array of arrays.
    var place: (address: UInt, bytes: Int)? { get }
}

extension Array: ArrayOfAnything {
    var place: (address: UInt, bytes: Int)? {
        guard !(Element.self is any ArrayOfAnything.Type) else { return nil }
        let address = unsafe withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        return (address, capacity * MemoryLayout<Element>.stride)
    }
}

/// What is asked of all that holds the sound of cards.
extension HeldArray {
    /// Everything that is held is overwritten in its place.
    /// - Parameters:
    ///   - receiver: one that holds something in each of its arrays.
    ///   - least: arrays that it has, at least.
    ///   - reset: overwrites them.
    /// - Throws: what reading the memory of this process throws.
    static func expectOverwritten<Receiver>(
        in receiver: inout Receiver, least: Int, by reset: (inout Receiver) -> Void
    ) throws {
        let places = all(in: receiver)
        #expect(places.count >= least)
        // Some arrays are for lines of other kinds and have no memory.
        for place in places where place.bytes > 0 {
            #expect(try place.nonZeroBytes > 0, "\(place.name) holds nothing")
        }
        reset(&receiver)
        for place in places { #expect(try place.nonZeroBytes == 0, "\(place.name)") }
    }

    /// Nothing is held at the end.
    /// - Parameters:
    ///   - receiver: one that holds something.
    ///   - finish: ends the recording.
    /// - Throws: what reading the memory of this process throws.
    static func expectNothing<Receiver>(in receiver: inout Receiver, after finish: (inout Receiver) -> Void) throws {
        let places = all(in: receiver)
        finish(&receiver)
        // What has grown is in another place, and what was given back is no longer the receiver's.
        let held = all(in: receiver)
        #expect(held.count == places.count)
        for place in held { #expect(try place.nonZeroBytes == 0, "\(place.name)") }
    }

    /// What is held is neither copied nor moved when the same comes again: nothing more is allocated for it.
    /// - Parameters:
    ///   - receiver: one that has received something and was reset.
    ///   - receive: what it received.
    static func expectSamePlaces<Receiver>(in receiver: inout Receiver, after receive: (inout Receiver) -> Void) {
        let before = all(in: receiver)
        receive(&receiver)
        let after = all(in: receiver)
        #expect(before.map(\.name) == after.map(\.name))
        for (first, second) in zip(before, after) { #expect(first.address == second.address, "\(first.name)") }
    }
}
