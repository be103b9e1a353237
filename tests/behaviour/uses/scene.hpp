// A library with objects, and no functions that work with them.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace scene {

enum class Color { red = 1, green = 2, blue = 4 };

struct Point {
    double x;
    double y;
};
struct Box {
    Point corner;
    Color color;
};

/// How many objects there are: shapes, documents, nodes and files.
int &count(int kind);

template <int kind>
struct Counted {
    Counted() { ++count(kind); }
    Counted(const Counted &) { ++count(kind); }
    Counted &operator=(const Counted &) = default;
    ~Counted() { --count(kind); }
};

struct Shape : Counted<0> {
    explicit Shape(double of) : side(of) {}
    double side;
};

/// A page of a document, which owns it.
struct Document;
struct Page {
    Document *document;
    int number;
};
struct Document : Counted<1> {
    explicit Document(int count) {
        for (int i = 0; i < count; ++i) pages.push_back(std::make_unique<Page>(Page{this, i}));
    }
    Page *page(std::size_t number) const { return pages.at(number).get(); }
    void clear() { pages.clear(); }
    std::vector<std::unique_ptr<Page>> pages;
};

struct Node : Counted<2> {
    virtual ~Node() = default;
    virtual std::string kind() const { return "node"; }
};
struct Leaf : Node {
    std::string kind() const override { return "leaf"; }
};

/// A file that nobody but its owner knows; `shut` releases it.
struct File : Counted<3> {};
File *open_file();
void shut(File *file);

/// One object stands for each of these.
struct Window {
    int number;
};
Window *window(int number);

/// A copy of it would need the type of its parts, which only the library has.
struct Part;
class Engine {
public:
    Engine();
    ~Engine();
    int parts() const;

private:
    std::vector<Part> all_;
};

}  // namespace scene
