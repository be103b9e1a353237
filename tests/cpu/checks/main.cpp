// checks NAME runs one check in this process; checks --list names all of them.
#include "check.hpp"

std::map<std::string, Check>& all_checks() {
    static std::map<std::string, Check> checks;
    return checks;
}

int main(int count, char** arguments) {
    const std::string name = count == 2 ? arguments[1] : "";
    if (name == "--list") {
        for (const auto& [known, check] : all_checks()) std::puts(known.c_str());
        return 0;
    }
    const auto found = all_checks().find(name);
    if (found == all_checks().end()) {
        std::fprintf(stderr, "no check named '%s'\n", name.c_str());
        return 2;
    }
    found->second();
    return 0;
}
