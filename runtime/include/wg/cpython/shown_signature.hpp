// Signatures of functions, read out of the texts that `inspect` reads, while the package compiles.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_CPYTHON_SHOWN_SIGNATURE_HPP
#define WG_CPYTHON_SHOWN_SIGNATURE_HPP

#include <array>
#include <cstddef>
#include <utility>

#include "wg/cpython/calls.hpp"

namespace wg::cpython {

/// Where an item of a signature ends: at the next comma, or the parenthesis, that is in no bracket and no str of a default.
constexpr std::size_t end_of_item(const char *text, std::size_t at) {
    int depth = 0;
    for (char quote = 0;; ++at) {
        const char here = text[at];
        if (quote != 0) {
            if (here == '\\') ++at;
            else if (here == quote) quote = 0;
        } else if (here == '\'' || here == '"') {
            quote = here;
        } else if (here == '(' || here == '[' || here == '{') {
            ++depth;
        } else if (depth == 0 && (here == ',' || here == ')')) {
            return at;
        } else if (here == ')' || here == ']' || here == '}') {
            --depth;
        }
    }
}

constexpr std::size_t start_of_items(const char *text) {
    std::size_t at = 0;
    while (text[at] != '(') ++at;
    return at + 1;
}

/// Whether an item is no parameter: the marks of those that are given by name only, and without one.
constexpr bool is_mark(const char *item) { return item[0] == '/' || (item[0] == '*' && item[1] == ','); }

/// How long a signature is, and how many parameters it has: what it is called on is one, or none.
struct SizeOfSignature {
    std::size_t characters = 0;
    std::size_t parameters = 0;

    constexpr SizeOfSignature(const char *text, bool takes_self) : characters(start_of_items(text)) {
        while (text[characters] != ')') {
            if (!is_mark(text + characters) && (text[characters] != '$' || takes_self)) ++parameters;
            characters = end_of_item(text, characters);
            if (text[characters] == ',') characters += 2;
        }
    }
};

/// The same in parts: "put($self, key, /, value=0, *, sync=...)" has the names key, value and sync, and the defaults (0, ..., ).
template <std::size_t room, std::size_t count>
struct PartsOfSignature {
    char names[room + 1]{};                 // one after the other, each with its end
    std::size_t starts[count + 1]{};
    char defaults[room + 16 * count + 3]{};  // a tuple of Python: NotImplemented for what has to be given by name
    Py_ssize_t required = static_cast<Py_ssize_t>(count), implied = 0, unnamed = 0, most = static_cast<Py_ssize_t>(count), rest = -1, others = -1;

    constexpr PartsOfSignature(const char *text, bool takes_self) {
        std::size_t given = 0;
        for (std::size_t at = start_of_items(text); text[at] != ')';) {
            const std::size_t end = end_of_item(text, at);
            const Py_ssize_t before = static_cast<Py_ssize_t>(given);
            if (text[at] == '$' && !takes_self) implied = 1;
            else if (text[at] == '/') unnamed = before;
            else if (text[at] == '*') star(text, at, end, given);
            else add(text, text[at] == '$' ? at + 1 : at, end, given++);
            at = text[end] == ',' ? end + 2 : end;
        }
        if (last_ > 0) defaults[last_++] = ')';
    }
    constexpr std::size_t size_of_names() const { return written_; }
    constexpr std::size_t size_of_defaults() const { return last_; }

private:
    std::size_t written_ = 0, last_ = 0;

    /// The mark before those that are given by name only, or a parameter that gathers arguments.
    constexpr void star(const char *text, std::size_t at, std::size_t end, std::size_t &given) {
        const Py_ssize_t before = static_cast<Py_ssize_t>(given);
        const bool is_of_keywords = text[at + 1] == '*';
        if (most == static_cast<Py_ssize_t>(count)) most = before;
        if (is_mark(text + at)) return;
        (is_of_keywords ? others : rest) = before;
        add(text, at + (is_of_keywords ? 2 : 1), end, given++);
    }
    constexpr void add(const char *text, std::size_t at, std::size_t end, std::size_t number) {
        starts[number] = written_;
        while (at < end && text[at] != '=') names[written_++] = text[at++];
        names[written_++] = '\0';
        if (at < end) {
            if (last_ == 0) required = static_cast<Py_ssize_t>(number);
            for (++at; at < end; ++at) put(text[at]);
        } else if (last_ > 0) {
            for (const char each : "NotImplemented")
                if (each != '\0') put(each);
        } else {
            return;
        }
        put(',');
        put(' ');
    }
    constexpr void put(char each) {
        if (last_ == 0) defaults[last_++] = '(';
        defaults[last_++] = each;
    }
};

template <std::size_t size>
constexpr std::array<char, size> first_of(const char *text) {
    std::array<char, size> found{};
    for (std::size_t at = 0; at < size; ++at) found[at] = text[at];
    return found;
}

/// Of a text with static storage.
template <const auto &text, bool takes_self>
struct ShownSignature {
    static constexpr SizeOfSignature size{text, takes_self};
    /// There while the package compiles only: what it is read into is larger than what is in it.
    static constexpr PartsOfSignature<(size.characters / 32 + 1) * 32, size.parameters> parts{text, takes_self};
    static constexpr std::array<char, parts.size_of_names() + 1> letters = first_of<parts.size_of_names() + 1>(parts.names);
    static constexpr std::array<char, parts.size_of_defaults() + 1> values = first_of<parts.size_of_defaults() + 1>(parts.defaults);

    template <std::size_t... I>
    static constexpr std::array<const char *, size.parameters + 1> pointers(std::index_sequence<I...>) {
        return {(letters.data() + parts.starts[I])..., nullptr};
    }
    static constexpr std::array<const char *, size.parameters + 1> names = pointers(std::make_index_sequence<size.parameters>());

    /// What `inspect` shows of a default is not always what can be evaluated: `defaults` is then.
    static constexpr Signature made(const char *name, Py_ssize_t implied, const char *defaults, const char *const *former) {
        if (defaults == nullptr && parts.required < static_cast<Py_ssize_t>(size.parameters)) defaults = values.data();
        constexpr Py_ssize_t all = static_cast<Py_ssize_t>(size.parameters);
        constexpr bool gathers = parts.rest >= 0 || parts.others >= 0;
        return Signature{name, names.data(), gathers ? -1 - all : all, parts.required, implied, defaults, former, parts.unnamed, parts.most, parts.rest, parts.others};
    }
};

/// How many arguments a function with the statements gets.
template <class... A>
constexpr std::size_t taken_by(PyObject *(*)(PyObject *, A &...)) {
    return sizeof...(A);
}

/// Of a function with so many arguments: it may get what it is called on as the first one.
template <std::size_t taken, const auto &text>
constexpr Signature signature(const char *name, const char *defaults = nullptr, const char *const *former = nullptr) {
    using Shown = ShownSignature<text, (SizeOfSignature(text, false).parameters < taken)>;
    return Shown::made(name, Shown::parts.implied, defaults, former);
}

/// Of a constructor, and of what makes objects, as a method of the class: Python counts what it is called on too.
template <const auto &text>
constexpr Signature signature_in_class(const char *name, const char *defaults = nullptr, const char *const *former = nullptr) {
    return ShownSignature<text, false>::made(name, 1, defaults, former);
}

}  // namespace wg::cpython

#endif  // WG_CPYTHON_SHOWN_SIGNATURE_HPP
