import JackdawDSP

/// The modes that have a name, for people and for programs.
enum ModeTable {
    /// A heading and a line a mode.
    static var lines: [String] {
        var table = Table(
            .text("mode"), .number("baud"), .number("mark Hz"), .number("space Hz"), .text("framing"),
            .text("what it is"))
        for mode in LineMode.all {
            let (shift, framing) = mode.keying
            table.add(
                mode.name, shift.map { fixed($0.baud, 0) } ?? "-", shift.map { fixed($0.mark, 0) } ?? "-",
                shift.map { fixed($0.space, 0) } ?? "-", framing?.notation ?? "-", mode.summary)
        }
        return table.lines
    }

    /// An object a mode; what does not apply is null.
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
    /// Tones of a mode of two tones, and the framing of its characters; nil of any other.
    var keying: (shift: FrequencyShift?, framing: CharacterFraming?) {
        switch code {
        case .frequencyShift(let shift, let framing): (shift, framing)
        case .frequencyShiftBits(let shift): (shift, nil)
        case .nibbles, .dynamo, .serialManchester: (nil, nil)
        }
    }

    /// Whether what is read are bits, not bytes.
    var carriesBits: Bool {
        if case .frequencyShiftBits = code { true } else { false }
    }
}

extension CharacterFraming {
    /// Data bits, parity and stop bits as they are usually written: `8N1`, `7E2`, `5N1.5`; with `-msb` behind where the
    /// most significant bit goes first.
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

    /// A framing as ``notation`` writes it; nil for anything else. Characters of nine bits are no bytes.
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
