#include "device.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "queue.hpp"

namespace vulkan {
namespace {

constexpr std::size_t smallest_staging = 16 << 10;
constexpr std::uint32_t queries_of_a_pool = 256;
constexpr std::uint64_t forever = ~std::uint64_t{0};

bool is_set(const char* variable) {
    const char* text = std::getenv(variable);
    return text != nullptr && *text != '\0' && std::strcmp(text, "0") != 0;
}

VkPhysicalDevice physical_at(const Instance& instance, int index) {
    if (index < 0 || index >= device_count(instance)) {
        throw std::invalid_argument("there is no device " + std::to_string(index) + ": there are " +
                                    std::to_string(device_count(instance)) + ", counted from 0");
    }
    return instance.devices[static_cast<std::size_t>(index)];
}

VkPhysicalDeviceProperties properties_of(const Instance& instance, int index) {
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    instance.GetPhysicalDeviceProperties2(physical_at(instance, index), &properties);
    return properties.properties;
}

// The family that copies and computes; one without graphics where there is one, since others share it less.
std::uint32_t computing_family(const std::vector<VkQueueFamilyProperties>& families) {
    std::uint32_t chosen = 0;
    bool found = false;
    for (std::uint32_t i = 0; i < families.size(); ++i) {
        if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) continue;
        const bool is_alone = (families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0;
        if (!found || is_alone) chosen = i;
        if (is_alone) return chosen;
        found = true;
    }
    return chosen;
}

std::size_t rounded_up(std::size_t size) {
    std::size_t result = smallest_staging;
    while (result < size) result *= 2;
    return result;
}

}  // namespace

// --- the device

Device::Device(const Instance& instance, int index_)
    : index(index_), physical(physical_at(instance, index_)), instance_(instance) {
    std::uint32_t count = 0;
    instance.GetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    instance.GetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
    queue_family = computing_family(families);
    timestamp_bits = families[queue_family].timestampValidBits;

    const Extensions extensions(extensions_of(instance, physical));
    has_budget_ = extensions.has_budget;

    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{};
    host.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
    VkPhysicalDeviceMaintenance3Properties maintenance{};
    maintenance.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES;
    maintenance.pNext = extensions.imports_host_memory ? &host : nullptr;
    VkPhysicalDeviceProperties2 found{};
    found.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    found.pNext = &maintenance;
    instance.GetPhysicalDeviceProperties2(physical, &found);
    properties = found.properties;
    timestamp_period = static_cast<double>(properties.limits.timestampPeriod);
    largest_allocation = maintenance.maxMemoryAllocationSize;
    if (extensions.imports_host_memory) host_alignment = host.minImportedHostPointerAlignment;

    FeatureChain has(extensions), use(extensions);
    has.ask(instance, physical);
    use.enable(has);
    features = has.features();

    const float priority = 1;
    VkDeviceQueueCreateInfo queue{};
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueFamilyIndex = queue_family;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &use.all;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.names.size());
    info.ppEnabledExtensionNames = extensions.names.data();
    check(instance.CreateDevice(physical, &info, nullptr, &handle), "vkCreateDevice");
#define VULKAN_FIND(name) call.name = reinterpret_cast<PFN_vk##name>(instance.GetDeviceProcAddr(handle, "vk" #name));
    VULKAN_DEVICE_FUNCTIONS(VULKAN_FIND)
#undef VULKAN_FIND
    call.GetDeviceQueue(handle, queue_family, 0, &queue_);

    VkPhysicalDeviceMemoryProperties2 memory{};
    memory.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
    instance.GetPhysicalDeviceMemoryProperties2(physical, &memory);
    memory_ = memory.memoryProperties;
    const bool shares = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU ||
                        properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const std::uint32_t type = memory_type(~0u, Buffer::Where::device);
    is_unified = shares && (memory_.memoryTypes[type].propertyFlags & wanted) == wanted && !is_set("VULKAN_FFI_STAGING");
}

// The best type of those in `bits`: for the device its own memory, for the host what it reads quickly.
std::uint32_t Device::memory_type(std::uint32_t bits, Buffer::Where where) const {
    constexpr VkMemoryPropertyFlags own = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    constexpr VkMemoryPropertyFlags seen = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    constexpr VkMemoryPropertyFlags cached = seen | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    const bool shares = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU ||
                        properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    const std::vector<VkMemoryPropertyFlags> wishes =
        where == Buffer::Where::host ? std::vector<VkMemoryPropertyFlags>{cached, seen}
        : shares                     ? std::vector<VkMemoryPropertyFlags>{own | cached, own | seen, own, 0}
                                     : std::vector<VkMemoryPropertyFlags>{own, 0};
    for (const VkMemoryPropertyFlags wanted : wishes) {
        for (std::uint32_t i = 0; i < memory_.memoryTypeCount; ++i) {
            if ((bits >> i & 1) != 0 && (memory_.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
        }
    }
    throw Unsupported("the device has no memory of the kind that is needed");
}

std::uint64_t Device::submit(Timeline& timeline, VkCommandBuffer commands, const std::vector<Mark>& marks) {
    check_not_forked();
    std::vector<VkSemaphore> semaphores;
    std::vector<std::uint64_t> values;
    for (const Mark& each : marks) {
        semaphores.push_back(each.timeline->semaphore());
        values.push_back(each.value);
    }
    const std::uint64_t before = timeline.submitted(), next = before + 1;
    if (before > 0) {  // also when it is reached: the wait makes what was written visible
        semaphores.push_back(timeline.semaphore());
        values.push_back(before);
    }
    const std::vector<VkPipelineStageFlags> stages(semaphores.size(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    const VkSemaphore reached = timeline.semaphore();
    VkTimelineSemaphoreSubmitInfo turns{};
    turns.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    turns.waitSemaphoreValueCount = static_cast<std::uint32_t>(values.size());
    turns.pWaitSemaphoreValues = values.data();
    turns.signalSemaphoreValueCount = 1;
    turns.pSignalSemaphoreValues = &next;
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.pNext = &turns;
    info.waitSemaphoreCount = static_cast<std::uint32_t>(semaphores.size());
    info.pWaitSemaphores = semaphores.data();
    info.pWaitDstStageMask = stages.data();
    info.commandBufferCount = commands == VK_NULL_HANDLE ? 0 : 1;
    info.pCommandBuffers = &commands;
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &reached;
    const std::lock_guard<std::mutex> lock(queue_mutex_);
    check(call.QueueSubmit(queue_, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
    timeline.submitted_.store(next, std::memory_order_release);
    return next;
}

void Device::add(const std::shared_ptr<Queue>& queue) {
    const std::lock_guard<std::mutex> lock(mutex_);
    queues_.erase(std::remove_if(queues_.begin(), queues_.end(), [](const auto& each) { return each.expired(); }), queues_.end());
    queues_.push_back(queue);
}

// To be released without the lock, which the last owner of one takes.
std::vector<std::shared_ptr<Queue>> Device::queues() {
    std::vector<std::shared_ptr<Queue>> result;
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& each : queues_) {
        if (auto queue = each.lock()) result.push_back(std::move(queue));
    }
    return result;
}

void Device::order(VkCommandBuffer commands) const {
    VkMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    call.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier, 0,
                            nullptr, 0, nullptr);
}

std::vector<Mark> Device::busy() {
    std::vector<Mark> result;
    for (const auto& each : queues()) {
        each->submit_recorded(false);
        const std::uint64_t last = each->timeline()->submitted();
        try {
            if (!each->timeline()->has_reached(last)) result.push_back({each->timeline(), last});
        } catch (const DeviceLost&) {  // nothing is done any more
        }
    }
    return result;
}

void Device::check_submitted() {
    for (const auto& each : queues()) each->check_submitted();
}

bool Device::submit_waiting() {
    bool found = false;
    for (const auto& each : queues()) found = each->submit_recorded(true) || found;
    return found;
}

void Device::free_later(std::shared_ptr<void> kept) {
    if (is_forked()) {
        new std::shared_ptr<void>(std::move(kept));  // the driver's state is the parent's: never released here
        return;
    }
    auto marks = busy();
    if (!marks.empty()) {
        const std::lock_guard<std::mutex> lock(mutex_);
        retired_.push_back({std::move(kept), std::move(marks)});
    }
    kept.reset();
    collect();
}

void Device::collect(bool wait) {
    std::vector<Retired> done;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (wait) {
            done.assign(std::make_move_iterator(retired_.begin()), std::make_move_iterator(retired_.end()));
            retired_.clear();
        } else {
            while (!retired_.empty()) {  // in the order in which they were freed, so that this takes little time
                bool is_done = true;
                for (const Mark& each : retired_.front().marks) {
                    try {
                        is_done = is_done && each.timeline->has_reached(each.value);
                    } catch (const DeviceLost&) {  // nothing is done any more
                    }
                }
                if (!is_done) break;
                done.push_back(std::move(retired_.front()));
                retired_.pop_front();
            }
        }
    }
    if (!wait) return;  // `done` releases outside of the lock
    for (const Retired& each : done) {
        for (const Mark& mark : each.marks) {
            try {
                mark.timeline->wait(mark.value, forever);
            } catch (const DeviceLost&) {
            }
        }
    }
}

MemoryInfo Device::memory_info() const {
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{};
    budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
    VkPhysicalDeviceMemoryProperties2 memory{};
    memory.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
    memory.pNext = has_budget_ ? &budget : nullptr;
    instance_.GetPhysicalDeviceMemoryProperties2(physical, &memory);
    const std::uint32_t heap = memory_.memoryTypes[memory_type(~0u, Buffer::Where::device)].heapIndex;
    const std::size_t total = memory_.memoryHeaps[heap].size;
    if (!has_budget_) return {total - std::min(total, allocated_.load()), total};
    return {budget.heapBudget[heap] - std::min(budget.heapBudget[heap], budget.heapUsage[heap]), total};
}

std::shared_ptr<Buffer> Device::staging(std::size_t size) {
    check_not_forked();
    std::unique_ptr<Buffer> found;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto fits = unused_staging_.lower_bound(size);
        if (fits != unused_staging_.end()) {
            found = std::move(fits->second);
            unused_staging_.erase(fits);
        }
    }
    if (!found) found = std::make_unique<Buffer>(*this, rounded_up(size), Buffer::Where::host);
    return {found.release(), [this](Buffer* unused) {
                std::unique_ptr<Buffer> owned(unused);
                if (is_forked()) return;  // a thread of the parent may have the lock for ever
                const std::lock_guard<std::mutex> lock(mutex_);
                if (unused_staging_.size() < 16) unused_staging_.emplace(owned->size(), std::move(owned));
            }};
}

Device::Semaphore Device::take_semaphore() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!unused_semaphores_.empty()) {
            const Semaphore found = unused_semaphores_.back();
            unused_semaphores_.pop_back();
            return found;
        }
    }
    VkSemaphoreTypeCreateInfo type{};
    type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    VkSemaphoreCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
    info.pNext = &type;
    VkSemaphore made = VK_NULL_HANDLE;
    check(call.CreateSemaphore(handle, &info, nullptr, &made), "vkCreateSemaphore");
    return {made, 0};
}

void Device::give_back(Semaphore semaphore) {
    const std::lock_guard<std::mutex> lock(mutex_);
    unused_semaphores_.push_back(semaphore);
}

Device::Pool Device::take_pool() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!unused_pools_.empty()) {
            Pool found = std::move(unused_pools_.back());
            unused_pools_.pop_back();
            return found;
        }
    }
    VkCommandPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT | VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
    info.queueFamilyIndex = queue_family;
    VkCommandPool made = VK_NULL_HANDLE;
    check(call.CreateCommandPool(handle, &info, nullptr, &made), "vkCreateCommandPool");
    return {made, {}, {}};
}

void Device::give_back(Pool pool) {
    const std::lock_guard<std::mutex> lock(mutex_);
    unused_pools_.push_back(std::move(pool));
}

std::shared_ptr<Device::Query> Device::query() {
    check_not_forked();
    const std::lock_guard<std::mutex> lock(mutex_);
    if (unused_queries_.empty()) {
        VkQueryPoolCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
        info.queryType = VK_QUERY_TYPE_TIMESTAMP;
        info.queryCount = queries_of_a_pool;
        VkQueryPool pool = VK_NULL_HANDLE;
        check(call.CreateQueryPool(handle, &info, nullptr, &pool), "vkCreateQueryPool");
        for (std::uint32_t number = 0; number < queries_of_a_pool; ++number) unused_queries_.push_back({pool, number});
    }
    const Query chosen = unused_queries_.back();
    unused_queries_.pop_back();
    return {new Query(chosen), [this](Query* unused) {
                const std::unique_ptr<Query> owned(unused);
                if (is_forked()) return;
                const std::lock_guard<std::mutex> lock(mutex_);
                unused_queries_.push_back(*owned);
            }};
}

// --- all devices

Device& device_at(const Instance& instance, int index) {
    static std::mutex* mutex = new std::mutex;
    static auto* devices = new std::map<int, std::unique_ptr<Device>>;  // never closed: handles may outlive main
    check_not_forked();
    const std::lock_guard<std::mutex> lock(*mutex);
    auto& found = (*devices)[index];
    if (!found) {
        try {
            found = std::make_unique<Device>(instance, index);
        } catch (...) {
            devices->erase(index);
            throw;
        }
    }
    return *found;
}

int device_count(const Instance& instance) { return static_cast<int>(instance.devices.size()); }

std::string device_name(const Instance& instance, int index) { return properties_of(instance, index).deviceName; }

std::string device_kind(const Instance& instance, int index) {
    switch (properties_of(instance, index).deviceType) {
        case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return "discrete";
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return "integrated";
        case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return "virtual";
        case VK_PHYSICAL_DEVICE_TYPE_CPU: return "cpu";
        default: return "other";
    }
}

}  // namespace vulkan
