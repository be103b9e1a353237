// Classes of a library with keys of their own, and memory that goes to other libraries by DLPack's structs, as its header has them.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

struct series {
    std::vector<double> values;
    size_t size() const { return values.size(); }
    double operator[](size_t i) const { return values[i]; }
};

/// A class of slices that the library has itself.
struct stretch {
    int64_t from, to;
    stretch(std::optional<int64_t> start, std::optional<int64_t> stop, std::optional<int64_t>) : from(start.value_or(0)), to(stop.value_or(100)) {}
};
inline int64_t width_of(stretch range) { return range.to - range.from; }

struct keys {
    size_t items = 0;
};

struct DLTensor {
    void *data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
};
struct DLManagedTensor {
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(DLManagedTensor *);
};
struct DLManagedTensorVersioned {
    uint32_t major, minor;
    void *manager_ctx;
    void (*deleter)(DLManagedTensorVersioned *);
    uint64_t flags;
    DLTensor dl_tensor;
};

inline std::atomic<int64_t> exchanges{0};  // those that nobody has released

template <class Managed>
Managed *exchange(std::vector<double> values) {
    struct Own {
        Managed managed;
        std::vector<double> values;
        int64_t size;
    };
    auto *own = new Own{{}, std::move(values), 0};
    own->size = static_cast<int64_t>(own->values.size());
    own->managed.dl_tensor = {own->values.data(), 1, 0, 1, 2, 64, 1, &own->size, nullptr, 0};
    own->managed.manager_ctx = own;
    own->managed.deleter = [](Managed *managed) {
        delete static_cast<Own *>(managed->manager_ctx);
        --exchanges;
    };
    if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) own->managed.major = 1;
    ++exchanges;
    return &own->managed;
}

struct shared_numbers {
    std::vector<double> values;
};
using either_exchange = std::variant<DLManagedTensor *, DLManagedTensorVersioned *>;
inline either_exchange exchanged(const shared_numbers &from, bool is_versioned) {
    if (is_versioned) return exchange<DLManagedTensorVersioned>(from.values);
    return exchange<DLManagedTensor>(from.values);
}
