// Lists of standards.h that their file leaves out: what signatures.yaml says stands in for each.
#pragma once
#include <set>
#include <string>

#include "config/api_facts.h"
#include "config/standards.h"

namespace msprobe::config {

/// The sections of precision_standard.yaml that may be left out.
const std::set<std::string, std::less<>>& listed_facts();

/// Fills the list of each such section that is not in `given`.
void fill_listed_facts(const FactTable& known, const std::set<std::string, std::less<>>& given, Standards& standards);

}  // namespace msprobe::config
