#include "kernels.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace standin {
namespace {

struct Library {
    std::shared_ptr<Image> image;
    std::map<std::string, KernelPtr> kernels;
};

struct Libraries {
    std::mutex mutex;
    std::map<cudaLibrary_t, Library> all;
    std::uintptr_t last_handle = 0x9000;
};

Libraries& libraries() {
    static auto* result = new Libraries;  // never destroyed: handles are released while the process exits
    return *result;
}

constexpr int machine_of_cuda = 190;

// The size of an ELF file, whose last part is its table of sections.
std::size_t elf_size(const Elf64_Ehdr& header) {
    return header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
}

bool is_text(const char* code) { return code[0] != '\0' && static_cast<unsigned char>(code[0]) < 0x7F; }

KernelPtr make_kernel(const std::shared_ptr<Image>& image, const std::string& name) {
    auto kernel = std::make_shared<Kernel>();
    kernel->image = image;
    kernel->entry = static_cast<const cpu_kernel*>(image->symbol("cpu_kernel_" + name));
    bool is_ours = kernel->entry != nullptr && kernel->entry->version == CPU_KERNEL_VERSION;
    return is_ours ? kernel : nullptr;
}

}  // namespace

std::shared_ptr<Image> Image::load(const void* code, std::size_t size) {
    int descriptor = memfd_create("kernels", MFD_CLOEXEC);
    if (descriptor < 0) throw std::bad_alloc();
    const char* rest = static_cast<const char*>(code);
    for (std::size_t left = size; left > 0;) {
        ssize_t written = write(descriptor, rest, left);
        if (written <= 0) {
            close(descriptor);
            throw std::bad_alloc();
        }
        rest += written;
        left -= static_cast<std::size_t>(written);
    }
    std::string path = "/proc/self/fd/" + std::to_string(descriptor);
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        close(descriptor);
        return nullptr;
    }
    return std::shared_ptr<Image>(new Image(descriptor, handle));
}

// The loader knows libraries by their path. A descriptor is closed, and its number used again, only when the loader
// has really let go.
Image::~Image() {
    dlclose(handle_);
    std::string path = "/proc/self/fd/" + std::to_string(descriptor_);
    void* still_there = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (still_there == nullptr) close(descriptor_);
}

void* Image::symbol(const std::string& name) const { return dlsym(handle_, name.c_str()); }

std::vector<std::size_t> Kernel::argument_sizes() const {
    return {entry->argument_sizes, entry->argument_sizes + entry->argument_count};
}

void Kernel::run(dim3 grid, dim3 block, const std::vector<void*>& arguments) const {
    const unsigned blocks[] = {grid.x, grid.y, grid.z};
    const unsigned threads[] = {block.x, block.y, block.z};
    const auto count = static_cast<unsigned long long>(grid.x) * grid.y * grid.z;
    entry->run(blocks, threads, 0, count, const_cast<const void* const*>(arguments.data()), nullptr);
}

cudaError_t load_library(const void* code, cudaLibrary_t& library) {
    auto* bytes = static_cast<const char*>(code);
    if (std::memcmp(bytes, ELFMAG, SELFMAG) != 0) {
        return is_text(bytes) ? cudaErrorInvalidPtx : cudaErrorInvalidKernelImage;
    }
    Elf64_Ehdr header;
    std::memcpy(&header, bytes, sizeof header);
    if (header.e_machine == machine_of_cuda) return cudaErrorNoKernelImageForDevice;
    auto image = Image::load(code, elf_size(header));
    if (!image) return cudaErrorInvalidKernelImage;
    Libraries& known = libraries();
    std::lock_guard<std::mutex> lock(known.mutex);
    library = reinterpret_cast<cudaLibrary_t>(known.last_handle += 0x10);
    known.all[library] = {std::move(image), {}};
    return cudaSuccess;
}

bool unload_library(cudaLibrary_t library) {
    Libraries& known = libraries();
    std::lock_guard<std::mutex> lock(known.mutex);
    return known.all.erase(library) == 1;
}

cudaError_t find_kernel(cudaLibrary_t library, const std::string& name, cudaKernel_t& kernel) {
    Libraries& known = libraries();
    std::lock_guard<std::mutex> lock(known.mutex);
    auto found = known.all.find(library);
    if (found == known.all.end()) return cudaErrorInvalidResourceHandle;
    KernelPtr& entry = found->second.kernels[name];
    if (!entry) entry = make_kernel(found->second.image, name);
    if (!entry) return cudaErrorSymbolNotFound;
    kernel = reinterpret_cast<cudaKernel_t>(entry.get());
    return cudaSuccess;
}

KernelPtr find_kernel(const void* function) {
    Libraries& known = libraries();
    std::lock_guard<std::mutex> lock(known.mutex);
    for (const auto& [handle, library] : known.all) {
        for (const auto& [name, kernel] : library.kernels) {
            if (kernel && kernel.get() == function) return kernel;
        }
    }
    return nullptr;
}

int library_count() {
    Libraries& known = libraries();
    std::lock_guard<std::mutex> lock(known.mutex);
    return static_cast<int>(known.all.size());
}

}  // namespace standin
