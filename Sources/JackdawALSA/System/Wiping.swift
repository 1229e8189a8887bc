import Glibc

/// Zeroes memory in a way that the compiler does not take for superfluous. The corresponding C function is
/// `explicit_bzero`.
func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    if let base = bytes.baseAddress { unsafe explicit_bzero(base, bytes.count) }
}
