internal import CPCSC
import JackdawTransport

/// The calls of libpcsclite itself.
struct LibraryCalls: PCSCCalls {
    func establish() throws(PCSCFailure) -> ServiceContext {
        var context = 0
        try check(unsafe SCardEstablishContext(SCARD_SCOPE_SYSTEM, nil, nil, &context))
        return ServiceContext(rawValue: context)
    }

    func release(_ context: ServiceContext) { _ = SCardReleaseContext(context.rawValue) }

    func readerNames(_ context: ServiceContext) throws(PCSCFailure) -> [String] {
        var count = UInt(0)
        var names: [CChar] = []
        do throws(PCSCFailure) {
            try check(unsafe SCardListReaders(context.rawValue, nil, nil, &count))
            names = Array(repeating: 0, count: Int(count))
            try check(unsafe SCardListReaders(context.rawValue, nil, &names, &count))
        } catch {
            if error == .noReaders { return [] }
            throw error
        }
        // Names end with a zero, the list with an empty name.
        return names.prefix(Int(count)).split(separator: 0).map { name in
            FileName.text(of: name.map { UInt8(bitPattern: $0) })
        }
    }

    func waitForChange(
        _ context: ServiceContext, _ readers: inout [ReaderStatus], milliseconds: UInt32
    ) throws(PCSCFailure) {
        // The library reads the names during the call only.
        let names = readers.map { FileName.characters(of: $0.name) }
        var states = unsafe [SCARD_READERSTATE](repeating: SCARD_READERSTATE(), count: readers.count)
        let pointers = unsafe names.map { name in
            let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: name.count)
            unsafe pointer.initialize(from: name, count: name.count)
            return unsafe pointer
        }
        defer { unsafe pointers.forEach { unsafe $0.deallocate() } }
        for index in readers.indices {
            unsafe states[index].szReader = unsafe UnsafePointer(pointers[index])
            unsafe states[index].dwCurrentState = UInt(readers[index].state)
        }
        try check(
            unsafe SCardGetStatusChange(context.rawValue, UInt(milliseconds), &states, UInt(states.count)))
        for index in readers.indices {
            readers[index].state = UInt32(truncatingIfNeeded: unsafe states[index].dwEventState)
            let count = unsafe min(Int(states[index].cbAtr), Int(SCARD_ATR_SIZE))
            readers[index].answerToReset = unsafe withUnsafeBytes(of: states[index].rgbAtr) { octets in
                unsafe Array(octets.prefix(count))
            }
        }
    }

    func cancel(_ context: ServiceContext) { _ = SCardCancel(context.rawValue) }

    func connect(_ context: ServiceContext, reader: String) throws(PCSCFailure) -> (CardHandle, CardProtocol) {
        var card = 0
        var active = UInt(0)
        try check(
            unsafe SCardConnect(
                context.rawValue, FileName.characters(of: reader), SCARD_SHARE_SHARED, Self.protocols, &card,
                &active))
        return (CardHandle(rawValue: card), Self.cardProtocol(active))
    }

    func reconnect(_ card: CardHandle, isReset: Bool) throws(PCSCFailure) -> CardProtocol {
        var active = UInt(0)
        try check(
            unsafe SCardReconnect(
                card.rawValue, SCARD_SHARE_SHARED, Self.protocols, isReset ? SCARD_RESET_CARD : SCARD_LEAVE_CARD,
                &active))
        return Self.cardProtocol(active)
    }

    func beginTransaction(_ card: CardHandle) throws(PCSCFailure) { try check(SCardBeginTransaction(card.rawValue)) }

    func endTransaction(_ card: CardHandle) throws(PCSCFailure) {
        try check(SCardEndTransaction(card.rawValue, SCARD_RESET_CARD))
    }

    func answerToReset(_ card: CardHandle) throws(PCSCFailure) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: Int(SCARD_ATR_SIZE))
        var count = UInt(octets.count)
        try check(unsafe SCardStatus(card.rawValue, nil, nil, nil, nil, &octets, &count))
        return Array(octets.prefix(Int(count)))
    }

    func transmit(
        _ card: CardHandle, _ cardProtocol: CardProtocol, _ command: Span<UInt8>
    ) throws(PCSCFailure) -> SecretPacket {
        let size = MemoryLayout<SCARD_IO_REQUEST>.size
        var header = SCARD_IO_REQUEST(dwProtocol: Self.number(cardProtocol), cbPciLength: UInt(size))
        return try SecretPacket(room: Self.roomForAnswer(to: command)) { answer throws(PCSCFailure) in
            var count = UInt(answer.count)
            let result = unsafe answer.withUnsafeMutableBufferPointer { room in
                unsafe command.withUnsafeBufferPointer { octets in
                    unsafe SCardTransmit(
                        card.rawValue, &header, octets.baseAddress, UInt(octets.count), nil, room.baseAddress, &count)
                }
            }
            try check(result)
            return Int(count)
        }
    }

    func disconnect(_ card: CardHandle, isReset: Bool) {
        _ = SCardDisconnect(card.rawValue, isReset ? SCARD_RESET_CARD : SCARD_LEAVE_CARD)
    }

    private static let protocols = SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1

    private static func cardProtocol(_ active: UInt) -> CardProtocol {
        active == SCARD_PROTOCOL_T0 ? .t0 : .t1
    }

    private static func number(_ cardProtocol: CardProtocol) -> UInt {
        switch cardProtocol {
        case .t0: SCARD_PROTOCOL_T0
        case .t1: SCARD_PROTOCOL_T1
        }
    }

    /// Octets of the greatest answer: 256 and the status word, or 65,536 if the command has extended lengths (ISO/IEC
    /// 7816-4 section 5.1).
    private static func roomForAnswer(to command: Span<UInt8>) -> Int {
        command.count > 5 && command[4] == 0 ? 65_538 : 258
    }

    private func check(_ result: Int) throws(PCSCFailure) {
        if result != 0 { throw PCSCFailure(code: UInt32(truncatingIfNeeded: result)) }
    }
}
