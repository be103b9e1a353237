# As find_package finds it in a folder that wrapper_gen_ROOT or CMAKE_PREFIX_PATH names.

include("${CMAKE_CURRENT_LIST_DIR}/Findwrapper_gen.cmake")
