import JackdawBytes
import JackdawEMV

/// A device between card and terminal that alters answers of the card, and the issuer's decision: the member `wedge` of
/// a card's file. The card itself does not know of it.
struct CardWedge: Sendable {
    /// The values that replace those of the card's answers; an empty value removes the object.
    private let objects: DataObjectStore
    /// The change of the issuer's decision; nil if it is passed on.
    let issuer: Issuer?

    /// A change of the issuer's decision.
    struct Issuer: Sendable {
        /// Whether the terminal is shown an approval.
        let isApproved: Bool
        /// The issuer authentication data (91) that the terminal receives; nil to remove them.
        let data: [UInt8]?
    }

    /// Reads the member `wedge`; nil if there is none.
    init?(ofFile file: DescriptionObject) throws(SimulationFileError) {
        guard let wedge = try file.optionalObject("wedge", allowed: ["objects", "issuer"]) else { return nil }
        var objects = DataObjectStore()
        if let values = try wedge.optionalObject("objects") {
            for name in values.names { objects.set(try values.tag(named: name), try values.secret(name, 0...252)) }
        }
        self.objects = objects
        var issuer: Issuer?
        if let change = try wedge.optionalObject("issuer", allowed: ["approves", "data"]) {
            issuer = Issuer(
                isApproved: try change.optionalFlag("approves"), data: try change.optionalOctets("data", 8...16))
        }
        self.issuer = issuer
    }

    /// The answer to a command that the terminal receives instead of the card's. Answers that are not in BER-TLV are
    /// passed on, and so are those in format 1 (80) but the processing options.
    func alter(_ answer: CardResponse, to command: CardCommand?) -> CardResponse {
        guard objects.count > 0, answer.data.count > 0 else { return answer }
        let hasOptions = command.flatMap { CardInstruction($0) } == .getProcessingOptions
        guard var octets = answer.data.withOctets({ altered($0, hasOptions: hasOptions) }) else { return answer }
        defer { octets.wipe() }
        return CardResponse(data: octets, status: answer.status)
    }

    /// Answers with other objects; nil if they are not valid.
    private func altered(_ octets: Span<UInt8>, hasOptions: Bool) -> [UInt8]? {
        guard let found = try? TagLengthValue.list(octets) else { return nil }
        // Format 1 of GET PROCESSING OPTIONS (Book 3, 6.5.8.4): the profile and the file locator.
        if found.count == 1, found[0].tag == 0x80, hasOptions, found[0].value.count >= 2 {
            guard let profile = objects[ApplicationInterchangeProfile.tag], profile.count == 2 else { return nil }
            let locator = octets.extracting(found[0].value.lowerBound + 2..<found[0].value.upperBound)
            return TagLengthValueBuilder.encode(0x80, profile + SecretOctets(copying: locator).octets)
        }
        var rest = found[...]
        var builder = TagLengthValueBuilder()
        append(&rest, depth: 0, of: octets, to: &builder)
        return builder.octets
    }

    /// Appends the objects of one depth, templates with their contents.
    private func append(
        _ rest: inout ArraySlice<TagLengthValue>, depth: Int, of octets: Span<UInt8>,
        to builder: inout TagLengthValueBuilder
    ) {
        while let object = rest.first, object.depth == depth {
            rest.removeFirst()
            if let inner = rest.first, inner.depth > depth {
                var template = TagLengthValueBuilder()
                append(&rest, depth: depth + 1, of: octets, to: &template)
                builder.append(object.tag, template.octets)
            } else if let other = objects.secret(object.tag) {
                if !other.isEmpty { other.withOctets { builder.append(object.tag, $0) } }
            } else {
                builder.append(object.tag, octets.extracting(object.value))
            }
        }
    }
}
