/// What a transcript keeps of the bytes.
public enum TranscriptSecrecy: Sendable {
    /// What a mask lets through.
    case masked(any TranscriptMask)
    /// All of them, card data in clear.
    case revealed

    /// What is kept unless something else is asked for: what ``CardDataMask`` lets through, which knows no protocol and may
    /// miss card data that looks like none.
    public static var usual: TranscriptSecrecy { .masked(CardDataMask()) }
}
