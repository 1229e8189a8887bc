import JackdawEMV

/// A command of MPI, in the form of a smart card's APDU: an instruction, two parameters, data, and the expected length
/// of the answer.
///
/// Source: sources of Miura's SDK for Android, in public repositories.
package struct MiuraCommand: Sendable, Hashable {
    /// Class and instruction of the command.
    package let instruction: MiuraInstruction
    /// The first parameter (P1).
    package let first: UInt8
    /// The second parameter (P2).
    package let second: UInt8
    /// The command's data; empty if it has none.
    package let data: [UInt8]
    /// The expected number of bytes in the answer (Le); nil if the command does not state it.
    package let awaited: UInt8?

    /// The most bytes of data in a command, without and with an expected length (Le).
    package static let greatestData = (249, 248)

    /// - Parameters:
    ///   - instruction: class and instruction of the command.
    ///   - first: the first parameter (P1).
    ///   - second: the second parameter (P2).
    ///   - data: up to 249 bytes, or 248 if `awaited` is given.
    ///   - awaited: the expected number of bytes in the answer.
    /// - Throws: ``FrameFault`` (`length`) if the data is longer.
    package init(
        _ instruction: MiuraInstruction, _ first: UInt8 = 0, _ second: UInt8 = 0, data: [UInt8] = [],
        awaited: UInt8? = nil
    ) throws(FrameFault) {
        let most = awaited == nil ? Self.greatestData.0 : Self.greatestData.1
        guard data.count <= most else {
            throw FrameFault(.length, at: 7, "\(data.count) bytes of data; the maximum is \(most)")
        }
        self.init(unchecked: instruction, first, second, data, awaited)
    }

    /// Creates a command whose data is known to fit.
    private init(
        unchecked instruction: MiuraInstruction, _ first: UInt8 = 0, _ second: UInt8 = 0, _ data: [UInt8] = [],
        _ awaited: UInt8? = nil
    ) {
        self.instruction = instruction
        self.first = first
        self.second = second
        self.data = data
        self.awaited = awaited
    }

    /// The command without a frame.
    package var apdu: [UInt8] {
        let header = [UInt8(instruction.rawValue >> 8), UInt8(instruction.rawValue & 0xFF), first, second]
        let content = data.isEmpty ? [] : [UInt8(data.count)] + data
        return header + content + (awaited.map { [$0] } ?? [])
    }

    /// Returns the command in its frame.
    /// - Parameter node: the recipient of the command.
    /// - Returns: the frame.
    package func frame(to node: MiuraNode = .reader) -> [UInt8] {
        // Cannot throw: class, instruction, parameters, two lengths and the longest data are 254 bytes.
        (try? MiuraFormat.command(apdu, to: node)) ?? []
    }
}

/// Commands without data.
extension MiuraCommand {
    /// The kind of restart of a reader.
    package enum Reset: UInt8, Sendable, Hashable, CaseIterable {
        /// Restarts the reader's program only.
        case soft = 0
        /// Restarts the whole reader.
        case hard = 1
        /// Restarts the whole reader, and removes its files.
        case clearingFiles = 2
        /// Restarts the whole reader, removes its files and formats its storage.
        case reinitializing = 3
    }

    /// Restarts the reader; the answer has the serial number and the software versions.
    package static func reset(_ manner: Reset = .soft) -> MiuraCommand {
        MiuraCommand(unchecked: .reset, manner.rawValue)
    }

    /// Lists the reader's capabilities, some with a value. The software is in the answer to ``reset(_:)``.
    package static let deviceInformation = MiuraCommand(unchecked: .deviceInformation)
    /// Lists the configuration files.
    package static let configuration = MiuraCommand(unchecked: .configuration)
    /// Returns date and time.
    package static let clock = MiuraCommand(unchecked: .systemClock)
    /// Aborts the reader's current activity.
    package static let abort = MiuraCommand(unchecked: .abort)
    /// Returns whether keys for cards and PINs are installed.
    package static let encryptionStatus = MiuraCommand(unchecked: .encryptionStatus)
    /// Lists the devices connected to a base.
    package static let peripherals = MiuraCommand(unchecked: .peripherals)

    /// Returns the charge of the battery.
    /// - Parameter goesToSleep: whether the reader goes to sleep afterwards.
    /// - Returns: the command.
    package static func battery(goesToSleep: Bool = false) -> MiuraCommand {
        MiuraCommand(unchecked: .batteryStatus, goesToSleep ? 1 : 0)
    }

    /// Switches card status reports on or off.
    package static func reportCards(_ reports: MiuraCardReports) -> MiuraCommand {
        MiuraCommand(unchecked: .cardStatus, reports.rawValue)
    }

    /// Opens the drawer of a base, or returns whether it is open.
    package static func cashDrawer(opens: Bool) -> MiuraCommand {
        MiuraCommand(unchecked: .cashDrawer, opens ? 1 : 0)
    }

    /// Switches the reports of a bar code scanner on or off.
    package static func barCodes(_ isOn: Bool) -> MiuraCommand {
        MiuraCommand(unchecked: .barCodeReader, isOn ? 1 : 0)
    }

    /// Prints the contents of the spool, or clears it.
    package static func spool(prints: Bool) -> MiuraCommand {
        MiuraCommand(unchecked: .spoolText, prints ? 2 : 1)
    }
}

/// Commands with data.
extension MiuraCommand {
    /// Shows text on the display.
    /// - Parameters:
    ///   - text: up to 249 bytes of UTF-8.
    ///   - isFourRows: whether the text has four rows rather than one.
    ///   - isLit: whether the backlight is on.
    /// - Returns: the command.
    /// - Throws: ``FrameFault`` (`length`) if the text is longer.
    package static func display(
        _ text: String, isFourRows: Bool = true, isLit: Bool = true
    ) throws(FrameFault) -> MiuraCommand {
        let bytes = Array(text.utf8)
        let isASCII = bytes.allSatisfy { $0 < 0x80 }
        return try MiuraCommand(
            .displayText, isFourRows ? 0 : 1, (isLit ? 1 : 0) | (isASCII ? 0 : 0x80), data: bytes)
    }

    /// Adds text to the printer's spool.
    /// - Throws: ``FrameFault`` (`length`) if it is longer than 249 bytes of UTF-8.
    package static func spool(_ text: String) throws(FrameFault) -> MiuraCommand {
        try MiuraCommand(.spoolText, data: Array(text.utf8))
    }

    /// Selects the file for the next read or write.
    /// - Parameters:
    ///   - name: the file's name in ASCII.
    ///   - mode: the mode in which the file is opened (P1). The meaning of its values is not known.
    /// - Returns: the command.
    /// - Throws: ``FrameFault`` (`length`, or `field` for other characters).
    package static func selectFile(_ name: String, mode: UInt8 = 0) throws(FrameFault) -> MiuraCommand {
        guard name.utf8.allSatisfy(\.isPrinted) else { throw FrameFault(.field, at: 8, "a file's name is ASCII") }
        return try MiuraCommand(.selectFile, mode, data: Array(name.utf8))
    }

    /// Reads from the selected file.
    /// - Parameters:
    ///   - offset: the position of the first byte, up to 7F FFFF.
    ///   - count: the number of bytes, up to 252.
    /// - Returns: the command.
    /// - Throws: ``FrameFault`` (`field`) for other values.
    package static func read(from offset: Int, count: Int) throws(FrameFault) -> MiuraCommand {
        guard (0...0x7F_FFFF).contains(offset), (1...252).contains(count) else {
            throw FrameFault(.field, at: 5, "\(count) bytes from \(offset): 1 to 252 from 0 to 8388607 can be read")
        }
        let awaited = UInt8(count)
        guard offset > 0x7FFF else {
            return try MiuraCommand(.readBinary, UInt8(offset >> 8), UInt8(offset & 0xFF), awaited: awaited)
        }
        return try MiuraCommand(
            .readBinary, 0x80 | UInt8(offset >> 16), UInt8(offset >> 8 & 0xFF), data: [UInt8(offset & 0xFF)],
            awaited: awaited)
    }

    /// Continues a payment with a response code.
    /// - Parameters:
    ///   - code: the issuer's answer (8A), two characters: `00` accepts, `Z1` declines because the issuer could not be
    ///     reached.
    ///   - objects: data objects of the issuer's answer, such as 91, 71 and 72.
    /// - Returns: the command.
    /// - Throws: ``FrameFault`` (`length`, or `field` for another code).
    package static func continueTransaction(code: String, objects: [UInt8] = []) throws(FrameFault) -> MiuraCommand {
        guard code.utf8.count == 2, code.utf8.allSatisfy(\.isPrinted) else {
            throw FrameFault(.field, at: 10, "an issuer's answer has two characters")
        }
        let answer = TagLengthValueBuilder.encode(MiuraTag.authorisationResponse, Array(code.utf8)) + objects
        return try MiuraCommand(
            .continueTransaction, data: TagLengthValueBuilder.encode(MiuraTag.commandData, answer))
    }
}

/// Class and instruction of a command to a Miura reader.
///
/// Source: Miura's SDKs in public repositories.
package struct MiuraInstruction: NamedNumber {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let selectFile = MiuraInstruction(rawValue: 0x00A4)
    package static let readBinary = MiuraInstruction(rawValue: 0x00B0)
    package static let streamBinary = MiuraInstruction(rawValue: 0x00D7)
    package static let updateBinary = MiuraInstruction(rawValue: 0x00D6)
    package static let reset = MiuraInstruction(rawValue: 0xD000)
    package static let configuration = MiuraInstruction(rawValue: 0xD001)
    /// Get device information: a list of the reader's capabilities.
    package static let deviceInformation = MiuraInstruction(rawValue: 0xD002)
    package static let systemClock = MiuraInstruction(rawValue: 0xD010)
    package static let cardStatus = MiuraInstruction(rawValue: 0xD060)
    package static let keyboardStatus = MiuraInstruction(rawValue: 0xD061)
    package static let batteryStatus = MiuraInstruction(rawValue: 0xD062)
    package static let peripherals = MiuraInstruction(rawValue: 0xD0A0)
    package static let cashDrawer = MiuraInstruction(rawValue: 0xD0D0)
    package static let barCodeReader = MiuraInstruction(rawValue: 0xD0D1)
    package static let abort = MiuraInstruction(rawValue: 0xD0FF)
    package static let displayText = MiuraInstruction(rawValue: 0xD201)
    package static let spoolText = MiuraInstruction(rawValue: 0xD2A3)
    package static let encryptionStatus = MiuraInstruction(rawValue: 0xEEE0)
    package static let startTransaction = MiuraInstruction(rawValue: 0xDED1)
    package static let continueTransaction = MiuraInstruction(rawValue: 0xDED2)
    package static let startContactless = MiuraInstruction(rawValue: 0xDEC1)
    package static let onlinePIN = MiuraInstruction(rawValue: 0xDED6)

    package static let names: [UInt16: String] = [
        0x00A4: "select file", 0x00A5: "delete file", 0x00A6: "list files", 0x00B0: "read binary",
        0x00D6: "update binary", 0x00D7: "stream binary", 0xD000: "reset", 0xD001: "get configuration",
        0xD002: "get device information", 0xD010: "system clock", 0xD060: "card status", 0xD061: "keyboard status",
        0xD062: "battery status", 0xD063: "printer status", 0xD065: "USB status", 0xD0A0: "peripherals",
        0xD0BC: "Bluetooth control", 0xD0C0: "USB disconnect", 0xD0D0: "cash drawer", 0xD0D1: "bar code reader",
        0xD0E1: "system log", 0xD0FF: "abort", 0xD201: "display text", 0xD204: "numeric entry", 0xD205: "tip entry",
        0xD206: "menu", 0xD230: "buzzer", 0xD25A: "secure PAN", 0xD2A3: "spool text", 0xD2A4: "ESC/POS print",
        0xD2D2: "display image", 0xD2E0: "secure data", 0xDE01: "EMV configuration hash",
        0xDE02: "next sequence counter", 0xDEC1: "start contactless", 0xDEC2: "contactless configuration hash",
        0xDED1: "start transaction", 0xDED2: "continue transaction", 0xDED6: "online PIN", 0xEEE0: "P2PE status",
        0xEEE1: "P2PE initialise", 0xEEE2: "P2PE import",
        0xEEE3: "encrypted data", 0xEEE4: "verify MAC", 0xEEE5: "KSN for MAC", 0xEEE6: "MAC configuration",
    ]
}

/// A transfer of bytes into a file of a Miura reader: a command that announces them, then the bytes without frames. The
/// reader answers once, after the last byte.
///
/// Source: sources of Miura's SDK for Android, in public repositories.
package struct MiuraStream: Sendable, Hashable {
    /// The command that announces the bytes.
    package let command: MiuraCommand
    /// The number of bytes that follow the command.
    package let size: Int

    /// The greatest offset and size, which have three bytes each.
    private static let greatest = 0xFF_FFFF

    /// - Parameters:
    ///   - offset: the position in the selected file, up to 16,777,215.
    ///   - size: the number of bytes, 1 to 16,777,215.
    ///   - timeout: seconds for which the reader waits for the bytes, 0 to 255.
    ///   - isSummed: whether the answer has the MD5 of the file (``sum(in:)``).
    /// - Throws: ``FrameFault`` (`field`) for other values.
    package init(offset: Int = 0, size: Int, timeout: Int = 60, isSummed: Bool = true) throws(FrameFault) {
        guard (0...Self.greatest).contains(offset), (1...Self.greatest).contains(size), (0...255).contains(timeout)
        else {
            throw FrameFault(.field, at: 10, "\(size) bytes at \(offset) within \(timeout) s are not a valid transfer")
        }
        let objects =
            TagLengthValueBuilder.encode(MiuraTag.streamOffset, Self.bytes(offset))
            + TagLengthValueBuilder.encode(MiuraTag.streamSize, Self.bytes(size))
            + TagLengthValueBuilder.encode(MiuraTag.streamTimeout, [UInt8(timeout)])
        command = try MiuraCommand(
            .streamBinary, isSummed ? 1 : 0, data: TagLengthValueBuilder.encode(MiuraTag.commandData, objects))
        self.size = size
    }

    /// Returns the MD5 of the file from the reader's answer.
    /// - Parameter answer: the whole answer, without frames and with its status.
    /// - Returns: 16 bytes; nil if the answer has none, or the reader refused.
    package static func sum(in answer: Span<UInt8>) -> [UInt8]? {
        guard answer.count > 2, answer[answer.count - 2] == 0x90, answer[answer.count - 1] == 0 else { return nil }
        let body = answer.extracting(first: answer.count - 2)
        let object = TagLengthValue.read(body)?.first { $0.tag == MiuraTag.fileSum && $0.value.count == 16 }
        return object.map { object in object.value.map { body[$0] } }
    }

    private static func bytes(_ number: Int) -> [UInt8] { [16, 8, 0].map { UInt8(number >> $0 & 0xFF) } }
}
