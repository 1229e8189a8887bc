import JackdawReaders
import JackdawTestSupport
import Testing

/// Frames of protocols that are not published, as a layout that is supplied has them.
@Suite struct LayoutFormatTests {
    /// Layouts that a reader may have; none of them is known to be one's.
    private static let layouts = [
        FrameLayout(
            start: [0x02], lengthSize: 2, counted: .content, check: .longitudinal, checked: .length, end: [0x03]),
        FrameLayout(start: [0xAA, 0x55], lengthSize: 1, counted: .everything, check: .crc16, checked: .start, end: []),
        FrameLayout(
            start: [0x01], lengthSize: 1, counted: .content, check: .sum, checked: .content, end: [0x0D, 0x0A]),
    ]

    @Test(arguments: layouts) func framesAreCutHoweverTheyCome(_ layout: FrameLayout) throws {
        let format = LayoutFormat(layout)
        let frames = [
            try format.frame([0x49, 0x01, 0xA0]), try format.frame([]),
            try format.frame((0..<200).map { UInt8($0) }),
        ]
        // A check that begins with the content does not show a damaged length.
        verify(format, frames: frames, garbage: [0, 0xFE, 0x7F], isChecked: layout.checked != .content)
    }

    @Test func framesAreMade() throws {
        #expect(try LayoutFormat(Self.layouts[0]).frame([0x49, 0x01]) == hex("02 0002 4901 4A 03"))
        #expect(try LayoutFormat(Self.layouts[2]).frame([0x49, 0x01]) == hex("01 02 4901 4A 0D0A"))
        let format = LayoutFormat(Self.layouts[1])
        // CRC-16/CCITT-FALSE of nine digits is published: 29B1.
        let other = FrameLayout(
            start: [0xAA], lengthSize: 1, counted: .content, check: .crc16, checked: .content, end: [])
        #expect(try LayoutFormat(other).frame(Array("123456789".utf8)).suffix(2) == [0x29, 0xB1])
        #expect(throws: Never.self) { try format.frame([UInt8](repeating: 0, count: 250)) }
        expectFault(.length, at: 2, "251", "250") {
            try format.frame([UInt8](repeating: 0, count: 251))
        }
    }

    @Test func framesWithoutACheckAreTakenOnlyAfterAnother() throws {
        let bare = FrameLayout(start: [0x02], lengthSize: 1, counted: .content, check: .none, checked: .start, end: [3])
        let format = LayoutFormat(bare)
        let frame = try format.frame([1, 9])
        #expect(cut(frame + frame, with: format, step: 3).frames == [frame, frame])
        #expect(cut([0] + frame, with: format, step: 3).frames.isEmpty)
        #expect(format.fields(of: frame).map(\.name) == ["start", "length", "content", "end"])
    }
}
