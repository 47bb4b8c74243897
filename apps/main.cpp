/// The program `troupe`.
#include "apps/command_line.hpp"

int main(int argc, char** argv) { return troupe::apps::run_program(troupe::apps::make_application, argc, argv); }
