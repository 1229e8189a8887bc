// Issuer scripts: EMV Book 3, section 10.10 and annex E, and Book 4, section 6.3.9 and annex A5.

/// A script of the issuer: commands for the card.
public struct IssuerScript: Sendable, Equatable {
    /// The time at which the terminal sends the commands.
    public enum Phase: Sendable, Hashable {
        /// Template 71: before the final GENERATE AC.
        case beforeFinalCryptogram
        /// Template 72: after it.
        case afterFinalCryptogram
    }

    /// The time at which the terminal sends the commands.
    public let phase: Phase
    /// The Issuer Script Identifier (9F18), four octets; zeros if the script has none of this length.
    public let identifier: [UInt8]
    /// The commands (86) as the issuer made them. The terminal neither reads nor changes them.
    public let commands: [SecretOctets]
    /// Whether the script breaks the rules of BER-TLV or has a command without a header. No command of it is sent.
    public let isMalformed: Bool
    /// The length of the template with its tag and length, in octets.
    public let octetCount: Int

    /// The greatest total length of all scripts that a terminal must support, in octets (Book 4, 6.3.9).
    public static let guaranteedOctets = 128

    /// Finds the scripts of an issuer's response in their order.
    /// - Parameter response: data objects; those that are no script are skipped. Octets that break the rules of BER-TLV
    ///   end the search; a script that is cut by the end, or whose length is invalid, counts as malformed.
    /// - Returns: the scripts of both phases, malformed ones included.
    public static func scripts(in response: Span<UInt8>) -> [IssuerScript] {
        var scripts: [IssuerScript] = []
        var walker = TagLengthValueWalker(response)
        /// The end of the last object.
        var end = 0
        while true {
            let object: TagLengthValue?
            do throws(DataObjectError) { object = try walker.next(in: response) } catch {
                // The error may lie in the object's length: the tag is the first octet that is not 00.
                let start = (end..<response.count).first { response[$0] != 0 }
                if let start, let phase = phase(response[start]) {
                    let rest = response.count - start
                    scripts.append(
                        IssuerScript(
                            phase: phase, identifier: noIdentifier, commands: [], isMalformed: true, octetCount: rest))
                }
                return scripts
            }
            guard let object else { return scripts }
            walker.skipContents()
            end = object.value.upperBound
            if object.tag.count == 1, let phase = phase(response[object.start]) {
                scripts.append(
                    IssuerScript(
                        phase, response.extracting(object.value), octetCount: object.value.upperBound - object.start))
            }
        }
    }

    private static let noIdentifier: [UInt8] = [0, 0, 0, 0]

    /// The least length of a command: its header.
    private static let headerCount = 4

    private static func phase(_ tag: UInt8) -> Phase? {
        switch tag {
        case 0x71: .beforeFinalCryptogram
        case 0x72: .afterFinalCryptogram
        default: nil
        }
    }

    private init(phase: Phase, identifier: [UInt8], commands: [SecretOctets], isMalformed: Bool, octetCount: Int) {
        self.phase = phase
        self.identifier = identifier
        self.commands = commands
        self.isMalformed = isMalformed
        self.octetCount = octetCount
    }

    /// Parses the contents of a template. The identifier of a malformed script is kept if it was read.
    private init(_ phase: Phase, _ contents: Span<UInt8>, octetCount: Int) {
        var identifier = Self.noIdentifier
        var commands: [SecretOctets] = []
        var isMalformed = false
        var walker = TagLengthValueWalker(contents)
        do throws(DataObjectError) {
            while let object = try walker.next(in: contents) {
                walker.skipContents()
                if object.tag == 0x9F18, object.value.count == 4 {
                    identifier = Array(copying: contents.extracting(object.value))
                } else if object.tag == 0x86 {
                    isMalformed = isMalformed || object.value.count < Self.headerCount
                    commands.append(SecretOctets(copying: contents.extracting(object.value)))
                }
            }
        } catch { isMalformed = true }
        self.init(
            phase: phase, identifier: identifier, commands: isMalformed ? [] : commands, isMalformed: isMalformed,
            octetCount: octetCount)
    }
}

/// The processing of the scripts of one phase: a machine that gives the commands and receives the status words.
public struct IssuerScriptRun: Sendable {
    private let scripts: [IssuerScript]
    private var script = 0
    private var command = 0
    /// The results of the scripts that are done.
    public private(set) var results: [IssuerScriptResult] = []

    /// A run over the scripts of a phase, in their order; scripts of the other phase are left out.
    public init(_ scripts: [IssuerScript], _ phase: IssuerScript.Phase) {
        self.scripts = scripts.filter { $0.phase == phase }
    }

    /// Whether there is a script, even one without commands. The TSI then shows that scripts were processed.
    public var hasScripts: Bool { !scripts.isEmpty }

    /// The bit of the TVR that a script which was not carried out sets; without bits if there is none.
    public var tvr: TerminalVerificationResults {
        guard results.contains(where: { $0.outcome != .successful }), let first = scripts.first else { return [] }
        return switch first.phase {
        case .beforeFinalCryptogram: .scriptFailedBeforeFinalGAC
        case .afterFinalCryptogram: .scriptFailedAfterFinalGAC
        }
    }

    /// The command to send now; nil when all scripts are done.
    public mutating func next() -> SecretOctets? {
        while script < scripts.count {
            let current = scripts[script]
            if current.isMalformed {
                finish(.notPerformed)
            } else if command < current.commands.count {
                return current.commands[command]
            } else {
                finish(.successful)
            }
        }
        return nil
    }

    /// Goes on with the card's status word. Only SW1 counts: 90, 61, 62 and 63 let the script go on (Book 3, 10.10).
    public mutating func receive(_ status: StatusWord) {
        guard script < scripts.count, command < scripts[script].commands.count else { return }
        switch status.first {
        case 0x90, 0x61, 0x62, 0x63: command += 1
        default: finish(.failed(command: command + 1, status))
        }
    }

    /// Ends the run without a card. A script whose command has no answer has failed, and those
    /// after it are not performed.
    /// - Parameter isOpen: whether a command was sent.
    mutating func abandon(isOpen: Bool) {
        // No status word came: 6F00 is the one of no precise diagnosis (ISO/IEC 7816-4).
        if isOpen, script < scripts.count {
            finish(.failed(command: command + 1, StatusWord(rawValue: 0x6F00)))
        }
        while script < scripts.count { finish(.notPerformed) }
    }

    private mutating func finish(_ outcome: IssuerScriptResult.Outcome) {
        results.append(IssuerScriptResult(identifier: scripts[script].identifier, outcome: outcome))
        script += 1
        command = 0
    }
}

/// The result of one script, with the reason.
public struct IssuerScriptResult: Sendable, Hashable {
    /// The end of a script.
    public enum Outcome: Sendable, Hashable {
        /// The script is malformed, or the transaction ended before it: no command was sent.
        case notPerformed
        /// The card refused a command, counted from 1, with a status word.
        case failed(command: Int, StatusWord)
        /// The card accepted all commands.
        case successful
    }

    /// The Issuer Script Identifier, four octets.
    public let identifier: [UInt8]
    /// The end of the script.
    public let outcome: Outcome

    /// Five octets of the Issuer Script Results: the outcome with the number of the failed command (15 for any above
    /// 14), and the identifier (Book 4, annex A5).
    public var octets: [UInt8] {
        let first: UInt8 =
            switch outcome {
            case .notPerformed: 0x00
            case .failed(let command, _): 0x10 | UInt8(min(command, 15))
            case .successful: 0x20
            }
        return [first] + identifier
    }
}
