/// The options of a simulated till: what it meets, and how much of it.
package struct SoakOptions: Sendable, Hashable {
    /// The range of sales a day.
    package var sales = 10...45
    /// The greatest number of faults a day; each seed has a number of its own below it.
    package var maxFaults = 60
    /// The time after the last day in which nothing goes wrong and no sale begins.
    package var settling = Duration.seconds(2 * 86_400)
    /// The end of the run; nil for that of the settling time. An early end leaves attempts in doubt.
    package var limit: Duration?
    /// The sales that take place, by their numbers; nil for all.
    package var keptSales: Set<Int>?
    /// The faults that happen, by their numbers; nil for all.
    package var keptFaults: Set<Int>?
    /// Whether some sales are paid in cash. The other sales of a seed, and its faults, stay as they are. Default: false.
    package var paysCash = false
    /// Whether the result has the text of the history.
    package var keepsHistory = false

    /// The options with their defaults.
    package init() {}
}
