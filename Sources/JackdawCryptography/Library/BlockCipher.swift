import COpenSSL
import JackdawCards
import Synchronization

/// Triple DES and AES by libcrypto (`EVP_CipherInit_ex2`, `EVP_CipherUpdate`), without padding.
///
/// One context serves any number of keys: with a new one for each key, the derivation of keys, which encrypts a block
/// or two with each, would take most of its time for contexts. For the same reason a context for AES without chaining
/// is kept for the next use, with a key of zeros.
@safe
struct BlockCipher: ~Copyable {
    enum Direction: Int32 {
        case decrypt = 0
        case encrypt = 1
    }

    /// The block cipher mode of operation.
    enum Chaining: String {
        case ecb = "ECB"
        case cbc = "CBC"
    }

    /// Any key of AES has at most as many bytes.
    private static let zeros: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    private let context: OpaquePointer
    private let algorithm: KeyAlgorithm
    /// The cipher that keeps the context for its next use; nil if the context is freed.
    private let keeper: FetchedCipher?

    /// Creates a cipher that has no key yet. The caller uses it at once and on this thread, whose queue of errors is
    /// cleared here.
    /// - Throws: ``CryptographyError`` with code `algorithm` if the algorithm does not encrypt, `library`.
    init(_ direction: Direction, _ chaining: Chaining, _ algorithm: KeyAlgorithm) throws(CryptographyError) {
        guard algorithm.isCipher else {
            throw CryptographyError(.algorithm, "a key for \(algorithm) cannot encrypt")
        }
        LibCrypto.clearErrors()
        let fetched = FetchedCipher.of(algorithm, chaining)
        // The key schedule of triple DES takes longer than a new context.
        let keeper = direction == .encrypt && chaining == .ecb && algorithm.isAES ? fetched : nil
        if let kept = unsafe keeper?.takeContext() {
            unsafe context = kept
        } else {
            unsafe context = try Self.makeContext(fetched, direction, chaining, algorithm)
        }
        self.algorithm = algorithm
        self.keeper = keeper
    }

    /// Creates a context without a key, which the caller frees.
    private static func makeContext(
        _ fetched: FetchedCipher?, _ direction: Direction, _ chaining: Chaining, _ algorithm: KeyAlgorithm
    ) throws(CryptographyError) -> OpaquePointer {
        guard let cipher = unsafe fetched?.pointer(algorithm, chaining), let context = unsafe EVP_CIPHER_CTX_new()
        else { throw LibCrypto.failure("there is no \(chaining.rawValue) cipher for \(algorithm)") }
        guard unsafe EVP_CipherInit_ex2(context, cipher, nil, nil, direction.rawValue, nil) == 1 else {
            unsafe EVP_CIPHER_CTX_free(context)
            throw LibCrypto.failure("no context for \(algorithm)")
        }
        // Without this call decryption keeps the last block back; encryption pads only at the end,
        // which is never asked for.
        if direction == .decrypt { unsafe EVP_CIPHER_CTX_set_padding(context, 0) }
        return unsafe context
    }

    deinit {
        if let keeper, unsafe Self.wipe(context), unsafe keeper.keep(context) { return }
        // This call overwrites the key schedule.
        unsafe EVP_CIPHER_CTX_free(context)
    }

    /// Overwrites the key schedule of a context with that of a key of zeros; false if it fails.
    private static func wipe(_ context: OpaquePointer) -> Bool {
        unsafe withUnsafeBytes(of: zeros) { key in
            unsafe EVP_CipherInit_ex2(context, nil, key.baseAddress, nil, -1, nil) == 1
        }
    }

    /// Encrypts or decrypts whole blocks in place. The key and the blocks share one piece of secret memory.
    /// - Parameters:
    ///   - blocks: the place of the blocks; a multiple of the block size.
    ///   - memory: the memory.
    ///   - key: the place of the full key of the libcrypto cipher.
    /// - Throws: ``CryptographyError`` with code `library`.
    borrowing func run(
        _ blocks: Range<Int>, of memory: inout MutableSpan<UInt8>, key: Range<Int>
    ) throws(CryptographyError) {
        precondition(key.count == algorithm.size && key.upperBound <= memory.count && key.lowerBound >= 0)
        precondition(blocks.lowerBound >= 0 && blocks.upperBound <= memory.count)
        var count: Int32 = 0
        let isDone = unsafe memory.withUnsafeMutableBufferPointer { memory in
            guard let start = memory.baseAddress else { return false }
            let place = unsafe start + blocks.lowerBound
            return unsafe EVP_CipherInit_ex2(context, nil, start + key.lowerBound, nil, -1, nil) == 1
                && EVP_CipherUpdate(context, place, &count, place, Int32(blocks.count)) == 1
        }
        guard isDone, count == blocks.count else { throw LibCrypto.failure("\(algorithm) of \(blocks.count) bytes") }
    }

    /// Encrypts or decrypts whole blocks.
    /// - Parameters:
    ///   - direction: encryption or decryption.
    ///   - chaining: the mode of operation.
    ///   - input: a multiple of the block size.
    ///   - key: a key of the algorithm's size.
    ///   - algorithm: the algorithm of the cipher.
    ///   - vector: the initialisation vector, one block; its value is ignored without chaining.
    /// - Returns: the same number of bytes as the input.
    /// - Throws: ``CryptographyError`` with code `length`, `algorithm` or `library`.
    static func run(
        _ direction: Direction, _ chaining: Chaining, _ input: Span<UInt8>, key: Span<UInt8>, _ algorithm: KeyAlgorithm,
        vector: Span<UInt8>
    ) throws(CryptographyError) -> SecretBytes {
        let cipher = try BlockCipher(direction, chaining, algorithm)
        let block = algorithm.blockSize
        guard input.count.isMultiple(of: block), input.count <= LibCrypto.maxCallSize else {
            throw CryptographyError(.length, "\(input.count) bytes are not whole blocks of \(block)")
        }
        guard vector.count == block else {
            throw CryptographyError(
                .length, "an initialisation vector of \(vector.count) bytes; a block has \(block)")
        }
        return try SecretBytes(count: input.count) { (output) throws(CryptographyError) in
            guard input.count > 0 else { return }
            try cipher.transform(input, key, vector, into: &output)
        }
    }

    private borrowing func transform(
        _ input: Span<UInt8>, _ key: Span<UInt8>, _ vector: Span<UInt8>, into output: inout MutableSpan<UInt8>
    ) throws(CryptographyError) {
        precondition(key.count == algorithm.size)
        let isStarted = unsafe key.withUnsafeBufferPointer { key in
            unsafe vector.withUnsafeBufferPointer { vector in
                unsafe EVP_CipherInit_ex2(context, nil, key.baseAddress, vector.baseAddress, -1, nil)
            }
        }
        try LibCrypto.check(isStarted, "\(algorithm) rejects the key")
        var count: Int32 = 0
        let isDone = unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe input.withUnsafeBufferPointer { input in
                unsafe EVP_CipherUpdate(context, output.baseAddress, &count, input.baseAddress, Int32(input.count))
            }
        }
        try LibCrypto.check(isDone, "\(algorithm) of \(input.count) bytes")
        guard Int(count) == input.count else { throw LibCrypto.failure("\(algorithm) returned \(count) bytes") }
    }
}

/// A cipher of libcrypto, fetched once for the whole program: fetching takes longer than encrypting a block. A failure
/// is not kept: the next use fetches again.
@safe
final class FetchedCipher: Sendable {
    /// The address of the cipher; 0 until a fetch succeeds. Owned until the program ends; libcrypto's ciphers do not
    /// change, and any thread may use them.
    private let address = Atomic<UInt>(0)
    /// The address of a context of the cipher that waits for its next use, with no secret in it; 0 for none.
    private let context = Atomic<UInt>(0)

    /// Returns the cipher, and fetches it at the first use.
    /// - Parameter fetch: fetches it from libcrypto.
    /// - Returns: the cipher; nil if it cannot be fetched.
    func pointer(_ fetch: () -> OpaquePointer?) -> OpaquePointer? {
        if let known = unsafe OpaquePointer(bitPattern: address.load(ordering: .acquiring)) { return unsafe known }
        guard let fetched = unsafe fetch() else { return nil }
        let (isFirst, other) = address.compareExchange(
            expected: 0, desired: UInt(bitPattern: fetched), ordering: .acquiringAndReleasing)
        guard !isFirst else { return unsafe fetched }
        // Another thread has fetched it in the same moment.
        unsafe EVP_CIPHER_free(fetched)
        return unsafe OpaquePointer(bitPattern: other)
    }

    /// Takes the context that waits; nil if there is none. The caller frees it, or returns it with ``keep(_:)``.
    func takeContext() -> OpaquePointer? {
        unsafe OpaquePointer(bitPattern: context.exchange(0, ordering: .acquiring))
    }

    /// Keeps a context for the next use.
    /// - Parameter context: a context of this cipher without a secret.
    /// - Returns: false if another context waits: the caller frees this one.
    func keep(_ context: OpaquePointer) -> Bool {
        self.context.compareExchange(
            expected: 0, desired: UInt(bitPattern: context), ordering: .releasing
        ).exchanged
    }

    private static let tripleDES2 = (ecb: FetchedCipher(), cbc: FetchedCipher())
    private static let tripleDES3 = (ecb: FetchedCipher(), cbc: FetchedCipher())
    private static let aes128 = (ecb: FetchedCipher(), cbc: FetchedCipher())
    private static let aes192 = (ecb: FetchedCipher(), cbc: FetchedCipher())
    private static let aes256 = (ecb: FetchedCipher(), cbc: FetchedCipher())

    /// The cipher of an algorithm; nil if the algorithm does not encrypt.
    static func of(_ algorithm: KeyAlgorithm, _ chaining: BlockCipher.Chaining) -> FetchedCipher? {
        let isECB = chaining == .ecb
        return switch algorithm {
        case .tripleDES2: isECB ? tripleDES2.ecb : tripleDES2.cbc
        case .tripleDES3: isECB ? tripleDES3.ecb : tripleDES3.cbc
        case .aes128: isECB ? aes128.ecb : aes128.cbc
        case .aes192: isECB ? aes192.ecb : aes192.cbc
        case .aes256: isECB ? aes256.ecb : aes256.cbc
        case .hmac128, .hmac192, .hmac256: nil
        }
    }

    /// The cipher of an algorithm; nil if libcrypto has no such cipher.
    fileprivate func pointer(_ algorithm: KeyAlgorithm, _ chaining: BlockCipher.Chaining) -> OpaquePointer? {
        unsafe pointer {
            unsafe EVP_CIPHER_fetch(nil, "\(algorithm.cipherName ?? "")-\(chaining.rawValue)", nil)
        }
    }
}
