// Compiles CUDA C into a shared object for this machine.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace standin {

struct Compiled {
    bool is_done;
    std::string image;
    std::string log;
    std::map<std::string, std::string> lowered;  // what each expression is called in the image
};

// What the image calls a kernel, or an instance of a template, that the source calls `expression`.
std::string lowered_name(const std::string& expression);

// `name` is what messages call the source; the image has the kernels that `expressions` name, or all without any.
// Throws std::runtime_error when the compiler cannot be started.
Compiled compile_for_host(const std::string& source, const std::string& name,
                          const std::vector<std::string>& expressions, const std::vector<std::string>& flags);

}  // namespace standin
