internal import CALSA

/// What libasound would print on the standard error of whatever program uses it: nothing.
///
/// Its calls return what went wrong, and that is told in this module's own words. Everything that calls the library does
/// ``silence()`` first.
enum LibraryMessages {
    private static let silenced: Void = jackdaw_silence_library()

    /// Keeps the library from printing, from the first call on; a handler that the program has set itself stays.
    static func silence() { silenced }
}
