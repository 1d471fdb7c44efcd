import BrokerLoop
import Glibc

@main
enum Main {
    static func main() {
        exit(BrokerDaemon.run(arguments: Array(CommandLine.arguments.dropFirst())))
    }
}
