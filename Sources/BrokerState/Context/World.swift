/// The state outside their own that loads and drag sessions use: the services of all parts, and the contents.
///
/// The dispatcher owns it. It is one value, so that a method has one argument for everything that it may change besides
/// its part. A part that does not need the contents gets the ``BrokerContext`` alone.
package struct World: ~Copyable, Sendable {
    package internal(set) var context: BrokerContext
    var contents: ContentStore

    init(limits: BrokerLimits, epoch: UInt64) {
        context = BrokerContext(limits: limits, epoch: epoch)
        contents = ContentStore(epoch: epoch)
    }
}
