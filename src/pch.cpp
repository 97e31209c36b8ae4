// Home of the precompiled header; holds nothing itself.
