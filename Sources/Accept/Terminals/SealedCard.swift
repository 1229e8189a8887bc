import JackdawBytes
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
    package func forAuthorisation(pinBlockTag: Tag) -> DataObjectStore {
        var objects = DataObjectStore()
        for tag in tags { objects.set(tag == pinBlockTag ? 0x99 : tag, secret(tag)) }
        return objects
    }

    /// The objects of the second cryptogram, without card data.
    package var forCompletion: DataObjectStore {
        var objects = DataObjectStore()
        let wanted: [Tag] = [0x9F26, 0x9F27, 0x9F10, 0x9F36, 0x9F37, 0x9F34, 0x95, 0x82, 0x9A, 0x9C, 0x5F2A, 0x9F02]
        for tag in wanted where self[tag] != nil { objects.set(tag, secret(tag)) }
        return objects
    }
}

extension HostResponse {
    /// The issuer's data for the card (8A, 91, and the templates of scripts 71 and 72 in their order); nil without a
    /// response code, or if it is not BER-TLV.
    package init?(_ forCard: HTTPBody, isApproved: Bool) {
        var code: AuthorisationResponseCode?
        var authenticationData: [UInt8]?
        var scripts: [UInt8] = []
        defer { scripts.wipeCapacity() }
        let isRead = forCard.withBytes { octets in
            var walker = TagLengthValueWalker(octets)
            do throws(DataObjectError) {
                while let object = try walker.next(in: octets) {
                    walker.skipContents()
                    switch object.tag {
                    case 0x8A: code = AuthorisationResponseCode(object.value.map { octets[$0] })
                    case 0x91: authenticationData = object.value.map { octets[$0] }
                    case 0x71, 0x72:
                        scripts.growWiping(toHold: scripts.count + object.value.upperBound - object.start)
                        for index in object.start..<object.value.upperBound { scripts.append(octets[index]) }
                    default: break
                    }
                }
                return true
            } catch { return false }
        }
        guard isRead, let code else { return nil }
        self.init(
            isApproved: isApproved, responseCode: code, authenticationData: authenticationData, scripts: scripts)
    }
}
