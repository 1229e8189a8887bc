import JackdawEMV
import JackdawTestSupport

/// The text of a trace, exchange by exchange.
enum TraceText {
    /// A command of a header and data, and its answer.
    static func send(_ header: String, _ data: String, _ answer: String) -> String {
        let octets = hex(data)
        let command = hex(header) + (octets.isEmpty ? [] : [UInt8(octets.count)] + octets) + [0]
        return "> \(hexadecimal(command))\n< \(answer)\n"
    }

    /// SELECT, with the objects of the card's proprietary template.
    static func select(_ name: String, _ objects: String = "") -> String {
        let template = TagLengthValueBuilder.encode(0x84, hex(name)) + TagLengthValueBuilder.encode(0xA5, hex(objects))
        return send("00A40400", name, hexadecimal(TagLengthValueBuilder.encode(0x6F, template)) + "9000")
    }

    /// READ RECORD with a record of these objects.
    static func record(_ objects: String) -> String {
        send("00B2010C", "", hexadecimal(TagLengthValueBuilder.encode(0x70, hex(objects))) + "9000")
    }
}

/// Reads a whole trace.
func exchanges(_ text: String) throws -> [TraceExchange] {
    var reader = TraceReader()
    let octets = Array(text.utf8)
    return try reader.receive(octets.span) + reader.finish()
}

/// Explains a whole trace, without keys.
func explained(_ text: String, isRevealing: Bool = false) throws -> [ExplainedExchange] {
    var explainer = TraceExplainer(isRevealing: isRevealing)
    return try exchanges(text).map { explainer.explain($0) }
}
