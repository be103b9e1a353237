#include "api.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

namespace vulkan {
namespace {

constexpr const char* validation_layer = "VK_LAYER_KHRONOS_validation";
constexpr std::size_t most_messages = 1000;

std::atomic<bool> forked{false};

struct Messages {
    std::mutex mutex;
    std::vector<std::string> all;
};

Messages& messages() {
    static Messages* result = new Messages;
    return *result;
}

VKAPI_ATTR VkBool32 VKAPI_CALL keep_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                            const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
    const std::lock_guard<std::mutex> lock(messages().mutex);
    if (messages().all.size() < most_messages) messages().all.emplace_back(data->pMessage);
    return VK_FALSE;
}

template <class F>
F find(PFN_vkGetInstanceProcAddr loader, VkInstance of, const char* name) {
    return reinterpret_cast<F>(loader(of, name));
}

bool has_layer(PFN_vkGetInstanceProcAddr loader) {
    auto list = find<PFN_vkEnumerateInstanceLayerProperties>(loader, nullptr, "vkEnumerateInstanceLayerProperties");
    std::uint32_t count = 0;
    check(list(&count, nullptr), "vkEnumerateInstanceLayerProperties");
    std::vector<VkLayerProperties> layers(count);
    check(list(&count, layers.data()), "vkEnumerateInstanceLayerProperties");
    return std::any_of(layers.begin(), layers.end(),
                       [](const auto& each) { return std::strcmp(each.layerName, validation_layer) == 0; });
}

// Why a device cannot be used; empty when it can.
std::string reason_against(const Instance& made, VkPhysicalDevice device, const VkPhysicalDeviceProperties& properties) {
    if (properties.apiVersion < VK_API_VERSION_1_2) return "it has no Vulkan 1.2";
    VkPhysicalDeviceVulkan12Features has{};
    has.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    VkPhysicalDeviceFeatures2 features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features.pNext = &has;
    made.GetPhysicalDeviceFeatures2(device, &features);
    if (!has.bufferDeviceAddress) return "it has no addresses of buffers";
    if (!has.timelineSemaphore) return "it has no timeline semaphores";
    std::uint32_t count = 0;
    made.GetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    made.GetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
    const bool computes = std::any_of(families.begin(), families.end(),
                                      [](const auto& each) { return (each.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0; });
    return computes ? "" : "it does not compute";
}

Instance* make_instance(PFN_vkGetInstanceProcAddr loader) {
    auto version = find<PFN_vkEnumerateInstanceVersion>(loader, nullptr, "vkEnumerateInstanceVersion");
    std::uint32_t has = VK_API_VERSION_1_0;
    if (version != nullptr) check(version(&has), "vkEnumerateInstanceVersion");
    if (has < VK_API_VERSION_1_2) throw Error("the Vulkan loader is older than Vulkan 1.2: install a later libvulkan1");

    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.apiVersion = VK_API_VERSION_1_2;
    VkDebugUtilsMessengerCreateInfoEXT messenger{};
    messenger.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
    messenger.messageSeverity =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
    messenger.pfnUserCallback = keep_message;
    const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pApplicationInfo = &application;
    if (is_validating()) {
        if (!has_layer(loader)) {
            throw Error("VULKAN_FFI_VALIDATION asks for the validation layer, which is not here: install "
                        "vulkan-validationlayers");
        }
        info.pNext = &messenger;
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = &validation_layer;
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &extension;
    }
    auto made = std::make_unique<Instance>();
    const VkResult created =
        find<PFN_vkCreateInstance>(loader, nullptr, "vkCreateInstance")(&info, nullptr, &made->handle);
    if (created == VK_ERROR_INCOMPATIBLE_DRIVER) throw Error("no Vulkan driver is installed; mesa-vulkan-drivers has some");
    check(created, "vkCreateInstance");

#define VULKAN_FIND(name) made->name = find<PFN_vk##name>(loader, made->handle, "vk" #name);
    VULKAN_INSTANCE_FUNCTIONS(VULKAN_FIND)
#undef VULKAN_FIND
    if (is_validating()) {
        VkDebugUtilsMessengerEXT out = VK_NULL_HANDLE;
        check(made->CreateDebugUtilsMessengerEXT(made->handle, &messenger, nullptr, &out), "vkCreateDebugUtilsMessengerEXT");
    }
    std::uint32_t count = 0;
    check(made->EnumeratePhysicalDevices(made->handle, &count, nullptr), "vkEnumeratePhysicalDevices");
    std::vector<VkPhysicalDevice> found(count);
    check(made->EnumeratePhysicalDevices(made->handle, &count, found.data()), "vkEnumeratePhysicalDevices");
    found.resize(count);
    for (VkPhysicalDevice device : found) {
        VkPhysicalDeviceProperties2 properties{};
        properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
        made->GetPhysicalDeviceProperties2(device, &properties);
        const std::string reason = reason_against(*made, device, properties.properties);
        if (reason.empty()) {
            made->devices.push_back(device);
        } else {
            made->refused.push_back(std::string(properties.properties.deviceName) + ": " + reason);
        }
    }
    return made.release();
}

}  // namespace

bool is_forked() { return forked.load(std::memory_order_relaxed); }

void check_not_forked() {
    if (is_forked()) {
        throw Error("Vulkan was in use when this process was forked, and the driver's threads are only in the parent: "
                    "start processes by spawn, or use Vulkan only in the children");
    }
}

std::string result_name(VkResult result) {
    switch (result) {
#define VULKAN_NAME(name) \
    case name: return #name;
        VULKAN_NAME(VK_SUCCESS)
        VULKAN_NAME(VK_NOT_READY)
        VULKAN_NAME(VK_TIMEOUT)
        VULKAN_NAME(VK_INCOMPLETE)
        VULKAN_NAME(VK_ERROR_OUT_OF_HOST_MEMORY)
        VULKAN_NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY)
        VULKAN_NAME(VK_ERROR_INITIALIZATION_FAILED)
        VULKAN_NAME(VK_ERROR_DEVICE_LOST)
        VULKAN_NAME(VK_ERROR_MEMORY_MAP_FAILED)
        VULKAN_NAME(VK_ERROR_LAYER_NOT_PRESENT)
        VULKAN_NAME(VK_ERROR_EXTENSION_NOT_PRESENT)
        VULKAN_NAME(VK_ERROR_FEATURE_NOT_PRESENT)
        VULKAN_NAME(VK_ERROR_INCOMPATIBLE_DRIVER)
        VULKAN_NAME(VK_ERROR_TOO_MANY_OBJECTS)
        VULKAN_NAME(VK_ERROR_INVALID_EXTERNAL_HANDLE)
        VULKAN_NAME(VK_ERROR_UNKNOWN)
#undef VULKAN_NAME
        default: return "VkResult " + std::to_string(static_cast<int>(result));
    }
}

VkResult check(VkResult result, const char* call) {
    if (result >= 0) return result;
    const std::string message = std::string(call) + " failed: " + result_name(result);
    switch (result) {
        case VK_ERROR_OUT_OF_HOST_MEMORY:
        case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        case VK_ERROR_TOO_MANY_OBJECTS: throw OutOfMemory(message);
        case VK_ERROR_DEVICE_LOST: throw DeviceLost(message + ", and the device does no more work in this process");
        case VK_ERROR_LAYER_NOT_PRESENT:
        case VK_ERROR_EXTENSION_NOT_PRESENT:
        case VK_ERROR_FEATURE_NOT_PRESENT: throw Unsupported(message);
        default: throw Error(message);
    }
}

const Instance& instance(PFN_vkGetInstanceProcAddr loader) {
    static std::mutex* mutex = new std::mutex;
    static Instance* made = nullptr;
    check_not_forked();
    const std::lock_guard<std::mutex> lock(*mutex);
    if (made == nullptr) {
        made = make_instance(loader);
        pthread_atfork(nullptr, nullptr, [] { forked = true; });
    }
    return *made;
}

std::vector<std::string> take_messages() {
    const std::lock_guard<std::mutex> lock(messages().mutex);
    return std::exchange(messages().all, {});
}

bool is_validating() {
    static const bool asked = [] {
        const char* text = std::getenv("VULKAN_FFI_VALIDATION");
        return text != nullptr && *text != '\0' && std::strcmp(text, "0") != 0;
    }();
    return asked;
}

}  // namespace vulkan
