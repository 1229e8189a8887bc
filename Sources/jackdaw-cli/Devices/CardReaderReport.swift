#if PCSC
import JackdawBytes
import JackdawPCSC
import JackdawTransport

/// A reader for chip cards, as it is printed.
struct CardReaderReport {
    let reader: CardReader

    /// An empty table with the columns of a reader.
    static var table: Table {
        Table(.text("link"), .text("number"), .text("state"), .text("answer to reset"))
    }

    func add(to table: inout Table) {
        table.add(
            reader.link.description, LinkName(.pcsc, String(reader.number)).description, reader.state.rawValue,
            answerToReset ?? "")
    }

    var json: JSONObject {
        var object = JSONObject()
        object.add("kind", "card_reader")
        object.add("link", reader.link.description)
        object.add("number", reader.number)
        object.add("name", reader.name)
        object.add("state", reader.state.rawValue)
        object.add("atr", answerToReset)
        return object
    }

    /// Hexadecimal digits of the card's answer to reset; nil without a card.
    private var answerToReset: String? { reader.answerToReset?.hexadecimal }
}
#endif
