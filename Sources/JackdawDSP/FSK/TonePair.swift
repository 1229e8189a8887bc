/// Something of the space and of the mark, in place: no array of two that would have to be allocated.
struct TonePair<Element> {
    var space: Element
    var mark: Element

    init(space: Element, mark: Element) {
        self.space = space
        self.mark = mark
    }

    /// The same of both.
    init(_ both: Element) {
        space = both
        mark = both
    }

    /// By the bit that the tone stands for: 0 is space, 1 is mark.
    @inline(__always)
    subscript(tone: Int) -> Element {
        _read {
            if tone == 0 { yield space } else { yield mark }
        }
        _modify {
            if tone == 0 { yield &space } else { yield &mark }
        }
    }
}

extension TonePair: Sendable where Element: Sendable {}
