// Handles in cells: who owns a value, who uses it, what it keeps alive, and what ends with it. With many threads: tests/behaviour/cells.
#include "checks.hpp"
#include "wg/errors/support.hpp"
#include "wg/ownership/dependents.hpp"

namespace {

/// The names of released values, in order.
std::string released;

/// A library's object, which a handle owns.
struct Named {
    std::string name;
};

struct Document {
    Named *inner;
};
struct Node {
    Named *inner;
};

void drop_document(Document &document) {
    released += document.inner->name;
    delete document.inner;
}
void drop_node(Node &node) {
    released += node.inner->name;
    delete node.inner;
}

}  // namespace

template <>
struct wg::LentBy<Node> {
    using type = Document;
};

namespace {

struct DocumentCell final : wg::ValueCell<DocumentCell, Document, drop_document> {
    using ValueCell::ValueCell;
};
struct NodeCell final : wg::ValueCell<NodeCell, Node, drop_node> {
    using ValueCell::ValueCell;
};

}  // namespace

template <>
struct wg::CellOf<Document> {
    using type = DocumentCell;
};
template <>
struct wg::CellOf<Node> {
    using type = NodeCell;
};
template <>
inline constexpr bool wg::knows_lent<Document> = true;
template <>
inline constexpr const char *wg::still_needed<Node> = "a Node is still needed";

namespace {

DocumentCell *document(const char *name) {
    return wg::cell_for<DocumentCell>([name] { return Document{new Named{name}}; });
}
NodeCell *node(const char *name, const wg::Owners &owners) {
    return wg::keep_alive(wg::cell_for<NodeCell>([name] { return Node{new Named{name}}; }), owners);
}

std::string forget() { return std::exchange(released, std::string()); }

void a_value_is_released_once() {
    DocumentCell *cell = document("a");
    CHECK((*wg::Pin(cell, "x")).inner->name == "a");
    wg::close_now(cell);
    CHECK(forget() == "a");
    wg::close_now(cell);
    CHECK(wg::is_closed(cell) && forget().empty());
    CHECK(thrown_by([cell] { wg::Pin(cell, "x", "Document"); }) == "x: this Document is closed");
    wg::drop(cell);
    CHECK(forget().empty());
    CHECK(thrown_by([] { wg::Pin(static_cast<DocumentCell *>(nullptr), "x"); }) == "x: this handle is closed");
}

void closing_waits_for_the_calls_that_run() {
    DocumentCell *cell = document("a");
    {
        const wg::Pin pin(cell, "x");
        wg::close_now(cell);
        CHECK((*pin).inner->name == "a" && forget().empty());
        CHECK(!thrown_by([cell] { wg::Pin(cell, "y"); }).empty());
    }
    CHECK(forget() == "a");
    wg::drop(cell);
}

void a_handle_is_given_as_often_as_it_is_dropped() {
    DocumentCell *cell = document("a");
    CHECK(wg::give_again(cell));
    wg::drop(cell);
    CHECK(forget().empty() && !wg::is_closed(cell));
    wg::drop(cell);
    CHECK(forget() == "a");
}

void a_call_takes_what_nobody_else_uses() {
    DocumentCell *cell = document("a");
    {
        const wg::Pin pin(cell, "x");
        CHECK(thrown_by([cell] { wg::Take(cell, "y"); }) == "y: this handle is in use, or kept alive for another one");
    }
    { wg::Take given_back(cell, "x"); }
    CHECK(!wg::is_closed(cell) && forget().empty());
    {
        wg::Take taken(cell, "x");
        delete taken.consume().inner;  // as the library does at some time
        CHECK(thrown_by([cell] { wg::Take(cell, "y"); }) == "y: this handle is closed");
    }
    CHECK(wg::is_taken(cell) && wg::is_closed(cell));
    CHECK(!thrown_by([cell] { wg::Pin(cell, "x"); }).empty());
    wg::drop(cell);
    CHECK(forget().empty());  // it was the library's
}

void what_is_kept_alive_is_released_last() {
    DocumentCell *owner = document("o");
    NodeCell *one = node("1", wg::Owners().add(wg::held(owner)));
    NodeCell *two = node("2", wg::Owners().add(wg::held(one)));
    wg::close_now(owner);
    wg::close_now(one);
    CHECK(forget().empty() && wg::is_closed(owner));
    CHECK(!thrown_by([owner] { wg::Take(owner, "x"); }).empty());
    wg::drop(one);
    wg::drop(owner);
    CHECK(forget().empty());
    wg::drop(two);
    CHECK(forget() == "21o");
}

void a_call_that_fails_releases_what_it_made() {
    DocumentCell *owner = document("o");
    CHECK(thrown_by([owner] {
              const std::unique_ptr<NodeCell, wg::Release> made(node("1", wg::Owners().add(wg::held(owner))));
              throw std::runtime_error("failed");
          }) == "failed");
    CHECK(forget() == "1");
    wg::drop(owner);
    CHECK(forget() == "o");
}

void what_an_object_lends_ends_by_a_call() {
    DocumentCell *owner = document("o");
    NodeCell *lent = node("1", wg::Owners().lend(wg::held(owner)));
    NodeCell *of_it = node("2", wg::Owners().lend(wg::held(lent)));
    CHECK(wg::owner_cell(lent) == owner && wg::owner_cell(owner) == nullptr);
    {
        const wg::Pin used(of_it, "x");
        CHECK(thrown_by([owner] { wg::end_lent(wg::held(owner), wg::Held(), wg::Owners(), wg::AnyLoan()); }) == "a Node is still needed");
    }
    CHECK(!wg::is_closed(lent) && !wg::is_closed(of_it));
    wg::end_lent(wg::held(owner), wg::Held(), wg::Owners(), wg::AnyLoan());
    CHECK(wg::is_closed(lent) && wg::is_closed(of_it) && !wg::is_closed(owner));
    CHECK(forget().size() == 2);  // in either order: the owner is what lends both
    wg::drop(of_it);
    wg::drop(lent);
    wg::drop(owner);
    CHECK(forget() == "o");
}

void only_what_an_entry_lends_ends() {
    DocumentCell *owner = document("o");
    NodeCell *row = node("r", wg::Owners().lend(wg::held(owner)).borrow(wg::held(owner), 9));
    NodeCell *other = node("n", wg::Owners().lend(wg::held(owner)));
    wg::end_lent(wg::held(owner), wg::Held(), wg::Owners(), wg::LoansOf<9>());
    CHECK(wg::is_closed(row) && !wg::is_closed(other));
    wg::drop(row);
    wg::drop(other);
    wg::drop(owner);
}

}  // namespace

int main() {
    a_value_is_released_once();
    closing_waits_for_the_calls_that_run();
    a_handle_is_given_as_often_as_it_is_dropped();
    a_call_takes_what_nobody_else_uses();
    what_is_kept_alive_is_released_last();
    a_call_that_fails_releases_what_it_made();
    what_an_object_lends_ends_by_a_call();
    only_what_an_entry_lends_ends();
    return failed;
}
