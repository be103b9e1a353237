// Kernels are compiled, loaded, launched in order, and taken away only when they are done.
#include <cstring>
#include <vector>

#include "check.hpp"
#include "standin.h"

extern "C" {
struct Program;
int nvrtcCreateProgram(Program** program, const char* source, const char* name, int, const char* const*,
                       const char* const*);
int nvrtcAddNameExpression(Program* program, const char* expression);
int nvrtcCompileProgram(Program* program, int count, const char* const* options);
int nvrtcDestroyProgram(Program** program);
int nvrtcGetCUBINSize(Program* program, std::size_t* size);
int nvrtcGetCUBIN(Program* program, char* image);
int nvrtcGetProgramLogSize(Program* program, std::size_t* size);
int nvrtcGetProgramLog(Program* program, char* log);
int nvrtcGetLoweredName(Program* program, const char* expression, const char** name);
}

namespace {

constexpr int compilation_failed = 6;
constexpr int invalid_option = 5;

constexpr const char* source = R"(
extern "C" __global__ void add(int* numbers, int increment, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) numbers[i] += increment;
}
/* extern "C" __global__ void none() {} */
extern "C" __global__ void reverse(int* numbers) {  // one block
    extern __shared__ int copies[];
    copies[threadIdx.x] = numbers[threadIdx.x];
    __syncthreads();
    numbers[threadIdx.x] = copies[blockDim.x - 1 - threadIdx.x];
}
)";

Program* program_of(const char* text) {
    Program* program = nullptr;
    EXPECT(nvrtcCreateProgram(&program, text, "checked.cu", 0, nullptr, nullptr) == 0);
    return program;
}

std::vector<char> image_of(const char* text) {
    Program* program = program_of(text);
    EXPECT(nvrtcCompileProgram(program, 0, nullptr) == 0);
    std::size_t size = 0;
    EXPECT(nvrtcGetCUBINSize(program, &size) == 0);
    std::vector<char> image(size);
    EXPECT(nvrtcGetCUBIN(program, image.data()) == 0);
    EXPECT(nvrtcDestroyProgram(&program) == 0 && program == nullptr);
    return image;
}

cudaLibrary_t library_of(const char* text) {
    cudaLibrary_t library = nullptr;
    OK(cudaLibraryLoadData(&library, image_of(text).data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    return library;
}

cudaKernel_t kernel_of(cudaLibrary_t library, const char* name) {
    cudaKernel_t kernel = nullptr;
    OK(cudaLibraryGetKernel(&kernel, library, name));
    return kernel;
}

cudaError_t add(cudaKernel_t kernel, void* numbers, int increment, int count, cudaStream_t stream) {
    void* arguments[] = {&numbers, &increment, &count};  // gone when this returns
    return cudaLaunchKernel(kernel, dim3(2), dim3(64), arguments, 0, stream);
}

}  // namespace

CHECK(kernels_run_in_the_order_of_their_stream) {
    cudaLibrary_t library = library_of(source);
    cudaKernel_t kernel = kernel_of(library, "add");
    cudaStream_t stream = new_stream();
    auto* numbers = device_memory(100 * sizeof(int));
    Gate gate;
    gate.hold(stream);
    OK(cudaMemsetAsync(numbers, 0, 100 * sizeof(int), stream));
    for (int i = 0; i < 10; ++i) OK(add(kernel, numbers, 1 << i, 100, stream));
    OK(cudaMemsetAsync(numbers, 0, sizeof(int), stream));
    EXPECT_STATUS(cudaErrorNotReady, cudaStreamQuery(stream));
    gate.open();
    std::vector<int> result(100);
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(result.data(), numbers, 100 * sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(result[0] == 0);
    for (int i = 1; i < 100; ++i) EXPECT(result[static_cast<std::size_t>(i)] == 1023);
    OK(cudaLibraryUnload(library));
}

CHECK(barriers_and_shared_memory_work) {
    cudaLibrary_t library = library_of(source);
    cudaKernel_t kernel = kernel_of(library, "reverse");
    auto* numbers = device_memory(1024 * sizeof(int));
    std::vector<int> values(1024);
    for (std::size_t i = 0; i < 1024; ++i) values[i] = static_cast<int>(i);
    OK(cudaMemcpy(numbers, values.data(), 1024 * sizeof(int), cudaMemcpyHostToDevice));
    void* address = numbers;
    void* arguments[] = {&address};
    OK(cudaLaunchKernel(kernel, dim3(1), dim3(1024), arguments, 1024 * sizeof(int), nullptr));
    OK(cudaMemcpy(values.data(), numbers, 1024 * sizeof(int), cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < 1024; ++i) EXPECT(values[i] == static_cast<int>(1023 - i));
    OK(cudaLibraryUnload(library));
}

CHECK(unloading_waits_for_the_kernels) {
    cudaLibrary_t library = library_of(source);
    cudaKernel_t kernel = kernel_of(library, "add");
    auto* numbers = device_memory(100 * sizeof(int));
    cudaStream_t stream = new_stream();
    OK(cudaMemset(numbers, 0, 100 * sizeof(int)));
    OK(cudaDeviceSynchronize());
    Gate gate;
    gate.hold(stream);
    for (int i = 0; i < 5; ++i) OK(add(kernel, numbers, 1, 100, stream));
    std::thread opener([&gate] { gate.open(); });
    OK(cudaLibraryUnload(library));
    EXPECT(first_byte(numbers) == 5);
    opener.join();
    EXPECT_STATUS(cudaErrorInvalidDeviceFunction, add(kernel, numbers, 1, 100, stream));
    EXPECT_STATUS(cudaErrorInvalidResourceHandle, cudaLibraryUnload(library));
    EXPECT(standinLiveObjects(STANDIN_LIBRARIES) == 0);
}

CHECK(launches_that_no_device_takes_are_errors) {
    cudaLibrary_t library = library_of(source);
    cudaKernel_t kernel = kernel_of(library, "reverse");
    auto* numbers = device_memory(1024 * sizeof(int));
    void* address = numbers;
    void* arguments[] = {&address};
    auto launch = [&](dim3 grid, dim3 block, std::size_t shared) {
        return cudaLaunchKernel(kernel, grid, block, arguments, shared, nullptr);
    };
    for (dim3 wrong : {dim3(0), dim3(1, 0), dim3(1025), dim3(32, 33), dim3(1, 1, 65)}) {
        EXPECT_STATUS(cudaErrorInvalidConfiguration, launch(dim3(1), wrong, 0));
    }
    for (dim3 wrong : {dim3(0), dim3(1, 65536), dim3(1, 1, 65536)}) {
        EXPECT_STATUS(cudaErrorInvalidConfiguration, launch(wrong, dim3(1), 0));
    }
    EXPECT_STATUS(cudaErrorInvalidValue, launch(dim3(1), dim3(1), 64 << 10));
    EXPECT_STATUS(cudaErrorInvalidValue,
                  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    OK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
    OK(launch(dim3(1), dim3(1), 64 << 10));
    EXPECT_STATUS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(numbers, dim3(1), dim3(1), arguments, 0, nullptr));
    OK(cudaLibraryUnload(library));
}

CHECK(a_kernel_says_what_it_takes) {
    cudaLibrary_t library = library_of(source);
    cudaKernel_t kernel = kernel_of(library, "add");
    std::size_t offset = 0;
    std::size_t size = 0;
    std::vector<std::size_t> sizes;
    while (cudaFuncGetParamInfo(kernel, sizes.size(), &offset, &size) == cudaSuccess) sizes.push_back(size);
    EXPECT((sizes == std::vector<std::size_t>{8, 4, 4}));
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    OK(cudaLibraryUnload(library));
}

CHECK(what_is_no_image_is_not_loaded) {
    cudaLibrary_t library = nullptr;
    auto load = [&](const void* code) {
        return cudaLibraryLoadData(&library, code, nullptr, nullptr, 0, nullptr, nullptr, 0);
    };
    EXPECT_STATUS(cudaErrorInvalidPtx, load("no PTX at all"));
    EXPECT_STATUS(cudaErrorInvalidKernelImage, load("\xFF\xFF\xFF\xFF"));
    std::vector<char> image = image_of(source);
    const short cuda = 190;
    std::memcpy(image.data() + 18, &cuda, sizeof cuda);  // the machine that it is for
    EXPECT_STATUS(cudaErrorNoKernelImageForDevice, load(image.data()));
    library = library_of(source);
    cudaKernel_t kernel = nullptr;
    EXPECT_STATUS(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, library, "none"));
    OK(cudaLibraryUnload(library));
}

CHECK(images_are_apart_however_often_they_are_loaded) {
    for (int i = 0; i < 20; ++i) {
        bool is_one = i % 2 == 0;
        cudaLibrary_t library = library_of(is_one ? "extern \"C\" __global__ void set(int* x) { *x = 1; }"
                                                  : "extern \"C\" __global__ void set(int* x) { *x = 2; }");
        void* number = device_memory(sizeof(int));
        void* arguments[] = {&number};
        OK(cudaLaunchKernel(kernel_of(library, "set"), dim3(1), dim3(1), arguments, 0, nullptr));
        EXPECT(first_byte(number) == (is_one ? 1 : 2));
        OK(cudaLibraryUnload(library));
    }
}

CHECK(freed_memory_in_a_kernel_is_found) {
    cudaLibrary_t library = library_of(source);
    cudaKernel_t kernel = kernel_of(library, "add");
    void* numbers = nullptr;
    cudaStream_t stream = new_stream();
    cudaStream_t other = new_stream();
    OK(cudaMallocAsync(&numbers, 100 * sizeof(int), other));
    Gate gate;
    gate.hold(stream);
    OK(add(kernel, numbers, 1, 100, stream));
    OK(cudaFreeAsync(numbers, other));  // not ordered after the kernel
    OK(cudaStreamSynchronize(other));
    gate.open();
    EXPECT_STATUS(cudaErrorIllegalAddress, cudaStreamSynchronize(stream));
    OK(cudaDeviceReset());
}

CHECK(sources_that_do_not_compile_have_a_log_with_lines) {
    Program* program = program_of("extern \"C\" __global__ void broken(int* x) {\n\n    *x = missing;\n}\n");
    EXPECT(nvrtcCompileProgram(program, 0, nullptr) == compilation_failed);
    std::size_t size = 0;
    EXPECT(nvrtcGetProgramLogSize(program, &size) == 0);
    std::string log(size, '\0');
    EXPECT(nvrtcGetProgramLog(program, log.data()) == 0);
    EXPECT(log.find("checked.cu:3:") != std::string::npos && log.find("missing") != std::string::npos);
    const char* options[] = {"--nonsense"};
    EXPECT(nvrtcCompileProgram(program, 1, options) == invalid_option);
    EXPECT(nvrtcDestroyProgram(&program) == 0);
}

CHECK(instances_of_templates_have_names) {
    Program* program = program_of("template <class T> __global__ void put(T* x, T value) { *x = value; }");
    EXPECT(nvrtcAddNameExpression(program, "put<unsigned char>") == 0);
    const char* options[] = {"--gpu-architecture=sm_90", "-DUNUSED=1"};
    EXPECT(nvrtcCompileProgram(program, 2, options) == 0);
    const char* name = nullptr;
    EXPECT(nvrtcGetLoweredName(program, "put<unsigned char>", &name) == 0);
    EXPECT(nvrtcGetLoweredName(program, "put<int>", &name) != 0);
    EXPECT(nvrtcDestroyProgram(&program) == 0);
}

CHECK(a_kernel_takes_time) {
    cudaLibrary_t library = library_of(source);
    cudaKernel_t kernel = kernel_of(library, "add");
    void* numbers = device_memory(100 * sizeof(int));
    cudaStream_t stream = new_stream();
    cudaEvent_t start = new_event();
    cudaEvent_t end = new_event();
    OK(cudaEventRecord(start, stream));
    OK(add(kernel, numbers, 1, 100, stream));
    OK(cudaEventRecord(end, stream));
    OK(cudaStreamSynchronize(stream));
    float milliseconds = 0;
    OK(cudaEventElapsedTime(&milliseconds, start, end));
    EXPECT(milliseconds >= 30);
    OK(cudaLibraryUnload(library));
}

CHECK(failures_are_planned_while_running) {
    EXPECT(standinFail("nonsense") != 0);
    EXPECT(standinFail("*:0") != 0);
    void* memory = device_memory(1);
    EXPECT(standinFail("*:2,cudaMalloc:3=700") == 0);
    OK(cudaMemset(memory, 0, 1));
    EXPECT_STATUS(cudaErrorMemoryAllocation, cudaMalloc(&memory, 1));  // the second call of any function
    OK(cudaMalloc(&memory, 1));
    EXPECT_STATUS(cudaErrorIllegalAddress, cudaMalloc(&memory, 1));
    OK(cudaMalloc(&memory, 1));
    EXPECT(standinCalls("*") >= 6);
    EXPECT(standinFail("") == 0);
    OK(cudaFree(memory));
}

CHECK(a_driver_can_disappear) {
    void* memory = device_memory(1);
    EXPECT(standinFail("*:2+=46") == 0);
    OK(cudaMemset(memory, 0, 1));
    for (int i = 0; i < 3; ++i) {
        EXPECT_STATUS(cudaErrorDevicesUnavailable, cudaMemset(memory, 0, 1));
        EXPECT_STATUS(cudaErrorDevicesUnavailable, cudaDeviceSynchronize());
        EXPECT_STATUS(cudaErrorDevicesUnavailable, cudaFree(memory));
    }
    EXPECT(standinFail("") == 0);
    OK(cudaFree(memory));
}
