#include "cli/run.h"

int main(int argc, char** argv) { return msprobe::cli::run(argc, argv); }
