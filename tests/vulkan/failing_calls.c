// A loader of Vulkan for tests: the real one, in which a call fails once when the test asks for it.
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef void (*Function)(void);
typedef Function (*Find)(void *owner, const char *name);
typedef int (*Submit)(void *queue, unsigned count, const void *submits, void *fence);
typedef int (*End)(void *commands);

static Find find_of_device;
static Submit submit;
static End end;
static int submit_result, end_result;  // of the next call

// The next vkQueueSubmit does nothing, and returns this.
void fail_submit(int result) { submit_result = result; }
// The next vkEndCommandBuffer returns this.
void fail_end(int result) { end_result = result; }

static int taken(int *result) {
    const int found = *result;
    *result = 0;
    return found;
}

static int failing_submit(void *queue, unsigned count, const void *submits, void *fence) {
    const int result = taken(&submit_result);
    return result != 0 ? result : submit(queue, count, submits, fence);
}

static int failing_end(void *commands) {
    const int real = end(commands), result = taken(&end_result);
    return result != 0 ? result : real;
}

static Function find_for_device(void *device, const char *name) {
    const Function found = find_of_device(device, name);
    if (strcmp(name, "vkQueueSubmit") == 0) {
        submit = (Submit)found;
        return (Function)failing_submit;
    }
    if (strcmp(name, "vkEndCommandBuffer") == 0) {
        end = (End)found;
        return (Function)failing_end;
    }
    return found;
}

Function vkGetInstanceProcAddr(void *instance, const char *name) {
    static Find real = NULL;
    if (real == NULL) {
        void *loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
        if (loader == NULL) return NULL;
        real = (Find)dlsym(loader, "vkGetInstanceProcAddr");
    }
    const Function found = real(instance, name);
    if (found == NULL || strcmp(name, "vkGetDeviceProcAddr") != 0) return found;
    find_of_device = (Find)found;
    return (Function)find_for_device;
}
