#if Payments
internal import CCurl
import JackdawPayments

/// A transfer of libcurl with its own connections: an easy handle and a multi handle, for one thread at a time.
/// Unchecked, because the handles are pointers: an exchange owns its handle, and other threads only `wake` it, which
/// libcurl allows.
@safe final class CurlHandle: @unchecked Sendable {
    private let easy: UnsafeMutableRawPointer
    private let multi: UnsafeMutableRawPointer
    /// The headers of the request; libcurl does not copy the list.
    private var list: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>
    private var isAdded = false

    private static let isReady = jackdaw_curl_initialize() == CURLE_OK

    /// - Throws: `HTTPFailure` with `system` if libcurl has no memory.
    init() throws(HTTPFailure) {
        guard Self.isReady, let easy = unsafe curl_easy_init() else { throw Self.noMemory }
        guard let multi = unsafe curl_multi_init() else {
            unsafe curl_easy_cleanup(easy)
            throw Self.noMemory
        }
        unsafe self.easy = unsafe easy
        unsafe self.multi = unsafe multi
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        reset()
        unsafe curl_easy_cleanup(easy)
        unsafe curl_multi_cleanup(multi)
        unsafe errorText.deallocate()
    }

    private static var noMemory: HTTPFailure {
        HTTPFailure(.system, isCertainlyNotSent: true, message: "The HTTP library cannot be started: it has no memory.")
    }

    /// Ends the transfer, and removes all settings. Open connections stay.
    func reset() {
        if isAdded { unsafe curl_multi_remove_handle(multi, easy) }
        isAdded = false
        unsafe curl_easy_reset(easy)
        unsafe curl_slist_free_all(list)
        unsafe list = nil
        unsafe errorText[0] = 0
        _ = unsafe jackdaw_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    }

    func set(_ option: CURLoption, _ value: Int) throws(HTTPFailure) {
        try check(unsafe jackdaw_curl_set_number(easy, option, value))
    }

    func set(_ option: CURLoption, size: Int) throws(HTTPFailure) {
        try check(unsafe jackdaw_curl_set_size(easy, option, curl_off_t(size)))
    }

    /// Sets a text, which libcurl copies; nil for none instead of libcurl's default.
    func set(_ option: CURLoption, _ text: String?) throws(HTTPFailure) {
        try check(unsafe jackdaw_curl_set_text(easy, option, text))
    }

    /// Sets the headers, which libcurl copies into memory that it overwrites.
    func setHeaders(of request: HTTPRequest) throws(HTTPFailure) {
        try request.forEachHeaderLine { (line) throws(HTTPFailure) in
            let longer = unsafe line.withUnsafeBytes { line in
                unsafe line.withMemoryRebound(to: CChar.self) { unsafe curl_slist_append(list, $0.baseAddress) }
            }
            guard let longer = unsafe longer else { throw Self.noMemory }
            unsafe list = unsafe longer
        }
        try check(unsafe jackdaw_curl_set_list(easy, CURLOPT_HTTPHEADER, list))
    }

    /// Sets the body of the request, which libcurl does not copy: the bytes must stay until ``reset()``.
    func set(body: UnsafeBufferPointer<UInt8>) throws(HTTPFailure) {
        try set(CURLOPT_POST, 1)
        try set(CURLOPT_POSTFIELDSIZE_LARGE, size: body.count)
        // With a null pointer libcurl would ask for the bytes by a function.
        let start = unsafe UnsafeMutableRawPointer(mutating: body.baseAddress.map { unsafe UnsafeRawPointer($0) })
        let place = unsafe start ?? UnsafeMutableRawPointer(errorText)
        try check(unsafe jackdaw_curl_set_pointer(easy, CURLOPT_POSTFIELDS, place))
    }

    /// Sets the object that receives the answer; it must stay until ``reset()``.
    func set(receiver: TransferReceiver) throws(HTTPFailure) {
        let context = unsafe Unmanaged.passUnretained(receiver).toOpaque()
        try check(
            unsafe jackdaw_curl_set_receiver(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                unsafe CurlHandle.pass(bytes, size * count, to: context) { $0.receive(line: $1) }
            })
        try check(
            unsafe jackdaw_curl_set_receiver(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
                unsafe CurlHandle.pass(bytes, size * count, to: context) { $0.receive(body: $1) }
            })
        try check(
            unsafe jackdaw_curl_set_gate(easy) { context, _, _, _, _ in
                unsafe CurlHandle.receiver(context).mayBeginSending() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            })
        for option in [CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_PREREQDATA] {
            try check(unsafe jackdaw_curl_set_pointer(easy, option, context))
        }
    }

    /// Passes bytes to the receiver.
    /// - Returns: their number, or another number to end the transfer.
    private static func pass(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, to context: UnsafeMutableRawPointer?,
        _ receive: (TransferReceiver, Span<UInt8>) -> Bool
    ) -> Int {
        let receiver = unsafe receiver(context)
        let bytes = unsafe UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count)
        return unsafe receive(receiver, Span(_unsafeBytes: bytes)) ? count : count + 1
    }

    private static func receiver(_ context: UnsafeMutableRawPointer?) -> TransferReceiver {
        guard let context = unsafe context else { preconditionFailure("a transfer without its receiver") }
        return unsafe Unmanaged<TransferReceiver>.fromOpaque(context).takeUnretainedValue()
    }

    private func check(_ code: CURLcode) throws(HTTPFailure) {
        guard code == CURLE_OK else {
            throw HTTPFailure(
                .system, isCertainlyNotSent: true,
                message: "The HTTP library refuses a setting: \(Self.words(of: code)).")
        }
    }

    /// Runs the transfer to its end, on this thread.
    /// - Parameter isCancelled: asked after each step; ``wake()`` makes a step.
    /// - Returns: the result; nil if the transfer was cancelled.
    func run(isCancelled: () -> Bool) -> CURLcode? {
        guard unsafe curl_multi_add_handle(multi, easy) == CURLM_OK else { return CURLE_OUT_OF_MEMORY }
        isAdded = true
        var running: Int32 = 1
        while true {
            guard !isCancelled() else { return nil }
            guard unsafe curl_multi_perform(multi, &running) == CURLM_OK else { return CURLE_OUT_OF_MEMORY }
            let result = unsafe jackdaw_curl_result(multi)
            guard result == CURL_LAST else { return result }
            guard running > 0, unsafe curl_multi_poll(multi, nil, 0, 60_000, nil) == CURLM_OK else {
                return CURLE_OUT_OF_MEMORY
            }
        }
    }

    /// Ends the wait of ``run(isCancelled:)``. Any thread may call it while it keeps the handle.
    func wake() { unsafe curl_multi_wakeup(multi) }

    /// The status code of the answer; 0 without one.
    var status: Int {
        var status = 0
        _ = unsafe jackdaw_curl_get_number(easy, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    /// The library's text of a failure. It may have names of hosts, and parts of an answer.
    var failureText: String { unsafe String(cString: errorText) }

    /// The library's fixed text of a code.
    static func words(of code: CURLcode) -> String { unsafe String(cString: curl_easy_strerror(code)) }
}

#endif
