public import Foundation

/// An object that has a view, for programs that were written for UIKit. The view is made when it is first used.
@MainActor
open class UIViewController {
    /// The title, which makes no difference.
    open var title: String?
    /// Whether the user is editing.
    open var isEditing = false
    /// The contents of a bar, which make no difference.
    public let navigationItem = UINavigationItem()
    /// A button that would begin and end editing.
    public let editButtonItem = UIBarButtonItem()
    private var loadedView: InteractionView?

    /// Makes a controller. There are no archives of views, so its view is empty.
    public init(nibName: String?, bundle: Bundle?) {}

    /// Makes a controller. Nothing is decoded.
    public required init?(coder: NSCoder) {}

    /// Makes a controller with an empty view.
    public convenience init() {
        self.init(nibName: nil, bundle: nil)
    }

    /// The controller's view. The first use makes it, and calls ``viewDidLoad()``.
    open var view: InteractionView! {
        get {
            loadViewIfNeeded()
            return loadedView
        }
        set { loadedView = newValue }
    }

    /// Whether the view was made.
    public var isViewLoaded: Bool { loadedView != nil }

    /// Makes the view if it was not made before.
    public func loadViewIfNeeded() {
        guard loadedView == nil else { return }
        loadView()
        viewDidLoad()
    }

    /// Sets ``view`` to a new view.
    open func loadView() {
        loadedView = InteractionView()
    }

    /// Called after the view was made. Does nothing.
    open func viewDidLoad() {}
    /// Does nothing, and is not called, because there is no screen.
    open func viewWillAppear(_ animated: Bool) {}
    /// Does nothing, and is not called.
    open func viewDidAppear(_ animated: Bool) {}
    /// Does nothing, and is not called.
    open func viewWillDisappear(_ animated: Bool) {}
    /// Does nothing, and is not called.
    open func viewDidDisappear(_ animated: Bool) {}
    /// Does nothing, and is not called.
    open func viewDidLayoutSubviews() {}

    /// Begins or ends editing.
    open func setEditing(_ editing: Bool, animated: Bool) {
        isEditing = editing
    }
}
