// Compound values as they cross the C ABI: what is written is read again, and what is not as it says is refused.
#include "checks.hpp"
#include "wg/errors/support.hpp"
#include "wg/wire/containers.hpp"

namespace {

namespace t = wg::types;

template <class D>
std::string written(wg::Value<D> value) {
    wg::WireOut out(wg::no_owners);
    wg::Wire<D>::write(out, 1, [&value](auto &&use) { use(value); });
    return out.take();
}

template <class D>
wg::Value<D> read(const std::string &bytes) {
    wg::Decoded<D> decoded(bytes.data(), bytes.size());
    return decoded.get();
}

template <class D>
bool comes_back(const wg::Value<D> &value) {
    return read<D>(written<D>(value)) == value;
}

const std::string refusal = "an encoded value does not have the size that it says";

template <class D>
std::string refused(const std::string &bytes) {
    return thrown_by([&bytes] { read<D>(bytes); });
}

using Texts = t::List<t::Text>;
using Numbers = t::List<t::Number<wg::i32>>;

void values_come_back() {
    CHECK(comes_back<t::Number<wg::i64>>(-7));
    CHECK(comes_back<t::Number<bool>>(true));
    CHECK(comes_back<t::Number<wg::f32>>(0.5F));
    CHECK(comes_back<t::Text>(""));
    CHECK(comes_back<t::Text>(std::string("a\0b", 3)));
    CHECK(comes_back<Numbers>({}));
    CHECK(comes_back<Numbers>({1, -2, 3}));
    CHECK(comes_back<Texts>({"", "one", std::string(100, 'x')}));
    CHECK(comes_back<t::List<Texts>>({{}, {"a"}, {"b", "", "c"}}));
}

void runs_start_at_multiples_of_eight() {
    CHECK(written<t::Number<bool>>(true).size() == 8);
    CHECK(written<t::Text>("123456789").size() == 8 + 16);
    CHECK(written<Numbers>({1, 2, 3}).size() == 8 + 16);
}

/// However a buffer is cut, or whatever a size in it is: no byte beyond it is read.
void what_is_not_as_it_says_is_refused() {
    const std::string whole = written<t::List<Texts>>({{"one", "two"}, {"three"}});
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const std::string part(whole, 0, size);
        CHECK(refused<t::List<Texts>>(part) == refusal);
    }
    CHECK(refused<t::List<Texts>>(whole + std::string(8, '\0')) == refusal);
    for (std::size_t at = 0; at < whole.size(); at += 8) {
        std::string changed = whole;
        changed.replace(at, 8, 8, '\xff');
        const std::string said = refused<t::List<Texts>>(changed);
        CHECK(said.empty() || said == refusal);  // a text may have any bytes
    }
    CHECK(refused<t::Text>(std::string(8, '\xff')) == refusal);
}

}  // namespace

int main() {
    values_come_back();
    runs_start_at_multiples_of_eight();
    what_is_not_as_it_says_is_refused();
    return failed;
}
