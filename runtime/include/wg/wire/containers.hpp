// Containers across the C ABI: Wire<D> of lists, sets, maps, optionals, tuples and unions.
// Static: the same for all packages. Included by generated C++ only.
#ifndef WG_WIRE_CONTAINERS_HPP
#define WG_WIRE_CONTAINERS_HPP

#include "wg/wire/wire.hpp"

namespace wg {

template <class Each>
void write_sizes(WireOut &out, std::size_t count, Each &&each, std::size_t &total) {
    char *at = out.room(count * sizeof(u64));
    each([&](const auto &value) {
        const u64 size = value.size();
        std::memcpy(at, &size, sizeof(size));
        at += sizeof(size);
        total += value.size();
    });
}

template <class Each>
std::size_t read_sizes(WireIn &in, std::size_t count, Each &&each) {
    const auto [sizes, total] = in.sizes(count);
    std::size_t i = 0;
    each([&, all = sizes](auto &out) { out.resize(WireIn::size_at(all, i++)); });
    return total;
}

template <class D>
struct Wire<types::List<D>> {
    template <class Each>
    static void write(WireOut &out, std::size_t count, Each &&each) {
        std::size_t total = 0;
        write_sizes(out, count, each, total);
        Wire<D>::write(out, total, elements(each));
    }
    template <class Each>
    static void read(WireIn &in, std::size_t count, Each &&each) {
        const std::size_t total = read_sizes(in, count, each);
        Wire<D>::read(in, total, elements(each));
    }

private:
    template <class Each>
    static auto elements(Each &each) {
        return [&each](auto &&use) {
            each([&use](auto &list) {
                for (auto &&element : list) use(element);
            });
        };
    }
};

template <class D>
struct Wire<types::Set<D>> : Wire<types::List<D>> {};
template <class D>
struct Wire<types::TupleOf<D>> : Wire<types::List<D>> {};

template <class K, class V>
struct Wire<types::Map<K, V>> {
    template <class Each>
    static void write(WireOut &out, std::size_t count, Each &&each) {
        std::size_t total = 0;
        write_sizes(out, count, each, total);
        Wire<K>::write(out, total, keys(each));
        Wire<V>::write(out, total, values(each));
    }
    template <class Each>
    static void read(WireIn &in, std::size_t count, Each &&each) {
        const std::size_t total = read_sizes(in, count, each);
        Wire<K>::read(in, total, keys(each));
        Wire<V>::read(in, total, values(each));
    }

private:
    template <class Each>
    static auto keys(Each &each) {
        return [&each](auto &&use) {
            each([&use](auto &map) {
                for (auto &item : map) use(item.first);
            });
        };
    }
    template <class Each>
    static auto values(Each &each) {
        return [&each](auto &&use) {
            each([&use](auto &map) {
                for (auto &item : map) use(item.second);
            });
        };
    }
};

template <class D>
struct Wire<types::Optional<D>> {
    template <class Each>
    static void write(WireOut &out, std::size_t count, Each &&each) {
        std::size_t there = 0;
        char *flag = out.room(count);
        each([&](const auto &value) {
            *flag++ = value ? 1 : 0;
            there += value ? 1 : 0;
        });
        Wire<D>::write(out, there, values(each));
    }
    template <class Each>
    static void read(WireIn &in, std::size_t count, Each &&each) {
        std::size_t there = 0;
        const char *flag = in.run(count, 1);
        each([&](auto &out) {
            if (*flag++ == 0) return;
            out.emplace();
            ++there;
        });
        Wire<D>::read(in, there, values(each));
    }

private:
    template <class Each>
    static auto values(Each &each) {
        return [&each](auto &&use) {
            each([&use](auto &value) {
                if (value) use(*value);
            });
        };
    }
};

template <class... D>
struct Wire<types::Tuple<D...>> {
    template <class Each>
    static void write(WireOut &out, std::size_t count, Each &&each) {
        write(out, count, each, std::index_sequence_for<D...>());
    }
    template <class Each>
    static void read(WireIn &in, std::size_t count, Each &&each) {
        read(in, count, each, std::index_sequence_for<D...>());
    }

private:
    template <class Each, std::size_t... I>
    static void write(WireOut &out, std::size_t count, Each &each, std::index_sequence<I...>) {
        (Wire<D>::write(out, count, items<I>(each)), ...);
    }
    template <class Each, std::size_t... I>
    static void read(WireIn &in, std::size_t count, Each &each, std::index_sequence<I...>) {
        (Wire<D>::read(in, count, items<I>(each)), ...);
    }
    template <std::size_t I, class Each>
    static auto items(Each &each) {
        return [&each](auto &&use) { each([&use](auto &tuple) { use(std::get<I>(tuple)); }); };
    }
};

template <class Tag, class... D>
struct Wire<types::NamedTuple<Tag, D...>> : Wire<types::Tuple<D...>> {};

template <class... D>
struct Wire<types::Union<D...>> {
    template <class Each>
    static void write(WireOut &out, std::size_t count, Each &&each) {
        std::size_t counts[sizeof...(D)] = {};
        char *tag = out.room(count);
        each([&](const auto &value) {
            *tag++ = static_cast<char>(value.index());
            ++counts[value.index()];
        });
        write(out, counts, each, std::index_sequence_for<D...>());
    }
    template <class Each>
    static void read(WireIn &in, std::size_t count, Each &&each) {
        std::size_t counts[sizeof...(D)] = {};
        const char *tag = in.run(count, 1);
        each([&](auto &out) {
            const auto index = static_cast<unsigned char>(*tag++);
            if (index >= sizeof...(D)) WireIn::fail();
            emplace(out, index, std::index_sequence_for<D...>());
            ++counts[index];
        });
        read(in, counts, each, std::index_sequence_for<D...>());
    }

private:
    template <class Out, std::size_t... I>
    static void emplace(Out &out, std::size_t index, std::index_sequence<I...>) {
        static_cast<void>(((index == I && (static_cast<void>(out.template emplace<I>()), true)) || ...));
    }
    template <class Each, std::size_t... I>
    static void write(WireOut &out, const std::size_t *counts, Each &each, std::index_sequence<I...>) {
        (Wire<D>::write(out, counts[I], those<I>(each)), ...);
    }
    template <class Each, std::size_t... I>
    static void read(WireIn &in, const std::size_t *counts, Each &each, std::index_sequence<I...>) {
        (Wire<D>::read(in, counts[I], those<I>(each)), ...);
    }
    template <std::size_t I, class Each>
    static auto those(Each &each) {
        return [&each](auto &&use) {
            each([&use](auto &value) {
                if (value.index() == I) use(*std::get_if<I>(&value));
            });
        };
    }
};

}  // namespace wg

#endif  // WG_WIRE_CONTAINERS_HPP
