import JackdawEMV

/// Explained data objects of a chip card, as text and as JSON.
enum ObjectReport {
    /// The lines of objects, each indented by the templates that contain it, with its parts below it.
    /// - Parameters:
    ///   - objects: in their order.
    ///   - indent: number of blanks before the outermost objects.
    /// - Returns: one line for each object and each part.
    static func lines(_ objects: [ExplainedObject], indent: Int = 0) -> [String] {
        objects.flatMap { explained in
            let blanks = String(repeating: " ", count: indent + 2 * explained.object.depth)
            return [blanks + line(explained)] + explained.details.map { "\(blanks)  \(part($0))" }
        }
    }

    private static func line(_ explained: ExplainedObject) -> String {
        let title = "\(explained.object.tag) \(explained.element?.name ?? "unknown")"
        guard !explained.object.tag.isConstructed else { return title }
        let count = explained.object.value.count
        switch (explained.digits, explained.text) {
        case (nil, nil): return "\(title): hidden, \(octets(count))"
        case (nil, let text?): return "\(title): \(text)"
        case (let digits?, let text?) where text != digits: return "\(title): \(digits), \(text)"
        case (let digits?, _): return "\(title): \(digits.isEmpty ? "empty" : digits)"
        }
    }

    private static func part(_ detail: ExplainedObject.Detail) -> String {
        switch (detail.octet, detail.bit) {
        case (let octet?, let bit?): "octet \(octet) bit \(bit): \(detail.text)"
        case (let octet?, nil): "octet \(octet): \(detail.text)"
        default: detail.text
        }
    }

    /// A number of octets with its noun.
    static func octets(_ count: Int) -> String { "\(count) octet\(count == 1 ? "" : "s")" }

    /// The object of JSON output; a hidden value is null.
    static func json(_ explained: ExplainedObject) -> JSONObject {
        var object = JSONObject()
        object.add("tag", "\(explained.object.tag)")
        object.add("name", explained.element?.name)
        object.add("depth", explained.object.depth)
        object.add("offset", explained.object.start)
        object.add("size", explained.object.value.count)
        object.add("value", explained.digits)
        object.add("text", explained.text)
        object.add("hidden", explained.isHidden)
        object.add("parts", explained.details.map(json))
        return object
    }

    /// A part of a value, or a parameter of a command.
    static func json(_ detail: ExplainedObject.Detail) -> JSONObject {
        var object = JSONObject()
        object.add("name", detail.name)
        object.add("text", detail.text)
        object.add("octet", detail.octet)
        object.add("bit", detail.bit)
        return object
    }
}

/// An explained exchange with a chip card, as text and as JSON.
struct ExchangeReport {
    let exchange: ExplainedExchange

    /// The command and its data, then the answer and its data, then what was recovered from certificates.
    var lines: [String] {
        let command = exchange.command
        let place = exchange.line.map { "line \($0): " } ?? ""
        let header = command.header.map { " \($0)" } ?? ""
        let parameters = command.parameters.isEmpty ? "" : ": " + command.parameters.map(\.text).joined(separator: ", ")
        var lines = [place + command.name + header + parameters] + Self.lines(command.data)
        if let answer = exchange.answer {
            let meaning = answer.meaning ?? "unknown"
            lines.append(answer.status.map { "  answer \($0): \(meaning)" } ?? "  answer without status word")
            lines += Self.lines(answer.data)
        } else {
            lines.append("  no answer")
        }
        for block in exchange.recovered {
            lines.append("  recovered \(block.tag) with the \(block.signer)")
            lines += block.fields.map { "    \($0.text)" }
        }
        return lines
    }

    private static func lines(_ data: ExplainedData) -> [String] {
        var lines = ObjectReport.lines(data.objects, indent: 4)
        if let digits = data.digits { lines.append("    data: \(digits)") }
        if data.isHidden { lines.append("    data: hidden, \(ObjectReport.octets(data.count))") }
        if let problem = data.problem { lines.append("    not explained: \(problem)") }
        return lines
    }

    /// One object for the exchange.
    var json: JSONObject {
        var object = JSONObject()
        object.add("line", exchange.line)
        object.add("command", exchange.command.name)
        object.add("header", exchange.command.header)
        object.add("parameters", exchange.command.parameters.map(ObjectReport.json))
        object.add("sent", Self.json(exchange.command.data))
        object.add("status", exchange.answer?.status.map { "\($0)" })
        object.add("meaning", exchange.answer?.meaning)
        object.add("received", exchange.answer.map { Self.json($0.data) })
        object.add(
            "recovered",
            exchange.recovered.map { block in
                var object = JSONObject()
                object.add("tag", "\(block.tag)")
                object.add("signer", block.signer)
                object.add("fields", block.fields.map(ObjectReport.json))
                return object
            })
        return object
    }

    private static func json(_ data: ExplainedData) -> JSONObject {
        var object = JSONObject()
        object.add("size", data.count)
        object.add("value", data.digits)
        object.add("hidden", data.isHidden)
        object.add("problem", data.problem)
        object.add("objects", data.objects.map(ObjectReport.json))
        return object
    }
}
