#include "kernel.hpp"

#include <cstring>
#include <map>
#include <mutex>

namespace vulkan {
namespace {

using Sizes = std::array<std::uint32_t, 3>;
using Constants = std::array<std::uint32_t, 5>;  // of a pipeline

constexpr std::uint32_t magic = 0x07230203;
constexpr std::size_t header_words = 5;
constexpr std::uint32_t op_entry_point = 15, op_execution_mode = 16, op_capability = 17, op_function_end = 56, compute = 5;
constexpr std::uint32_t keep_specials = 4466, specials_kept = 4461;  // a capability, and the mode of execution that it allows

// Throws when the device has not what a capability of SPIR-V stands for.
void require_capability(std::uint32_t number, const Device& device) {
    const Features& has = device.features;
    const auto need = [&](bool is_there, const char* what) {
        if (!is_there) {
            throw Unsupported(std::string("the kernel needs ") + what + ", which " + device.properties.deviceName + " has not");
        }
    };
    switch (number) {
        case 0: case 1: case 61: case 5347: return;  // matrices, shaders, subgroups, addresses: every device has them
        case keep_specials: return;  // asked for where the device has it
        case 9: return need(has.f16, "f16");
        case 10: return need(has.f64, "f64");
        case 11: return need(has.i64, "integers of 64 bits");
        case 12: return need(has.i64_atomics, "atomics of 64 bits");
        case 22: return need(has.i16, "integers of 16 bits");
        case 39: return need(has.i8, "integers of 8 bits");
        case 62: return need(has.subgroup_vote, "votes of subgroups");
        case 63: return need(has.subgroup_arithmetic, "sums and extremes of subgroups");
        case 64: return need(has.subgroup_ballot, "ballots of subgroups");
        case 65: return need(has.subgroup_shuffle, "shuffles of subgroups");
        case 4433: return need(has.stored16, "buffers of 16-bit elements");
        case 4448: return need(has.stored8, "buffers of 8-bit elements");
        case 6033: return need(has.f32_atomic_add, "atomic additions of f32");
        case 6034: return need(has.f64_atomic_add, "atomic additions of f64");
        default: throw Unsupported("the kernel needs capability " + std::to_string(number) + " of SPIR-V, which is not enabled here");
    }
}

// Whether a device has not what a module would rather have, and can do without.
bool is_left_out(const std::uint32_t* instruction, const Features& has) {
    const std::uint32_t count = instruction[0] >> 16, op = instruction[0] & 0xffff;
    if (op == op_capability && count == 2 && instruction[1] == keep_specials) {
        return !has.specials16 && !has.specials32 && !has.specials64;
    }
    if (op != op_execution_mode || count != 4 || instruction[2] != specials_kept) return false;
    const std::uint32_t width = instruction[3];
    return !(width == 16 ? has.specials16 : width == 32 ? has.specials32 : has.specials64);
}

// What the driver gets of a module. It trusts a module: one that is cut short must not reach it.
std::vector<std::uint32_t> checked_words(std::string_view module, const Device& device) {
    const auto refuse = [](const std::string& why) { throw std::invalid_argument("this is no module of SPIR-V: " + why); };
    if (module.size() % 4 != 0 || module.size() < 4 * header_words) refuse("it has " + std::to_string(module.size()) + " bytes");
    std::vector<std::uint32_t> words(module.size() / 4);
    std::memcpy(words.data(), module.data(), module.size());
    if (words[0] != magic) refuse("its first word is another one");
    bool has_main = false;
    std::uint32_t last = 0;
    std::vector<std::uint32_t> result(words.begin(), words.begin() + header_words);
    for (std::size_t at = header_words; at < words.size();) {
        const std::uint32_t count = words[at] >> 16, op = words[at] & 0xffff;
        if (count == 0 || count > words.size() - at) refuse("it is cut short");
        if (op == op_capability && count == 2) require_capability(words[at + 1], device);
        if (op == op_entry_point && count >= 5 && words[at + 1] == compute) {
            char name[8] = {};
            std::memcpy(name, &words[at + 3], sizeof name);
            has_main = has_main || std::memcmp(name, "main\0", 5) == 0;
        }
        if (!is_left_out(&words[at], device.features)) result.insert(result.end(), &words[at], &words[at] + count);
        last = op;
        at += count;
    }
    if (last != op_function_end) refuse("it does not end with a function");
    if (!has_main) refuse("it has no entry point main that computes");
    return result;
}

Sizes three(const char* name, const std::vector<std::uint32_t>& numbers) {
    if (numbers.size() != 3 || numbers[0] == 0 || numbers[1] == 0 || numbers[2] == 0) {
        throw std::invalid_argument(std::string(name) + " has 3 numbers of at least 1: x, y and z");
    }
    return {numbers[0], numbers[1], numbers[2]};
}

void require_at_most(const char* what, const Sizes& sizes, const std::uint32_t (&most)[3], const Device& device) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (sizes[axis] > most[axis]) {
            throw Unsupported(std::to_string(sizes[axis]) + " " + what + " along axis " + std::to_string(axis) + ": " +
                              device.properties.deviceName + " has at most " + std::to_string(most[axis]));
        }
    }
}

}  // namespace

// A module, and a pipeline for each size of blocks that it was launched with.
class Program {
public:
    Program(std::string_view module, std::uint32_t argument_bytes, bool by_address, Device& device)
        : device(device), argument_bytes(argument_bytes), by_address(by_address) {
        const auto words = checked_words(module, device);
        const std::uint32_t pushed = by_address ? sizeof(VkDeviceAddress) : (argument_bytes + 3) / 4 * 4;
        const std::uint32_t most = device.properties.limits.maxPushConstantsSize;
        if (pushed > most) {
            throw Unsupported("the arguments of the kernel have " + std::to_string(pushed) + " bytes: " +
                              device.properties.deviceName + " passes at most " + std::to_string(most));
        }
        const auto& call = device.call;
        const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, pushed};
        VkPipelineLayoutCreateInfo layout_info{};
        layout_info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
        layout_info.pushConstantRangeCount = pushed > 0 ? 1 : 0;
        layout_info.pPushConstantRanges = &range;
        check(call.CreatePipelineLayout(device.handle, &layout_info, nullptr, &layout), "vkCreatePipelineLayout");
        VkShaderModuleCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
        info.codeSize = words.size() * sizeof words[0];
        info.pCode = words.data();
        const VkResult made = call.CreateShaderModule(device.handle, &info, nullptr, &module_);
        if (made != VK_SUCCESS) call.DestroyPipelineLayout(device.handle, layout, nullptr);
        check(made, "vkCreateShaderModule");
    }

    ~Program() {
        if (is_forked()) return;
        for (const auto& each : pipelines_) device.call.DestroyPipeline(device.handle, each.second, nullptr);
        device.call.DestroyShaderModule(device.handle, module_, nullptr);
        device.call.DestroyPipelineLayout(device.handle, layout, nullptr);
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    VkPipeline pipeline(const Sizes& block, bool is_whole) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const Constants constants{width_on_device(block), block[1], block[2], is_whole ? 0u : 1u, block[0]};
        VkPipeline& found = pipelines_[constants];
        if (found != VK_NULL_HANDLE) return found;
        const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}, {3, 12, 4}, {4, 16, 4}};
        const VkSpecializationInfo special{5, entries, sizeof constants, constants.data()};
        VkComputePipelineCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
        info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
        info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.stage.module = module_;
        info.stage.pName = "main";
        info.stage.pSpecializationInfo = &special;
        info.layout = layout;
        const VkResult made = device.call.CreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &found);
        if (made != VK_SUCCESS) pipelines_.erase(constants);
        check(made, "vkCreateComputePipelines");
        return found;
    }

    Device& device;
    const std::uint32_t argument_bytes;
    const bool by_address;
    VkPipelineLayout layout = VK_NULL_HANDLE;

private:
    // lavapipe computes a row of a block in vectors. It leaves a loop only when all lanes of a vector do, also those that are no
    // threads: they may turn until its limit of turns, after which no loop of the vector turns more than once. So all lanes are
    // threads there, and those that the block does not have return at once.
    std::uint32_t width_on_device(const Sizes& block) const {
        const std::uint32_t lanes = device.features.subgroup_size, padded = (block[0] + lanes - 1) / lanes * lanes;
        const std::uint64_t all = std::uint64_t{padded} * block[1] * block[2];
        const bool computes_vectors = device.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
        return computes_vectors && all <= device.properties.limits.maxComputeWorkGroupInvocations ? padded : block[0];
    }

    VkShaderModule module_ = VK_NULL_HANDLE;
    std::mutex mutex_;
    std::map<Constants, VkPipeline> pipelines_;
};

Kernel::Kernel(std::string_view module, std::uint32_t argument_bytes, bool by_address, Device& device)
    : program_(std::make_shared<Program>(module, argument_bytes, by_address, device)) {}

std::uint32_t Kernel::argument_bytes() const { return program_->argument_bytes; }
int Kernel::device() const { return program_->device.index; }

void launch(const Kernel& kernel, const std::vector<std::uint32_t>& grid, const std::vector<std::uint32_t>& block,
            std::string_view arguments, const Stream& stream, bool is_whole) {
    check_not_forked();
    const auto& program = kernel.program_;
    Device& device = program->device;
    const VkPhysicalDeviceLimits& limits = device.properties.limits;
    const Sizes blocks = three("grid", grid), threads = three("block", block);
    require_at_most("threads of a block", threads, limits.maxComputeWorkGroupSize, device);
    const std::uint64_t all = std::uint64_t{threads[0]} * threads[1] * threads[2];
    if (all > limits.maxComputeWorkGroupInvocations) {
        throw Unsupported(std::to_string(all) + " threads of a block: " + device.properties.deviceName + " has at most " +
                          std::to_string(limits.maxComputeWorkGroupInvocations));
    }
    require_at_most("blocks", blocks, limits.maxComputeWorkGroupCount, device);
    if (arguments.size() != program->argument_bytes) {
        throw std::invalid_argument("the kernel takes arguments of " + std::to_string(program->argument_bytes) + " bytes, not " +
                                    std::to_string(arguments.size()));
    }
    if (&device != &stream.on()) {
        throw std::invalid_argument("a kernel of device " + std::to_string(device.index) + " cannot run on a stream of device " +
                                    std::to_string(stream.device()));
    }
    const VkPipeline pipeline = program->pipeline(threads, is_whole);
    std::vector<std::shared_ptr<void>> kept{program};
    std::string pushed(arguments);
    if (program->by_address && !arguments.empty()) {
        const auto staged = device.staging(arguments.size());
        std::memcpy(staged->mapped(), arguments.data(), arguments.size());
        const VkDeviceAddress address = staged->address();
        pushed.assign(reinterpret_cast<const char*>(&address), sizeof address);
        kept.push_back(staged);
    }
    pushed.resize((pushed.size() + 3) / 4 * 4);
    stream.queue().push(
        [&](VkCommandBuffer commands) {
            device.call.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
            if (!pushed.empty()) {
                device.call.CmdPushConstants(commands, program->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                             static_cast<std::uint32_t>(pushed.size()), pushed.data());
            }
            device.call.CmdDispatch(commands, blocks[0], blocks[1], blocks[2]);
        },
        std::move(kept));
}

}  // namespace vulkan
