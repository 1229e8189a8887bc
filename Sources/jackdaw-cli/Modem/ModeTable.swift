import JackdawDSP

/// The table of the named modes, for people and for programs.
enum ModeTable {
    /// A heading, then one line for each mode.
    static var lines: [String] {
        var table = Table(
            .text("mode"), .number("baud"), .number("mark Hz"), .number("space Hz"), .text("framing"),
            .text("description"))
        for mode in LineMode.all {
            let (shift, framing) = mode.keying
            table.add(
                mode.name, shift.map { fixed($0.baud, 0) } ?? "-", shift.map { fixed($0.mark, 0) } ?? "-",
                shift.map { fixed($0.space, 0) } ?? "-", framing?.notation ?? "-", mode.summary)
        }
        return table.lines
    }

    /// One object for each mode; a value that does not apply is null.
    static var objects: [JSONObject] {
        LineMode.all.map { mode in
            let (shift, framing) = mode.keying
            var object = JSONObject()
            object.add("mode", mode.name)
            object.add("baud", shift?.baud, decimals: 3)
            object.add("mark", shift?.mark, decimals: 3)
            object.add("space", shift?.space, decimals: 3)
            object.add("framing", framing?.notation)
            object.add("summary", mode.summary)
            return object
        }
    }
}

extension LineMode {
    /// The tones of a two-tone mode and the framing of its characters; nil for any other mode.
    var keying: (shift: FrequencyShift?, framing: CharacterFraming?) {
        switch code {
        case .frequencyShift(let shift, let framing): (shift, framing)
        case .frequencyShiftBits(let shift): (shift, nil)
        case .nibbles, .dynamo, .serialManchester: (nil, nil)
        }
    }

    /// Whether the mode carries bits instead of bytes.
    var carriesBits: Bool {
        if case .frequencyShiftBits = code { true } else { false }
    }
}

extension CharacterFraming {
    /// Data bits, parity and stop bits in the usual form: `8N1`, `7E2`, `5N1.5`; with `-msb` appended if the most
    /// significant bit comes first.
    var notation: String {
        let letter =
            switch parity {
            case .none: "N"
            case .even: "E"
            case .odd: "O"
            }
        let stop = stopBits == .onePointFive ? "1.5" : fixed(stopBits.rawValue, 0)
        return "\(dataBits)\(letter)\(stop)" + (bitOrder == .mostSignificantFirst ? "-msb" : "")
    }

    /// Parses the form of ``notation``; nil for any other text. Characters of nine bits are not accepted, because they
    /// do not fit a byte.
    init?(notation: String) {
        for dataBits in 5...8 {
            for parity in Parity.allCases {
                for stopBits in StopBits.allCases {
                    for order in [BitOrder.leastSignificantFirst, .mostSignificantFirst] {
                        self.init(dataBits: dataBits, parity: parity, stopBits: stopBits, bitOrder: order)
                        if self.notation.lowercased() == notation.lowercased() { return }
                    }
                }
            }
        }
        return nil
    }
}
