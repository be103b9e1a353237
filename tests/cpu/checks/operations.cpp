// Operations of several streams at once share the threads of the pool; results are compared with plain loops.
#include "operations.hpp"

#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "pool.hpp"

using cpu::Binary;
using cpu::DType;
using cpu::Input;
using cpu::Memory;
using cpu::Reduce;
using cpu::Sizes;
using cpu::Stream;

CHECK(parts_are_done_once_each) {  // CPU_FFI_THREADS=4
    std::vector<int> done(1000);
    cpu::parallel_for(1000, 7, [&](std::int64_t begin, std::int64_t end) {
        for (; begin < end; ++begin) ++done[static_cast<std::size_t>(begin)];
    });
    for (const int count : done) EXPECT(count == 1);
    EXPECT_THROW(std::out_of_range, cpu::parallel_for(100, 1, [](std::int64_t begin, std::int64_t) {
                     if (begin == 50) throw std::out_of_range("here");
                 }));
    cpu::parallel_for(0, 1, [](std::int64_t, std::int64_t) { std::abort(); });
}

CHECK(streams_share_the_pool) {  // CPU_FFI_THREADS=4
    constexpr std::int64_t size = 200000;
    const Sizes shape{size}, strides{1};
    std::vector<std::unique_ptr<Stream>> streams;
    std::vector<std::unique_ptr<Memory>> arrays;
    const float one = 1;
    for (int i = 0; i < 3; ++i) {
        streams.push_back(std::make_unique<Stream>(0));
        arrays.push_back(std::make_unique<Memory>(size * sizeof(float), 0));
        Memory& array = *arrays.back();
        cpu::fill({array, 0}, size, {reinterpret_cast<const char*>(&one), sizeof one}, *streams.back());
        for (int j = 0; j < 10; ++j) {
            const Input input{&array, 0, strides, {}};
            cpu::binary(Binary::add, DType::f32, {array, 0}, input, input, shape, *streams.back());
        }
    }
    for (int i = 0; i < 3; ++i) {
        const Memory sum(sizeof(float), 0);
        const Input input{arrays[static_cast<std::size_t>(i)].get(), 0, strides, {}};
        const Stream& stream = *streams[static_cast<std::size_t>(i)];
        cpu::reduce(Reduce::sum, DType::f32, {sum, 0}, input, shape, std::nullopt, stream);
        float result = 0;
        cpu::download(&result, sum, 0, sizeof result, stream);
        EXPECT(result == 1024.0f * size);
    }
}

CHECK(any_strides_and_shapes_stay_inside) {
    const Stream stream(0);
    const std::int64_t rows = 67, columns = 41;
    std::vector<double> values(static_cast<std::size_t>(rows * columns));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
    const std::size_t bytes = values.size() * sizeof(double);
    const Memory a(bytes, 0), b(bytes, 0), product(static_cast<std::size_t>(rows * rows) * sizeof(double), 0);
    cpu::upload(a, 0, values.data(), bytes, stream);
    const Sizes turned{1, columns}, shape{columns, rows}, straight{columns, 1}, reversed{-1, -columns};
    cpu::cast(DType::f64, {b, 0}, DType::f64, {&a, 0, turned, {}}, shape, stream);  // b is a, transposed
    cpu::matmul(DType::f64, {product, 0}, {&a, 0, straight, {}}, {&a, 0, turned, {}}, rows, columns, rows, stream);
    std::vector<double> result(static_cast<std::size_t>(rows * rows)), copied(values.size());
    cpu::download(result.data(), product, 0, result.size() * sizeof(double), stream);
    cpu::download(copied.data(), b, 0, bytes, stream);
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < rows; ++j) {
            double expected = 0;
            for (std::int64_t k = 0; k < columns; ++k) {
                expected += values[static_cast<std::size_t>(i * columns + k)] *
                            values[static_cast<std::size_t>(j * columns + k)];
            }
            EXPECT(result[static_cast<std::size_t>(i * rows + j)] == expected);
        }
        for (std::int64_t j = 0; j < columns; ++j) {
            EXPECT(copied[static_cast<std::size_t>(j * rows + i)] == values[static_cast<std::size_t>(i * columns + j)]);
        }
    }
    const Input backwards{&a, bytes - sizeof(double), reversed, {}};
    cpu::cast(DType::f64, {b, 0}, DType::f64, backwards, shape, stream);
    stream.synchronize();
    const Input outside{&a, bytes - 2 * sizeof(double), reversed, {}};
    EXPECT_THROW(std::invalid_argument, cpu::cast(DType::f64, {b, 0}, DType::f64, outside, shape, stream));
    const Input misplaced{&a, 4, straight, {}};
    EXPECT_THROW(std::invalid_argument, cpu::cast(DType::f64, {b, 0}, DType::f64, misplaced, {1, 1}, stream));
    EXPECT_THROW(std::invalid_argument,
                 cpu::cast(DType::f64, {b, 8}, DType::f64, {&a, 0, straight, {}}, {rows, columns}, stream));
    EXPECT_THROW(std::invalid_argument,
                 cpu::cast(DType::f64, {b, 0}, DType::f64, {&a, 0, straight, {}}, {rows}, stream));
}

CHECK(arrays_stay_on_their_device) {  // CPU_FFI_DEVICES=2
    const Stream stream(0);
    const Memory here(4, 0), there(4, 1);
    const Sizes one{1};
    const Input input{&there, 0, one, {}};
    EXPECT_THROW(std::invalid_argument, cpu::cast(DType::f32, {here, 0}, DType::f32, input, one, stream));
    cpu::copy(here, 0, there, 0, 4, stream);
    stream.synchronize();
}

CHECK(outputs_past_the_caches_begin_and_end_anywhere) {  // CPU_FFI_CACHE_MB=0
    const Stream stream(0);
    const Sizes strides{1};
    const float number = 3;
    const std::string_view three(reinterpret_cast<const char*>(&number), sizeof number);
    for (const std::int64_t size : {1, 15, 63, 64, 65, 200, 70000}) {
        for (const std::size_t offset : {0, 1, 15, 16}) {
            std::vector<float> values(static_cast<std::size_t>(size)), found(values.size() + offset + 1, -1.0f);
            for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
            const std::size_t bytes = found.size() * sizeof(float), begin = offset * sizeof(float);
            const Memory x(values.size() * sizeof(float), 0), out(bytes, 0);
            cpu::upload(x, 0, values.data(), x.size(), stream);
            cpu::upload(out, 0, found.data(), bytes, stream);
            const Input array{&x, 0, strides, {}}, constant{nullptr, 0, strides, three};
            cpu::binary(Binary::sub, DType::f32, {out, begin}, constant, array, {size}, stream);
            const Input difference{&out, begin, strides, {}};
            cpu::binary(Binary::mul, DType::f32, {out, begin}, difference, array, {size}, stream);
            cpu::unary(cpu::Unary::neg, DType::f32, {out, begin}, difference, {size}, stream);
            cpu::download(found.data(), out, 0, bytes, stream);
            for (std::size_t i = 0; i < values.size(); ++i) {
                EXPECT(found[offset + i] == -((number - values[i]) * values[i]));
            }
            EXPECT(found.back() == -1.0f && (offset == 0 || found[offset - 1] == -1.0f));
        }
    }
}
