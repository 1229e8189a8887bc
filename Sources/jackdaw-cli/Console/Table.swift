/// Columns of text, as wide as their widest cell.
struct Table {
    /// A column: its heading, and which side its cells keep to.
    struct Column {
        let heading: String
        let isNumber: Bool

        static func text(_ heading: String) -> Column { Column(heading: heading, isNumber: false) }
        static func number(_ heading: String) -> Column { Column(heading: heading, isNumber: true) }
    }

    let columns: [Column]
    private(set) var rows: [[String]] = []

    init(_ columns: Column...) { self.columns = columns }

    /// Adds a row of as many cells as there are columns.
    mutating func add(_ cells: String...) { rows.append(cells) }

    /// The headings and the rows.
    var lines: [String] {
        let headings = columns.map(\.heading)
        let widths = columns.indices.map { column in
            ([headings] + rows).map { $0[column].count }.max() ?? 0
        }
        return ([headings] + rows).map { cells in
            let padded = columns.indices.map {
                cells[$0].padded(to: widths[$0], alignedRight: columns[$0].isNumber)
            }
            return padded.joined(separator: "  ").trimmingBlanksAtEnd
        }
    }
}
