import TestSupport
import Testing

@testable import PasteboardKit

@Suite(.inProcess)
struct EventQueueTests {
    @Test("Events are read in the order in which they were appended, and the end is read after them")
    func order() async {
        let queue = EventQueue<Int>()
        for number in 0..<5 { #expect(queue.append(number)) }
        queue.finish()
        #expect(!queue.append(5))
        for number in 0..<5 { #expect(await queue.next() == number) }
        #expect(await queue.next() == nil)
        #expect(await queue.next() == nil)
    }

    @Test("Finishing with discarding drops unread events")
    func discarding() async {
        let queue = EventQueue<Int>()
        queue.append(1)
        queue.finish(discarding: true)
        #expect(await queue.next() == nil)
    }

    @Test("A waiting reader resumes after a wake-up if there is an event")
    func wake() async {
        let queue = EventQueue<Int>()
        let read = Task { await [queue.next(), queue.next(), queue.next()] }
        // A wake-up without an event does not end a read.
        queue.wake()
        for number in 0..<2 {
            queue.append(number)
            queue.wake()
        }
        queue.finish()
        #expect(await read.value == [0, 1, nil])
    }

    @Test("A cancelled reader reads no event and leaves the events to the next reader")
    func cancelled() async {
        let (queue, gate) = (EventQueue<Int>(), Gate())
        let read = Task {
            await gate.wait()
            return await queue.next()
        }
        queue.append(1)
        read.cancel()
        gate.open()
        #expect(await read.value == nil)
        #expect(await queue.next() == 1)
    }

    @Test("A reader that is cancelled while it waits returns")
    func cancelledLater() async {
        let queue = EventQueue<Int>()
        let read = Task { await queue.next() }
        read.cancel()
        #expect(await read.value == nil)
    }

    @Test("No event is lost when several tasks append")
    func writers() async {
        let queue = EventQueue<Int>()
        let read = Task {
            var sum = 0
            while let number = await queue.next() { sum += number }
            return sum
        }
        await withDiscardingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for number in 1...100 {
                        queue.append(number)
                        queue.wake()
                    }
                }
            }
        }
        queue.finish()
        #expect(await read.value == 8 * 5_050)
    }
}
