// The data objects in a card's answers.

extension CardResponse {
    /// The value of the object that GET DATA asked for; nil if the card refused, or returned another object.
    package func requested(_ tag: Tag) -> [UInt8]? {
        guard status == .success else { return nil }
        return data.withOctets { octets in
            guard let first = (try? TagLengthValue.list(octets))?.first, first.tag == tag else { return nil }
            return Array(copying: octets.extracting(first.value))
        }
    }

    /// A counter of two octets that GET DATA asked for; nil if the card does not return it.
    package func counter(_ tag: Tag) -> UInt16? {
        guard let value = requested(tag), value.count == 2 else { return nil }
        return UInt16(value[0]) << 8 | UInt16(value[1])
    }

    /// Terminates if the card did not answer 9000.
    func requireSuccess() throws(KernelTermination) {
        guard status == .success else { throw KernelTermination(.status, status: status) }
    }

    /// The primitive objects of an answer that is one template, and has none twice.
    func objects(in template: Tag) throws(KernelTermination) -> DataObjectStore {
        try data.withOctets { octets throws(KernelTermination) -> DataObjectStore in
            var objects = DataObjectStore()
            guard TagLengthValue.single(in: octets)?.tag == template, let repeated = try? objects.add(octets) else {
                throw KernelTermination(.malformed, template)
            }
            if let tag = repeated.first { throw KernelTermination(.repeated, tag) }
            return objects
        }
    }

    /// The value of an answer in format 1 (80); nil in another format.
    private var format1: SecretOctets? {
        data.withOctets { octets in
            guard let object = TagLengthValue.single(in: octets), object.tag == .responseFormat1 else { return nil }
            return SecretOctets(copying: octets.extracting(object.value))
        }
    }

    /// The objects of an answer to GET PROCESSING OPTIONS, in format 1 (80: AIP, AFL) or 2 (77).
    func processingOptions() throws(KernelTermination) -> DataObjectStore {
        try requireSuccess()
        guard let value = format1 else { return try objects(in: .responseFormat2) }
        return try value.withOctets { value throws(KernelTermination) -> DataObjectStore in
            guard value.count >= 2 else { throw KernelTermination(.missing, ApplicationInterchangeProfile.tag) }
            var options = DataObjectStore()
            options.set(ApplicationInterchangeProfile.tag, value.extracting(first: 2))
            if value.count > 2 { options.set(.applicationFileLocator, value.extracting(2..<value.count)) }
            return options
        }
    }

    /// The objects of an answer to GENERATE AC, in format 1 (80) or 2 (77).
    /// - Parameter isSigned: whether a signature (9F4B) may take the place of the cryptogram.
    /// - Returns: the objects, and the Cryptogram Information Data among them.
    /// - Throws: if the card refused, or a mandatory object is missing.
    func cryptogram(
        isSigned: Bool
    ) throws(KernelTermination) -> (objects: DataObjectStore, information: CryptogramInformation) {
        try requireSuccess()
        let answer = try cryptogramObjects()
        guard let information = answer[.cryptogramInformation], information.count == 1 else {
            throw KernelTermination(.missing, .cryptogramInformation)
        }
        guard answer[.transactionCounter]?.count == 2 else { throw KernelTermination(.missing, .transactionCounter) }
        let hasSignature = isSigned && answer.contains(.signedDynamicApplicationData)
        guard hasSignature || answer[.cryptogram]?.count == 8 else { throw KernelTermination(.missing, .cryptogram) }
        return (answer, CryptogramInformation(rawValue: information[0]))
    }

    private func cryptogramObjects() throws(KernelTermination) -> DataObjectStore {
        guard let value = format1 else { return try objects(in: .responseFormat2) }
        return try value.withOctets { value throws(KernelTermination) -> DataObjectStore in
            // CID, ATC, cryptogram and up to 32 octets of issuer application data (Book 3, table 13).
            guard (11...43).contains(value.count) else { throw KernelTermination(.malformed, .responseFormat1) }
            var answer = DataObjectStore()
            answer.set(.cryptogramInformation, value.extracting(first: 1))
            answer.set(.transactionCounter, value.extracting(1..<3))
            answer.set(.cryptogram, value.extracting(3..<11))
            if value.count > 11 { answer.set(.issuerApplicationData, value.extracting(11..<value.count)) }
            return answer
        }
    }
}
