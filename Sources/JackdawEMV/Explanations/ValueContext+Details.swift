import JackdawBytes

// The parts of values: set bits, entries of lists and fields.

extension ValueContext {
    typealias Detail = ExplainedObject.Detail

    /// The parts of a value; none if it has no parts or is not valid.
    func details(_ tag: Tag, _ element: DataElement?, _ value: Span<UInt8>) -> [Detail] {
        switch tag {
        case 0x95, 0x9F0D, 0x9F0E, 0x9F0F, 0xDF8120, 0xDF8121, 0xDF8122:
            return bits(TerminalVerificationResults(value))
        case 0x9B: return bits(TransactionStatusInformation(value))
        case 0x82: return bits(ApplicationInterchangeProfile(value))
        case 0x9F07: return bits(ApplicationUsageControl(value))
        case 0x9F33: return bits(TerminalCapabilities(value))
        case 0x9F40: return bits(AdditionalTerminalCapabilities(value))
        case 0x9F66 where element?.kernel == nil: return bits(TerminalTransactionQualifiers(value))
        case 0x9F6C where element?.kernel == nil: return bits(CardTransactionQualifiers(value))
        case 0x8C, 0x8D, 0x97, 0x9F38, 0x9F49, 0x9F4F: return list(value)
        case 0x9F51, 0x9F5B, 0x9F69, 0xDF811A:
            // These are lists of kernel 2 alone.
            return element?.kernel == 2 ? list(value) : []
        case 0x9F4A: return tagList(value)
        case 0x94: return files(value)
        case 0x8E: return verificationList(value)
        case 0x9F68: return element?.kernel == 2 ? verificationList(value) : []
        case 0x91: return issuerAuthentication(value)
        case 0x9F34: return verificationResults(value)
        case 0x9F27: return cryptogram(value)
        case 0x9F10: return issuerData(value)
        case 0x87: return priority(value)
        case 0x9F4D:
            guard value.count == 2 else { return [] }
            return [Detail("sfi", "File \(value[0])", octet: 1), Detail("records", "\(value[1]) records", octet: 2)]
        case 0x88: return value.count == 1 ? [Detail("sfi", "File \(value[0])", octet: 1)] : []
        case 0x5F2D: return languages(value)
        default: return []
        }
    }

    private func bits<Field: BitField>(_ field: Field?) -> [Detail] {
        field?.namedBits.map { Detail($0.name, $0.text, octet: $0.octet, bit: $0.number) } ?? []
    }

    private func list(_ value: Span<UInt8>) -> [Detail] {
        guard let list = try? DataObjectList(value) else { return [] }
        return list.entries.map { entry in
            let name = DataElement.find(entry.tag, kernel: kernel)?.name ?? "Unknown"
            return Detail("\(entry.tag)", "\(entry.tag) \(name), \(entry.count) octet\(entry.count == 1 ? "" : "s")")
        }
    }

    /// The tags of a list without lengths.
    private func tagList(_ value: Span<UInt8>) -> [Detail] {
        var details: [Detail] = []
        var next = 0
        while next < value.count {
            guard let tag = try? Tag(value, &next) else { return [] }
            details.append(Detail("\(tag)", "\(tag) \(DataElement.find(tag, kernel: kernel)?.name ?? "Unknown")"))
        }
        return details
    }

    /// The cryptogram of the issuer, and what the issuer adds (EMV Book 3, annex A: tag 91).
    private func issuerAuthentication(_ value: Span<UInt8>) -> [Detail] {
        guard (8...16).contains(value.count) else { return [] }
        let cryptogram = Detail("arpc", "First 8 octets (ARPC of method 1): \(value.extracting(first: 8).hexadecimal)")
        guard value.count > 8 else { return [cryptogram] }
        return [cryptogram, Detail("issuer", "Of the issuer: \(value.extracting(8...).hexadecimal)")]
    }

    private func files(_ value: Span<UInt8>) -> [Detail] {
        guard let locator = try? ApplicationFileLocator(value) else { return [] }
        return locator.entries.map { entry in
            let (first, last) = (entry.records.lowerBound, entry.records.upperBound)
            let records = first == last ? "record \(first)" : "records \(first) to \(last)"
            let count = entry.authenticatedCount
            let authenticated = count == 0 ? "" : ", \(count) in offline data authentication"
            return Detail("file", "File \(entry.file), \(records)\(authenticated)")
        }
    }

    private func verificationList(_ value: Span<UInt8>) -> [Detail] {
        guard let list = try? CardholderVerificationList(value) else { return [] }
        var details = [
            Detail("x", "X: \(Amount(minorUnits: UInt64(list.x), currencyCode: currency))"),
            Detail("y", "Y: \(Amount(minorUnits: UInt64(list.y), currencyCode: currency))"),
        ]
        for rule in list.rules {
            let follows = rule.method.continuesIfFailed ? "next rule" : "fail"
            details.append(
                Detail(
                    rule.method.kind.rawValue, "\(rule.method.text); \(rule.condition.text); if it fails: \(follows)"))
        }
        return details
    }

    private func verificationResults(_ value: Span<UInt8>) -> [Detail] {
        guard let results = CardholderVerificationResults(value) else { return [] }
        let isPerformed = results.method.code != 0x3F
        let outcome: String
        switch results.outcome {
        case .unknown: outcome = "Unknown"
        case .failed: outcome = "Failed"
        case .successful: outcome = "Successful"
        case nil: outcome = "Reserved"
        }
        return [
            Detail(
                isPerformed ? results.method.kind.rawValue : "no_cvm_performed",
                isPerformed ? results.method.text : "No CVM performed", octet: 1),
            Detail(results.condition.kind.rawValue, results.condition.text, octet: 2),
            Detail("outcome", outcome, octet: 3),
        ]
    }

    /// Cryptogram information data (EMV Book 3 section 6.5.5.4).
    private func cryptogram(_ value: Span<UInt8>) -> [Detail] {
        guard value.count == 1 else { return [] }
        var details: [Detail] = []
        switch value[0] >> 6 {
        case 0: details.append(Detail("aac", "AAC: transaction declined", octet: 1))
        case 1: details.append(Detail("tc", "TC: transaction approved", octet: 1))
        case 2: details.append(Detail("arqc", "ARQC: online authorisation requested", octet: 1))
        default: details.append(Detail("rfu", "Reserved", octet: 1))
        }
        if value[0] & 0x08 != 0 { details.append(Detail("advice_required", "Advice required", octet: 1, bit: 4)) }
        switch value[0] & 0x07 {
        case 1: details.append(Detail("service_not_allowed", "Service not allowed", octet: 1))
        case 2: details.append(Detail("pin_try_limit_exceeded", "PIN try limit exceeded", octet: 1))
        case 3: details.append(Detail("issuer_authentication_failed", "Issuer authentication failed", octet: 1))
        default: break
        }
        return details
    }

    private func issuerData(_ value: Span<UInt8>) -> [Detail] {
        guard let data = IssuerApplicationData(value) else { return [] }
        let rest = data.discretionaryData.hexadecimal
        var discretionary = rest.isEmpty ? [] : [Detail("discretionary_data", "Discretionary data \(rest)")]
        if data.format == .mChip4, data.discretionaryData.count == 10 {
            discretionary.append(
                Detail("dac_or_idn", "DAC or ICC dynamic number: \(value.extracting(8..<10).hexadecimal)"))
            discretionary.append(
                Detail("counters", "Counters, in clear or enciphered: \(value.extracting(10..<18).hexadecimal)"))
        }
        // American Express cards have the layout of Visa's format 0.
        let application = kernel == 4 ? "American Express" : data.format.application
        return [
            Detail(data.format.rawValue, application),
            Detail("dki", "Derivation key index \(data.derivationKeyIndex.hexadecimal)"),
            Detail("cvn", "Cryptogram version \(data.cryptogramVersion.hexadecimal)"),
            Detail("cvr", "Card verification results \(data.cardVerificationResults.hexadecimal)"),
            Detail("second_gac", "Second GENERATE AC: \(Self.text(data.second))"),
            Detail("first_gac", "First GENERATE AC: \(Self.text(data.first))"),
        ] + VerificationResultBits.details(data) + discretionary
    }

    private static func text(_ cryptogram: IssuerApplicationData.Cryptogram) -> String {
        switch cryptogram {
        case .aac: "AAC"
        case .tc: "TC"
        case .arqc: "ARQC"
        case .notRequested: "not requested"
        case .reserved: "reserved"
        }
    }

    private func priority(_ value: Span<UInt8>) -> [Detail] {
        guard value.count == 1 else { return [] }
        var details: [Detail] = []
        if value[0] & 0x80 != 0 {
            details.append(Detail("confirmation_required", "Cardholder confirmation required", octet: 1, bit: 8))
        }
        let priority = value[0] & 0x0F
        details.append(Detail("priority", priority == 0 ? "No priority" : "Priority \(priority)", octet: 1))
        return details
    }

    private func languages(_ value: Span<UInt8>) -> [Detail] {
        stride(from: 0, to: value.count - 1, by: 2).compactMap { index in
            var code = ""
            for place in index...index + 1 {
                // Some cards have capitals.
                let letter = value[place] | 0x20
                guard (0x61...0x7A).contains(letter) else { return nil }
                code.unicodeScalars.append(Unicode.Scalar(letter))
            }
            return Detail("language", code)
        }
    }
}
