/// A value as D-Bus knows it, without the descriptors that are passed along it.
indirect enum BusValue: Hashable, Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case signature(String)
    /// An array of bytes, which is not taken apart.
    case bytes(WipedBytes)
    /// Any other array, and the signature of its elements.
    case array([BusValue], of: String)
    /// A dictionary with strings, object paths or numbers for keys, and the signatures of key and value.
    case dictionary([BusValue: BusValue], key: String, value: String)
    case structure([BusValue])
    case variant(BusValue)
    /// The place of a descriptor among those that came with the message.
    case descriptor(Int)
}
