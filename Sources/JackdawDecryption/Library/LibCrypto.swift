import COpenSSL

/// What every call of libcrypto has in common.
enum LibCrypto {
    /// The most bytes that one call takes: its lengths are 32 bits.
    static let greatestSize = 1 << 30

    /// Checks a result, 1 where a call did its work.
    static func check(_ result: Int32, _ doing: String) throws(DecryptionError) {
        guard result == 1 else { throw failure(doing) }
    }

    /// The error of the call before, and an empty queue of errors for the next.
    static func failure(_ doing: String) -> DecryptionError {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        guard code != 0 else { return DecryptionError(.library, "libcrypto failed: \(doing)") }
        var text = [CChar](repeating: 0, count: 256)
        unsafe text.withUnsafeMutableBufferPointer { unsafe ERR_error_string_n(code, $0.baseAddress, $0.count) }
        let words = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return DecryptionError(.library, "libcrypto failed: \(doing)", underlying: words)
    }
}
