public import JackdawEMV
public import JackdawPayments

extension HTTPBody {
    /// A card's objects in BER-TLV, as the sandbox takes them. They are not enciphered: for tests alone.
    public static func tagLengthValue(_ objects: DataObjectStore) -> HTTPBody {
        var builder = TagLengthValueBuilder()
        for tag in objects.tags { objects.withValue(tag) { builder.append(tag, $0) } }
        return HTTPBody(copying: builder.octets.span)
    }
}

extension DataObjectStore {
    /// The objects for the authorisation, with the PIN block in 99.
    func forAuthorisation(pinBlockTag: Tag) -> DataObjectStore {
        var objects = DataObjectStore()
        for tag in tags { objects.set(tag == pinBlockTag ? 0x99 : tag, secret(tag)) }
        return objects
    }

    /// The objects of the second cryptogram, without card data.
    var forCompletion: DataObjectStore {
        var objects = DataObjectStore()
        let wanted: [Tag] = [0x9F26, 0x9F27, 0x9F10, 0x9F36, 0x9F37, 0x95, 0x82, 0x9A, 0x9C, 0x5F2A, 0x9F02]
        for tag in wanted where self[tag] != nil { objects.set(tag, secret(tag)) }
        return objects
    }
}

extension HostResponse {
    /// The issuer's data for the card (8A, 91, 71, 72); nil without a response code.
    init?(_ forCard: HTTPBody, isApproved: Bool) {
        var objects = DataObjectStore()
        let isRead = forCard.withBytes { (try? objects.add($0)) != nil }
        guard isRead, let code = objects[0x8A].flatMap({ AuthorisationResponseCode($0) }) else { return nil }
        self.init(isApproved: isApproved, responseCode: code, authenticationData: objects[0x91])
    }
}
