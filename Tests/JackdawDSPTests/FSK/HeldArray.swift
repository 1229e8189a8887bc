import JackdawTestSupport

/// Where an array has its elements; it does not hold on to them.
struct HeldArray {
    let name: String
    let address: UInt
    let bytes: Int

    /// What is there and is not zero, whoever has the memory now.
    var nonZeroBytes: Int { get throws { try content.count { $0 != 0 } } }

    /// What is there, whoever has the memory now.
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
