// Memory of Python objects that results keep alive, across the C ABI: the caller knows it by a number.
// Static: the same for all packages. Included by generated C++ only, where a spec has such parameters.
#ifndef WG_OWNERSHIP_KEPT_MEMORY_HPP
#define WG_OWNERSHIP_KEPT_MEMORY_HPP

#include <cstddef>
#include <stdexcept>

#include "wg/ownership/owners.hpp"
#include "wg/base/failures.hpp"
#include "wg/base/finalization.hpp"

namespace wg {

/// Whether memory is held and released.
using MemoryOpen = UntilExit<class KeptMemory>;

/// What the caller gives the bridge: to hold the memory of a number, and to release it.
struct MemoryFunctions {
    i32 (*hold)(std::size_t number);  // 0 where it does
    void (*release)(std::size_t number);
};
inline MemoryFunctions &memory_functions() {
    static MemoryFunctions functions{};
    return functions;
}

/// Memory that is held until the call is over and nothing keeps it alive. Number 0 is held by the caller to the end of the process.
class KeptMemory {
public:
    explicit KeptMemory(std::size_t number) : cell_(new MemoryCell(hold(number))) {}
    KeptMemory(const KeptMemory &) = delete;
    KeptMemory &operator=(const KeptMemory &) = delete;
    ~KeptMemory() { leave(held()); }

    Held held() const { return {cell_, &MemoryCell::own_type}; }

private:
    struct MemoryCell : UsedCell {
        explicit MemoryCell(std::size_t given) : number(given) {}

        static void end(Cell &cell) noexcept {
            auto *ended = static_cast<MemoryCell *>(&cell);
            const MemoryOpen open;
            if (open && ended->number != 0 && memory_functions().release != nullptr) memory_functions().release(ended->number);
            delete ended;
        }

        const std::size_t number;
        static constexpr HandleType own_type = type_of_argument(&end);
    };

    static std::size_t hold(std::size_t number) {
        const MemoryOpen open;
        if (number != 0 && !open) throw Own<std::runtime_error>("the interpreter ends");
        const bool is_held = number == 0 || memory_functions().hold == nullptr || memory_functions().hold(number) == 0;
        if (!is_held) throw Own<std::runtime_error>("the memory cannot be held");  // Python raises what came meanwhile
        return number;
    }

    MemoryCell *const cell_;
};

}  // namespace wg

#endif  // WG_OWNERSHIP_KEPT_MEMORY_HPP
