// What the tests of the runtime share: a check that names its line, and what a call throws.
#ifndef WG_TESTS_CHECKS_HPP
#define WG_TESTS_CHECKS_HPP

#include <cstdio>
#include <stdexcept>
#include <string>

inline int failed = 0;

#define CHECK(...)                                                              \
    do {                                                                        \
        if (!(__VA_ARGS__)) {                                                   \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #__VA_ARGS__);       \
            ++failed;                                                           \
        }                                                                       \
    } while (false)

/// What some work throws, or nothing.
template <class Work>
std::string thrown_by(Work &&work) {
    try {
        work();
    } catch (const std::exception &error) {
        return error.what();
    }
    return "";
}

#endif  // WG_TESTS_CHECKS_HPP
